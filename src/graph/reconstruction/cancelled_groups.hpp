// SPDX-License-Identifier: Apache-2.0
// Taskgroups of a trace that says who cancels them: who ended each, and what became of its tasks.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/reconstruction/reconstruction_state.hpp"

namespace foretask::graph {

class CancelledGroups {
 public:
  // `is_told`: the trace has events of cancellation. Else there are no groups.
  CancelledGroups(ReconstructionState& state, bool is_told) : state_(state), is_told_(is_told) {}

  // A taskgroup's number, or kNone.
  [[nodiscard]] std::uint32_t begin();
  void leave(std::uint32_t group);
  // The running task cancels something, or finds it cancelled: foretask_cancel.
  void on_cancel(std::uint32_t worker, std::uint32_t what);

  // Whether a complete task may have been cut short. Where nobody says who cancelled, all that ended with their group
  // may have been.
  [[nodiscard]] bool may_be_cut(const TaskRecord& record) const;
  // At the reconstruction's end: lists the groups in which kernels searched.
  void list_groups();

 private:
  struct Group {
    std::int64_t begin_ns = 0;
    std::int64_t cancel_ns = -1;
    std::int64_t left_ns = -1;
    std::uint32_t winner = kNone;
  };

  // kNone for a task that is no member of any.
  [[nodiscard]] std::uint32_t group_of(std::uint32_t task);
  [[nodiscard]] MemberEnd end_of_member(std::uint32_t task, const Group& group);
  // `place`: of each group in the list; `member_of_task`: of each task in its group.
  void add_inner_work(const std::vector<std::uint32_t>& place, const std::vector<std::uint32_t>& member_of_task);

  ReconstructionState& state_;
  const bool is_told_;
  std::vector<Group> groups_;
};

}  // namespace foretask::graph
