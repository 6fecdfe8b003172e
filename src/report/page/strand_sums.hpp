// SPDX-License-Identifier: Apache-2.0
// What the page needs of every strand. 30 million strands take some 0.5 s, and 4 bytes a task meanwhile.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "report/timeline/timeline.hpp"

namespace foretask::report {

struct StrandSums {
  // Of tasks' times, by factors of the fourth root of two from 1 ns on. A thread's share of a loop is one as well.
  static constexpr std::size_t kBins = 192;
  static constexpr int kBinsAPower = 4;
  struct Kernel {
    std::array<std::uint32_t, kBins> counts{};
    std::uint64_t tasks = 0;

    void add(double ns) noexcept;
  };

  explicit StrandSums(const Timeline& timeline);

  std::vector<std::int64_t> busy_ns;  // by worker
  std::vector<Kernel> kernels;        // as the graph's

 private:
  void add_tasks(const analysis::TaskGraph& graph);
};

}  // namespace foretask::report
