// SPDX-License-Identifier: Apache-2.0
// Heterogeneous earliest finish time: H. Topcuoglu, S. Hariri and M.-Y. Wu, "Performance-effective and low-complexity
// task scheduling for heterogeneous computing", IEEE TPDS 13(3), 2002. Tasks in order of their upward rank (equation
// 4: mean time, plus the longest mean path of times and messages behind it), each to the worker on which it finishes
// earliest, in a gap between others where one is long enough.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/machine/machine.hpp"

namespace foretask::simulate {

struct HeftPlan {
  std::vector<std::uint32_t> worker;                        // one a task; kNoWorker where it runs on none
  std::vector<std::vector<analysis::NodeIndex>> by_worker;  // each worker's tasks in the order planned
  std::vector<double> rank;                                 // one a task, ns
};

// `order`: topological. O(tasks * workers) and the gaps looked at. A network's limits are left out of the plan; the
// replay that follows it has them.
[[nodiscard]] HeftPlan heft_plan(const Machine& machine, const std::vector<analysis::NodeIndex>& order);

}  // namespace foretask::simulate
