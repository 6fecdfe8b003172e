// SPDX-License-Identifier: Apache-2.0
// taskwait, taskgroup and locks.
#include "graph/replay/trace_replay.hpp"

namespace foretask::graph {
namespace {

// A lock that is taken within so long was free: the strand goes on and the time is not its own. Splitting at each would
// double the strands of a program that locks often and never waits.
constexpr std::int64_t kUncontendedNs = 2000;

}  // namespace

// Edges from the last strands of a list of tasks, up to but not including `end`.
void TraceReplay::join_list(std::uint32_t first, std::uint32_t end, NodeIndex into) {
  for (std::uint32_t task = first; task != kNone && task != end; task = tasks_[task].next_sibling) {
    const TaskRecord& record = tasks_[task];
    if (record.state == TaskState::kComplete && record.strand < into) {
      out_.edges.add(record.strand, into, EdgeKind::kJoin);
    } else {
      ++out_.anomalies;
    }
  }
}

void TraceReplay::begin_wait(std::uint32_t worker, FrameState state) {
  Frame* frame = running_frame(worker);
  if (!frame) return;
  close_strand(worker);
  frame->state = state;
  TaskRecord& record = tasks_[frame->task];
  if (state == FrameState::kTaskwait) {
    ++out_.wait_tasks;
    record.set(kWaitsForChildren);
    if (record.live_children == 0) count_ready(frame->task);
    return;
  }
  ++out_.wait_tasks;
  if (record.scope == kNone || scopes_[record.scope].owner != frame->task) return;
  Scope& scope = scopes_[record.scope];
  scope.waiting = true;
  if (scope.live == 0) count_ready(frame->task);
}

void TraceReplay::on_wait_end(std::uint32_t worker) {
  std::vector<Frame>& stack = workers_[worker].stack;
  if (stack.empty() || stack.back().state != FrameState::kTaskwait) {
    ++out_.anomalies;
    return;
  }
  Frame& frame = stack.back();
  TaskRecord& record = tasks_[frame.task];
  uncount_ready(frame.task);
  record.clear(kWaitsForChildren);
  frame.state = FrameState::kRunning;
  const NodeIndex strand = open_after(worker, frame.task, EdgeKind::kContinuation);
  join_list(record.first_child, kNone, strand);
  record.first_child = kNone;
}

void TraceReplay::on_depend_wait_end(std::uint32_t worker, std::uint32_t task) {
  std::vector<Frame>& stack = workers_[worker].stack;
  if (stack.empty() || stack.back().state != FrameState::kDependWait) {
    ++out_.anomalies;
    return;
  }
  Frame& frame = stack.back();
  uncount_ready(frame.task);
  frame.state = FrameState::kRunning;
  ++out_.wait_tasks;
  const NodeIndex strand = open_after(worker, frame.task, EdgeKind::kContinuation);
  add_dependence_edges(task, strand);
  TaskRecord& record = tasks_[task];
  // In a damaged trace the number may be that of a task.
  if (record.state != TaskState::kComplete && record.ran()) kernels_.add_task(record.kernel, record.work_ns);
  record.state = TaskState::kComplete;
  record.strand = strand;
  dependences_.complete(task, now_ns_, [this](std::uint32_t other) {
    if (tasks_[other].state == TaskState::kCreated) count_ready(other);
  });
}

void TraceReplay::on_group_begin(std::uint32_t worker) {
  Frame* frame = running_frame(worker);
  if (!frame) return;
  TaskRecord& record = tasks_[frame->task];
  Scope scope;
  scope.outer = record.scope;
  scope.owner = frame->task;
  scope.children_mark = record.first_child;
  if (says_who_cancels_) {
    scope.group = static_cast<std::uint32_t>(groups_.size());
    groups_.push_back({.begin_ns = now_ns_});
  }
  record.scope = static_cast<std::uint32_t>(scopes_.size());
  scopes_.push_back(scope);
}

void TraceReplay::on_group_end(std::uint32_t worker) {
  std::vector<Frame>& stack = workers_[worker].stack;
  if (stack.empty()) {
    ++out_.anomalies;
    return;
  }
  Frame& frame = stack.back();
  TaskRecord& record = tasks_[frame.task];
  if (record.scope == kNone || scopes_[record.scope].owner != frame.task) {
    ++out_.anomalies;
    return;
  }
  Scope& scope = scopes_[record.scope];
  if (scope.group != kNone) groups_[scope.group].left_ns = now_ns_;
  if (writer_.current(worker) != kNoNode) close_strand(worker);
  uncount_ready(frame.task);
  frame.state = FrameState::kRunning;
  const NodeIndex strand = open_after(worker, frame.task, EdgeKind::kContinuation);
  // The owner's children since the group began are first in its list, unless a taskwait has joined them.
  const std::uint32_t mark = scope.children_mark;
  join_list(record.first_child, mark, strand);
  std::uint32_t rest = record.first_child;
  while (rest != kNone && rest != mark) rest = tasks_[rest].next_sibling;
  record.first_child = rest;
  join_list(scope.orphans, kNone, strand);
  scope.orphans = kNone;
  record.scope = scope.outer;
}

void TraceReplay::on_lock_wait(std::uint32_t worker) {
  Frame* frame = running_frame(worker);
  if (!frame) return;
  Worker& state = workers_[worker];
  state.lock_since_ns = now_ns_;
  state.lock_strand = close_strand(worker);
  frame->state = FrameState::kLock;
}

void TraceReplay::on_lock_acquired(std::uint32_t worker) {
  Worker& state = workers_[worker];
  if (state.stack.empty() || state.stack.back().state != FrameState::kLock) return;
  Frame& frame = state.stack.back();
  frame.state = FrameState::kRunning;
  const std::int64_t waited = now_ns_ - state.lock_since_ns;
  out_.blocked_ns += waited;
  if (waited < kUncontendedNs && state.lock_strand != kNoNode && tasks_[frame.task].strand == state.lock_strand) {
    tasks_[frame.task].work_ns -= out_.strands.duration_ns[state.lock_strand];
    writer_.reopen(worker, state.lock_strand, state.lock_since_ns, now_ns_);
    note_integrals(worker);
  } else {
    open_after(worker, frame.task, EdgeKind::kContinuation);
  }
  state.lock_strand = kNoNode;
}

}  // namespace foretask::graph
