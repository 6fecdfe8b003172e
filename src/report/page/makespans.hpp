// SPDX-License-Identifier: Apache-2.0
// How far replays with drawn task times differ: what the page shows of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "foretask/analysis/makespan.hpp"

namespace foretask::report {

// Places in MakespanSample::quantiles_ns.
inline constexpr std::size_t kQ05 = 1, kQ25 = 3, kQ50 = 4, kQ75 = 5, kQ95 = 7;
static_assert(analysis::kMakespanQuantiles[kQ05] == 0.05 && analysis::kMakespanQuantiles[kQ25] == 0.25 &&
              analysis::kMakespanQuantiles[kQ50] == 0.5 && analysis::kMakespanQuantiles[kQ75] == 0.75 &&
              analysis::kMakespanQuantiles[kQ95] == 0.95);

struct Makespans {
  std::vector<std::uint32_t> cores;               // fewest first; empty: nothing was sampled
  std::vector<analysis::MakespanSample> samples;  // one a number of cores
  std::uint32_t replays = 0;                      // on each
  std::uint64_t tasks = 0;                        // with times
  std::uint64_t kept = 0;                         // without similar tasks: they keep their own times
  std::string reason;                             // why nothing was sampled; a sentence
};

}  // namespace foretask::report
