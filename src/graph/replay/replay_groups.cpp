// SPDX-License-Identifier: Apache-2.0
// Cancelled taskgroups: who ended them, and what became of their tasks.
#include <algorithm>

#include "graph/replay/trace_replay.hpp"

namespace foretask::graph {

void TraceReplay::on_cancel_request(std::uint32_t worker, std::uint32_t what) {
  if (!(what & FORETASK_CANCEL_TASKGROUP)) return;
  const Frame* frame = running_frame(worker);
  if (!frame) return;
  TaskRecord& record = tasks_[frame->task];
  record.note((what & FORETASK_CANCEL_ACTIVATED) ? kAsksForCancel : kFindsCancelled);
  if (!(what & FORETASK_CANCEL_ACTIVATED) || record.scope == kNone) return;
  const std::uint32_t group = scopes_[record.scope].group;
  if (group == kNone || groups_[group].cancel_ns >= 0) return;
  groups_[group].cancel_ns = now_ns_;
  groups_[group].winner = frame->task;
}

MemberEnd TraceReplay::end_of_member(std::uint32_t task, const Group& group) {
  const TaskRecord& record = tasks_[task];
  if (task == group.winner) return MemberEnd::kWon;
  if (record.is(kAsksForCancel)) return MemberEnd::kAlsoFound;
  if (record.is(kDiscarded) || record.state == TaskState::kCreated || record.state == TaskState::kUnknown)
    return MemberEnd::kNeverRan;
  if (record.is(kFindsCancelled) || record.state != TaskState::kComplete) return MemberEnd::kCutShort;
  return MemberEnd::kEnded;
}

// A group belongs to the first of its tasks' kernels by whose tasks any group was cancelled; those with none are no
// or-parallel sections.
void TraceReplay::add_speculative_groups() {
  const auto count = static_cast<std::uint32_t>(tasks_.size());
  std::vector<std::uint8_t> searches(out_.kernels.size(), 0);
  for (const Group& group : groups_)
    if (group.winner != kNone) searches[out_.kernel_of_task[group.winner]] = 1;
  const auto group_of = [this](std::uint32_t task) {
    const TaskRecord& record = tasks_[task];
    const bool is_member =
        record.scope != kNone && !record.has(kImplicit) && !record.has(kPseudo) && scopes_[record.scope].owner != task;
    return is_member ? scopes_[record.scope].group : kNone;
  };
  std::vector<std::uint32_t> place(groups_.size(), kNone);
  for (std::uint32_t task = 0; task < count; ++task) {
    const std::uint32_t group = group_of(task);
    if (group == kNone || place[group] != kNone || !searches[out_.kernel_of_task[task]]) continue;
    place[group] = static_cast<std::uint32_t>(out_.speculative_groups.size());
    out_.speculative_groups.push_back({.kernel = out_.kernel_of_task[task],
                                       .begin_ns = groups_[group].begin_ns,
                                       .cancel_ns = groups_[group].cancel_ns,
                                       .left_ns = groups_[group].left_ns,
                                       .members = {}});
  }
  if (out_.speculative_groups.empty()) return;
  std::vector<std::uint32_t> member_of_task(count, kNone);
  for (std::uint32_t task = 0; task < count; ++task) {
    const std::uint32_t group = group_of(task);
    if (group == kNone || place[group] == kNone) continue;
    std::vector<SpeculativeMember>& members = out_.speculative_groups[place[group]].members;
    member_of_task[task] = static_cast<std::uint32_t>(members.size());
    members.push_back({.task = task,
                       .kernel = out_.kernel_of_task[task],
                       .end = end_of_member(task, groups_[group]),
                       .work_ns = tasks_[task].work_ns});
  }
  // What ran in groups within a member is that one's work as well. A scope has a higher index than the one around it.
  std::vector<std::int64_t> work_in_scope(scopes_.size(), 0);
  for (std::uint32_t task = 0; task < count; ++task)
    if (!tasks_[task].has(kImplicit) && tasks_[task].scope != kNone)
      work_in_scope[tasks_[task].scope] += tasks_[task].work_ns;
  for (std::size_t inner = scopes_.size(); inner-- > 0;) {
    const Scope& scope = scopes_[inner];
    if (work_in_scope[inner] == 0 || scope.outer == kNone || scope.owner == kNone) continue;
    work_in_scope[scope.outer] += work_in_scope[inner];
    const std::uint32_t group = scopes_[scope.outer].group;
    const std::uint32_t member = member_of_task[scope.owner];
    if (group == kNone || place[group] == kNone || member == kNone || group_of(scope.owner) != group) continue;
    out_.speculative_groups[place[group]].members[member].inner_ns += work_in_scope[inner];
  }
  std::stable_sort(out_.speculative_groups.begin(), out_.speculative_groups.end(),
                   [](const auto& a, const auto& b) { return a.begin_ns < b.begin_ns; });
}

// Where a recording does not say who cancelled, all that ended with their group may have been cut short. What was in
// work when the recording ended would have taken longer as well.
void TraceReplay::mark_cut_tasks() {
  if (!has_cut_tasks_ && out_.unfinished_tasks == 0) return;
  const CancelBit cut = says_who_cancels_ ? kFindsCancelled : kEndsCancelled;
  for (std::uint32_t task = 0; task < tasks_.size(); ++task) {
    const TaskRecord& record = tasks_[task];
    const bool is_unfinished = record.state != TaskState::kComplete && record.ran() && !record.has(kImplicit);
    const bool is_cut = record.is(cut) && !record.is(kAsksForCancel);
    if (!is_unfinished && !is_cut) continue;
    out_.task_is_cut.resize(tasks_.size(), 0);
    out_.task_is_cut[task] = 1;
  }
}

}  // namespace foretask::graph
