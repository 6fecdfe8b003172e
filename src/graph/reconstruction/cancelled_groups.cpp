// SPDX-License-Identifier: Apache-2.0
#include "graph/reconstruction/cancelled_groups.hpp"

#include <algorithm>

namespace foretask::graph {

std::uint32_t CancelledGroups::begin() {
  if (!is_told_) return kNone;
  groups_.push_back({.begin_ns = state_.now_ns});
  return static_cast<std::uint32_t>(groups_.size() - 1);
}

void CancelledGroups::leave(std::uint32_t group) {
  if (group != kNone) groups_[group].left_ns = state_.now_ns;
}

void CancelledGroups::on_cancel(std::uint32_t worker, std::uint32_t what) {
  if (!(what & FORETASK_CANCEL_TASKGROUP)) return;
  const Frame* frame = state_.running_frame(worker);
  if (!frame) return;
  TaskRecord& record = state_.tasks[frame->task];
  record.note((what & FORETASK_CANCEL_ACTIVATED) ? kAsksForCancel : kFindsCancelled);
  if (!(what & FORETASK_CANCEL_ACTIVATED) || record.scope == kNone) return;
  const std::uint32_t group = state_.scopes[record.scope].group;
  if (group == kNone || groups_[group].cancel_ns >= 0) return;
  groups_[group].cancel_ns = state_.now_ns;
  groups_[group].winner = frame->task;
}

bool CancelledGroups::may_be_cut(const TaskRecord& record) const {
  return record.is(is_told_ ? kFindsCancelled : kEndsCancelled) && !record.is(kAsksForCancel);
}

std::uint32_t CancelledGroups::group_of(std::uint32_t task) {
  const TaskRecord& record = state_.tasks[task];
  if (record.scope == kNone || record.has(kImplicit) || record.has(kPseudo)) return kNone;
  const Scope& scope = state_.scopes[record.scope];
  return scope.owner != task ? scope.group : kNone;
}

MemberEnd CancelledGroups::end_of_member(std::uint32_t task, const Group& group) {
  const TaskRecord& record = state_.tasks[task];
  if (task == group.winner) return MemberEnd::kWon;
  if (record.is(kAsksForCancel)) return MemberEnd::kAlsoFound;
  if (record.is(kDiscarded) || record.state == TaskState::kCreated || record.state == TaskState::kUnknown)
    return MemberEnd::kNeverRan;
  if (record.is(kFindsCancelled) || record.state != TaskState::kComplete) return MemberEnd::kCutShort;
  return MemberEnd::kEnded;
}

// A group belongs to the first of its tasks' kernels by whose tasks any group was cancelled; those with none are no
// or-parallel sections.
void CancelledGroups::list_groups() {
  RecordedGraph& out = state_.out;
  const auto count = static_cast<std::uint32_t>(state_.tasks.size());
  std::vector<std::uint8_t> searches(out.kernels.size(), 0);
  for (const Group& group : groups_)
    if (group.winner != kNone) searches[out.kernel_of_task[group.winner]] = 1;
  std::vector<std::uint32_t> place(groups_.size(), kNone);
  for (std::uint32_t task = 0; task < count && !groups_.empty(); ++task) {
    const std::uint32_t group = group_of(task);
    if (group == kNone || place[group] != kNone || !searches[out.kernel_of_task[task]]) continue;
    place[group] = static_cast<std::uint32_t>(out.speculative_groups.size());
    out.speculative_groups.push_back({.kernel = out.kernel_of_task[task],
                                      .begin_ns = groups_[group].begin_ns,
                                      .cancel_ns = groups_[group].cancel_ns,
                                      .left_ns = groups_[group].left_ns,
                                      .members = {}});
  }
  if (out.speculative_groups.empty()) return;
  std::vector<std::uint32_t> member_of_task(count, kNone);
  for (std::uint32_t task = 0; task < count; ++task) {
    const std::uint32_t group = group_of(task);
    if (group == kNone || place[group] == kNone) continue;
    std::vector<SpeculativeMember>& members = out.speculative_groups[place[group]].members;
    member_of_task[task] = static_cast<std::uint32_t>(members.size());
    members.push_back({.task = task,
                       .kernel = out.kernel_of_task[task],
                       .end = end_of_member(task, groups_[group]),
                       .work_ns = state_.tasks[task].work_ns});
  }
  add_inner_work(place, member_of_task);
  std::ranges::stable_sort(out.speculative_groups, {}, &SpeculativeGroup::begin_ns);
}

// What ran in groups within a member is that one's work as well. A scope has a higher index than the one around it.
void CancelledGroups::add_inner_work(const std::vector<std::uint32_t>& place,
                                     const std::vector<std::uint32_t>& member_of_task) {
  const std::vector<Scope>& scopes = state_.scopes;
  std::vector<std::int64_t> work_in_scope(scopes.size(), 0);
  for (std::uint32_t task = 0; task < state_.tasks.size(); ++task) {
    const TaskRecord& record = state_.tasks[task];
    if (!record.has(kImplicit) && record.scope != kNone) work_in_scope[record.scope] += record.work_ns;
  }
  for (std::size_t inner = scopes.size(); inner-- > 0;) {
    const Scope& scope = scopes[inner];
    if (work_in_scope[inner] == 0 || scope.outer == kNone || scope.owner == kNone) continue;
    work_in_scope[scope.outer] += work_in_scope[inner];
    const std::uint32_t group = scopes[scope.outer].group;
    const std::uint32_t member = member_of_task[scope.owner];
    if (group == kNone || place[group] == kNone || member == kNone || group_of(scope.owner) != group) continue;
    state_.out.speculative_groups[place[group]].members[member].inner_ns += work_in_scope[inner];
  }
}

}  // namespace foretask::graph
