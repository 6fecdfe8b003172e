// SPDX-License-Identifier: Apache-2.0
// HOT: finishes or releases to come, by time and then by node index.
#pragma once

#include <cstdint>

#include "foretask/analysis/simulate.hpp"
#include "foretask/analysis/task_graph.hpp"
#include "simulate/cores/quad_heap.hpp"

namespace foretask::simulate {

struct Event {
  std::int64_t time_ns;
  analysis::NodeIndex node;
  std::uint32_t worker;  // kNoWorker where the node runs on none
};

using analysis::kNoWorker;

class EventQueue {
 public:
  [[nodiscard]] bool empty() const noexcept { return heap_.empty(); }
  // Past every time of an event.
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  // Of the next event; kNever when there is none.
  [[nodiscard]] std::uint64_t next_time_ns() const noexcept { return static_cast<std::uint64_t>(heap_.top() >> 64); }
  void push(const Event& event) {
    heap_.push(static_cast<Wide>(static_cast<std::uint64_t>(event.time_ns)) << 64 |
               static_cast<Wide>(event.node) << 32 | event.worker);
  }
  Event pop() noexcept {
    const Wide key = heap_.pop();
    return {static_cast<std::int64_t>(key >> 64), static_cast<analysis::NodeIndex>(key >> 32),
            static_cast<std::uint32_t>(key)};
  }

 private:
  QuadHeap<Wide> heap_;
};

}  // namespace foretask::simulate
