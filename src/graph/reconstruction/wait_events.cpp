// SPDX-License-Identifier: Apache-2.0
#include "graph/reconstruction/wait_events.hpp"

#include <algorithm>

namespace foretask::graph {

void WaitEvents::begin_wait(std::uint32_t worker, FrameState state) {
  Frame* frame = state_.running_frame(worker);
  if (!frame) return;
  state_.close_strand(worker, Boundary::kWait);
  frame->state = state;
  ++state_.out.wait_tasks;
  TaskRecord& record = state_.tasks[frame->task];
  if (state == FrameState::kTaskwait) {
    record.set(kWaitsForChildren);
    if (record.live_children == 0) state_.count_ready(frame->task);
    return;
  }
  if (record.scope == kNone || state_.scopes[record.scope].owner != frame->task) return;
  Scope& scope = state_.scopes[record.scope];
  scope.waiting = true;
  if (scope.live == 0) state_.count_ready(frame->task);
}

WaitEvents::Idle WaitEvents::idle_of(std::uint32_t worker) const {
  return {state_.writer.idle_since_ns(worker), state_.writer.gap_ns(worker, 0, state_.now_ns),
          state_.workers[worker].boundary};
}

void WaitEvents::note_resume(std::uint32_t worker, const Idle& idle, std::int64_t ready_ns) {
  if (idle.since_ns < 0 || !state_.is_in_full_team(worker)) return;
  const std::int64_t gap = std::min(idle.net_ns, state_.now_ns - ready_ns);
  if (idle.behind == Boundary::kWait && ready_ns <= idle.since_ns) {
    state_.out.runtime.pass.add(gap);
  } else {
    state_.out.runtime.resume.add(gap);
    state_.note_speed(worker, gap, &analysis::TeamCosts::resume_ns);
  }
}

void WaitEvents::on_wait_end(std::uint32_t worker) {
  WorkerState& at = state_.workers[worker];
  if (!at.is_in(FrameState::kTaskwait)) {
    ++state_.out.anomalies;
    return;
  }
  Frame& frame = at.stack.back();
  TaskRecord& record = state_.tasks[frame.task];
  state_.uncount_ready(frame.task);
  record.clear(kWaitsForChildren);
  frame.state = FrameState::kRunning;
  const Idle idle = idle_of(worker);
  const NodeIndex strand = state_.open_strand(worker, frame.task, EdgeKind::kContinuation, Boundary::kWait);
  note_resume(worker, idle, state_.join_list(record.first_child, kNone, strand));
  record.first_child = kNone;
}

void WaitEvents::on_depend_wait_end(std::uint32_t worker, std::uint32_t task) {
  WorkerState& at = state_.workers[worker];
  if (!at.is_in(FrameState::kDependWait)) {
    ++state_.out.anomalies;
    return;
  }
  Frame& frame = at.stack.back();
  state_.uncount_ready(frame.task);
  frame.state = FrameState::kRunning;
  ++state_.out.wait_tasks;
  order_.release_awaited(task);
  const NodeIndex strand = state_.open_strand(worker, frame.task, EdgeKind::kContinuation);
  order_.add_dependence_edges(task, strand);
  TaskRecord& record = state_.tasks[task];
  // In a damaged trace the number may be that of a task.
  if (record.state != TaskState::kComplete && record.ran()) state_.kernels.add_task(record.kernel, record.work_ns);
  record.state = TaskState::kComplete;
  record.strand = strand;
  order_.complete(task);
}

void WaitEvents::on_group_begin(std::uint32_t worker) {
  Frame* frame = state_.running_frame(worker);
  if (!frame) return;
  TaskRecord& record = state_.tasks[frame->task];
  Scope scope;
  scope.outer = record.scope;
  scope.owner = frame->task;
  scope.children_mark = record.first_child;
  scope.group = groups_.begin();
  record.scope = state_.add_scope(scope);
}

void WaitEvents::on_group_end(std::uint32_t worker) {
  std::vector<Frame>& stack = state_.workers[worker].stack;
  if (stack.empty()) {
    ++state_.out.anomalies;
    return;
  }
  Frame& frame = stack.back();
  TaskRecord& record = state_.tasks[frame.task];
  if (record.scope == kNone || state_.scopes[record.scope].owner != frame.task) {
    ++state_.out.anomalies;
    return;
  }
  Scope& scope = state_.scopes[record.scope];
  groups_.leave(scope.group);
  if (state_.writer.current(worker) != kNoNode) state_.close_strand(worker);
  state_.release_list(record.first_child, scope.children_mark);
  state_.release_list(scope.orphans, kNone);
  state_.uncount_ready(frame.task);
  frame.state = FrameState::kRunning;
  const Idle idle = idle_of(worker);
  const NodeIndex strand = state_.open_strand(worker, frame.task, EdgeKind::kContinuation, Boundary::kWait);
  // The owner's children since the group began are first in its list, unless a taskwait has joined them.
  const std::uint32_t mark = scope.children_mark;
  const std::int64_t children_ns = state_.join_list(record.first_child, mark, strand);
  std::uint32_t rest = record.first_child;
  while (rest != kNone && rest != mark) rest = state_.tasks[rest].next_sibling;
  record.first_child = rest;
  note_resume(worker, idle, std::max(children_ns, state_.join_orphans(record.scope, strand)));
  record.scope = scope.outer;
}

}  // namespace foretask::graph
