// SPDX-License-Identifier: Apache-2.0
// What the page needs of every strand, from one pass over them: 30 million strands take some 0.2 s.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "report/timeline/timeline.hpp"

namespace foretask::report {

struct StrandSums {
  // Of strands' times, by factors of the fourth root of two from 1 ns on.
  static constexpr std::size_t kBins = 192;
  static constexpr int kBinsAPower = 4;
  struct Kernel {
    std::array<std::uint32_t, kBins> counts{};
    std::uint64_t strands = 0;
  };

  explicit StrandSums(const Timeline& timeline);

  std::vector<std::int64_t> busy_ns;  // by worker
  std::vector<Kernel> kernels;        // as the graph's
};

}  // namespace foretask::report
