// SPDX-License-Identifier: Apache-2.0
// Other recordings whose loops say more of what iterations cost, as the answers name them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace foretask::report {

struct PooledRun {
  std::string run;
  std::uint64_t loops = 0;    // as in analysis::PooledRecording
  std::uint64_t matched = 0;  // likewise
  std::uint64_t refined = 0;  // likewise
};

// A sentence each; empty where there are none.
[[nodiscard]] std::string pooled_words(const std::vector<PooledRun>& runs);

}  // namespace foretask::report
