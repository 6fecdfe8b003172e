// SPDX-License-Identifier: Apache-2.0
// HOT: what scheduling adds to nodes' times under work stealing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "foretask/analysis/simulate.hpp"
#include "foretask/result.hpp"
#include "simulate/cores/page_array.hpp"

namespace foretask::simulate {

// How a worker comes to a node.
enum class Arrival : std::uint8_t {
  kFromWait,  // by its own deque, from a wait
  kFromEnd,   // by its own deque, from the end of another task
  kAtOnce,    // as it is created
  kStolen,
  kResumed,  // it had waited on the worker's stack
  kGoingOn   // right behind the strand before
};

class StealingCosts {
 public:
  // Of a graph whose durations add up to `work_ns`. Errors: negative costs, times that do not fit.
  [[nodiscard]] static Result<StealingCosts> of(const analysis::TaskGraph& graph,
                                                const analysis::SimulationOptions& options, std::int64_t work_ns);

  // From a worker's decision to the start of the node.
  [[nodiscard]] std::int64_t before_ns(analysis::NodeIndex node, Arrival arrival) const noexcept {
    const std::uint8_t marks = marks_.size() != 0 ? marks_[node] : kTaskBegin;
    if ((marks & kTeamBegin) != 0) return costs_.fork_ns;
    if ((marks & kJoinsTeam) != 0) return costs_.barrier_ns;
    switch (arrival) {
      case Arrival::kFromEnd:
        return (marks & kTaskBegin) != 0 ? costs_.next_ns : 0;
      case Arrival::kStolen:
        return costs_.steal_ns;
      case Arrival::kResumed:
        return (marks & kBehindWait) != 0 ? costs_.resume_ns : 0;
      case Arrival::kGoingOn:
        return (marks & kBehindWait) != 0 ? costs_.pass_ns : 0;
      default:
        return (marks & kTaskBegin) != 0 ? costs_.dispatch_ns : 0;
    }
  }
  // What the node takes besides its duration: creating a task, waiting, the task's own begin and end, starting threads.
  [[nodiscard]] std::int64_t added_ns(analysis::NodeIndex node) const noexcept {
    std::int64_t ns = 0;
    if (marks_.size() != 0) {
      const std::uint8_t marks = marks_[node];
      if ((marks & kCreates) != 0) ns += costs_.create_ns;
      if ((marks & kWaits) != 0) ns += costs_.wait_ns;
      if ((marks & kTaskEnd) != 0) ns += costs_.body_ns;
    }
    if (node == team_start_) [[unlikely]]
      ns += team_start_ns_;
    return ns;
  }
  // Whether the creator runs the next task at once, with so many in its deque: the deque is full, or the team has no
  // other thread.
  [[nodiscard]] bool runs_at_once(std::size_t tasks) const noexcept {
    return costs_.threads == 1 || (deque_capacity_ != 0 && tasks >= deque_capacity_);
  }

 private:
  // What a recording's strand is.
  static constexpr std::uint8_t kTaskBegin = 1;   // an explicit task's first
  static constexpr std::uint8_t kTeamBegin = 2;   // an implicit task's first
  static constexpr std::uint8_t kBehindWait = 4;  // its task goes on, and not behind a creation
  static constexpr std::uint8_t kJoinsTeam = 8;   // its task goes on behind a barrier or region
  static constexpr std::uint8_t kCreates = 16;    // ends by creating an explicit task
  static constexpr std::uint8_t kWaits = 32;      // ends by waiting
  static constexpr std::uint8_t kTaskEnd = 64;    // an explicit task's last

  StealingCosts(const analysis::TaskGraph& graph, const analysis::SimulationOptions& options);
  void mark_strands(const analysis::TaskGraph& graph);

  analysis::TeamCosts costs_;
  std::uint32_t deque_capacity_;
  analysis::NodeIndex team_start_;
  std::int64_t team_start_ns_ = 0;
  PageArray<std::uint8_t> marks_;  // of a recording's strands; empty where nothing costs anything
};

}  // namespace foretask::simulate
