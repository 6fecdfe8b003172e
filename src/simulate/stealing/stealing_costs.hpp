// SPDX-License-Identifier: Apache-2.0
// HOT: what scheduling adds to nodes' times under work stealing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "foretask/analysis/simulate.hpp"
#include "foretask/result.hpp"
#include "simulate/cores/page_array.hpp"

namespace foretask::simulate {

class StealingCosts {
 public:
  // Of a graph whose durations add up to `work_ns`. Errors: negative costs, times that do not fit.
  [[nodiscard]] static Result<StealingCosts> of(const analysis::TaskGraph& graph,
                                                const analysis::SimulationOptions& options, std::int64_t work_ns);

  // From a worker's decision to the start of its own deque's task, and of a stolen one.
  [[nodiscard]] std::int64_t dispatch_ns() const noexcept { return costs_.dispatch_ns; }
  [[nodiscard]] std::int64_t steal_ns() const noexcept { return costs_.steal_ns; }
  // What the node takes besides its duration: creating tasks, starting threads.
  [[nodiscard]] std::int64_t added_ns(analysis::NodeIndex node) const noexcept {
    std::int64_t ns = creates_.size() != 0 ? creates_[node] * costs_.create_ns : 0;
    if (node == team_start_) [[unlikely]]
      ns += team_start_ns_;
    return ns;
  }
  // Whether a deque of so many tasks takes no more.
  [[nodiscard]] bool is_full(std::size_t tasks) const noexcept {
    return costs_.deque_capacity != 0 && tasks >= costs_.deque_capacity;
  }

 private:
  StealingCosts(const analysis::TaskGraph& graph, const analysis::SimulationOptions& options);
  void count_creations(const analysis::TaskGraph& graph);

  analysis::SchedulingCosts costs_;
  analysis::NodeIndex team_start_;
  std::int64_t team_start_ns_ = 0;   // more than recorded
  PageArray<std::uint8_t> creates_;  // explicit tasks of each node; empty where creating costs nothing
};

}  // namespace foretask::simulate
