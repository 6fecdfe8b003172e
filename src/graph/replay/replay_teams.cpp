// SPDX-License-Identifier: Apache-2.0
// Parallel regions, implicit tasks and barriers.
#include <algorithm>

#include "graph/replay/trace_replay.hpp"

namespace foretask::graph {

// Outside of parallel regions: the program's own thread, or one that it made itself.
void TraceReplay::begin_initial(std::uint32_t worker, std::uint32_t task, std::int64_t now_ns) {
  if (writer_.current(worker) != kNoNode) close_strand(worker);
  TaskRecord& record = tasks_[task];
  record.set(kImplicit);
  record.state = TaskState::kStarted;
  record.kernel = kernels_.number(KernelSite::Kind::kSerial, 0);
  record.scope = 0;
  workers_[worker].stack.push_back({task, kNone, 0, FrameState::kRunning});
  record.strand = writer_.open(worker, task, now_ns);
  note_integrals(worker);
  if (outside_strand_ != kNoNode) out_.edges.add(outside_strand_, record.strand, EdgeKind::kContinuation);
  outside_strand_ = kNoNode;
}

void TraceReplay::return_from_outside() {
  const std::uint32_t worker = outside_;
  outside_ = kNone;
  outside_strand_ = close_strand(worker);
  workers_[worker].stack.pop_back();
  complete(last_task_);
}

void TraceReplay::on_region_begin(std::uint32_t worker, std::uint64_t code) {
  Worker& state = workers_[worker];
  const std::uint32_t index = teams_.index(worker, state.next_region++);
  Frame* frame = running_frame(worker);
  Region& region = teams_[index];
  region.kernel = kernels_.number(KernelSite::Kind::kRegion, code);
  region.scope = static_cast<std::uint32_t>(scopes_.size());
  scopes_.emplace_back();
  if (!frame) return;
  region.parent = frame->task;
  region.fork_strand = close_strand(worker);
  frame->state = FrameState::kRegion;
}

void TraceReplay::on_implicit_begin(std::uint32_t worker, const std::uint32_t* payload) {
  Worker& state = workers_[worker];
  const std::uint32_t task = tasks_.index(worker, state.next_task++);
  if (payload[0] == FORETASK_INITIAL_REGION) {
    // The first stream's began with the program.
    if (tasks_[task].state == TaskState::kUnknown) begin_initial(worker, task, now_ns_);
    return;
  }
  const std::uint32_t index = teams_.index(payload[1], payload[0]);
  Region& region = teams_[index];
  if (region.scope == kNone) {
    // Its beginning was lost.
    region.scope = static_cast<std::uint32_t>(scopes_.size());
    scopes_.emplace_back();
    region.kernel = kernels_.number(KernelSite::Kind::kUnknown, 0);
    ++out_.anomalies;
  }
  region.team_size = std::max(region.team_size, payload[2]);
  const bool forked_here = !state.stack.empty() && state.stack.back().task == region.parent;
  if (forked_here && region.team_size > 1 && out_.team_start == kNoNode && region.fork_strand != kNoNode) {
    out_.team_start = region.fork_strand;
    out_.first_team_size = region.team_size;
    out_.team_start_ns = now_ns_ - out_.strands.end_ns[region.fork_strand];
  }
  if (writer_.current(worker) != kNoNode) close_strand(worker);
  TaskRecord& record = tasks_[task];
  record.set(kImplicit);
  record.state = TaskState::kStarted;
  record.kernel = region.kernel;
  record.scope = region.scope;
  record.strand = region.fork_strand;
  state.stack.push_back({task, index, static_cast<std::uint32_t>(region.members.size()), FrameState::kRunning});
  region.members.push_back({task, region.barriers_done, region.barriers_done});
  open_after(worker, task, EdgeKind::kCreate);
}

void TraceReplay::on_implicit_end(std::uint32_t worker, std::uint32_t task) {
  Worker& state = workers_[worker];
  if (state.stack.empty() || state.stack.back().task != task) {
    // A thread of a pool is told late that its region is over; the region's end has taken care of it.
    if (tasks_[task].state != TaskState::kComplete) ++out_.anomalies;
    return;
  }
  const bool initial = state.stack.size() == 1 && state.stack.back().region == kNone;
  // The program's end, in its first thread's initial task or, by exit(), in an explicit one, which libomp then ends as
  // if it were implicit. That task is not complete yet: what follows the runtime's end is its work as well.
  program_over_ = initial ? worker == main_worker_ : !tasks_[task].has(kImplicit);
  // Or another thread leaves OpenMP, and none is left in it: the program goes on outside, or ends.
  if (initial && !program_over_ && occupancy_.running() == 1 && writer_.current(worker) != kNoNode) outside_ = worker;
  if (program_over_ || outside_ != kNone) {
    last_task_ = task;
    out_.program_end_ns = now_ns_;
    return;
  }
  close_strand(worker);
  state.stack.pop_back();
  if (tasks_[task].state != TaskState::kComplete) complete(task);
}

void TraceReplay::add_time_after_end() {
  open_after(0, last_task_, EdgeKind::kContinuation);
  now_ns_ = exit_ns_;
  occupancy_.advance(now_ns_);
  close_strand(0);
}

void TraceReplay::on_barrier_begin(std::uint32_t worker) {
  Frame* frame = running_frame(worker);
  if (!frame || frame->member == kNone || frame->region == kNone) {
    if (frame) ++out_.anomalies;
    return;
  }
  Region& region = teams_[frame->region];
  if (region.ended) {
    ++out_.anomalies;
    return;
  }
  Member& member = region.members[frame->member];
  // A member that the team's size does not count may be behind.
  member.barriers_reached = std::max(member.barriers_reached, region.barriers_done);
  const std::uint32_t at = member.barriers_reached++ - region.barriers_done;
  while (region.barriers.size() <= at) region.barriers.emplace_back();
  region.barriers[at].arrived.push_back(close_strand(worker));
  frame->state = FrameState::kBarrier;
  ++out_.barriers;
}

// What comes after a barrier comes after every member's arrival and every task of the region.
void TraceReplay::make_barrier_node(Region& region, Barrier& barrier) {
  barrier.join_node = writer_.add_node_of_no_worker(region.members.front().task, now_ns_, now_ns_);
  for (const NodeIndex strand : barrier.arrived)
    if (strand != kNoNode) out_.edges.add(strand, barrier.join_node, EdgeKind::kJoin);
  for (const Member& member : region.members) {
    TaskRecord& record = tasks_[member.task];
    join_list(record.first_child, kNone, barrier.join_node);
    record.first_child = kNone;
  }
  Scope& scope = scopes_[region.scope];
  join_list(scope.orphans, kNone, barrier.join_node);
  scope.orphans = kNone;
}

void TraceReplay::on_barrier_end(std::uint32_t worker) {
  std::vector<Frame>& stack = workers_[worker].stack;
  if (stack.empty() || stack.back().state != FrameState::kBarrier) {
    // Late news of a region that is over.
    if (!stack.empty() && stack.back().member == kNone) ++out_.anomalies;
    return;
  }
  Frame& frame = stack.back();
  Region& region = teams_[frame.region];
  if (region.ended) return;
  Member& member = region.members[frame.member];
  member.barriers_left = std::max(member.barriers_left, region.barriers_done);
  const std::uint32_t at = member.barriers_left++ - region.barriers_done;
  frame.state = FrameState::kRunning;
  if (at >= region.barriers.size()) {
    ++out_.anomalies;
    open_after(worker, frame.task, EdgeKind::kContinuation);
    return;
  }
  Barrier& barrier = region.barriers[at];
  if (barrier.join_node == kNoNode) make_barrier_node(region, barrier);
  ++barrier.left;
  const NodeIndex join_node = barrier.join_node;
  while (!region.barriers.empty() && region.barriers.front().left >= region.team_size) {
    region.barriers.erase(region.barriers.begin());
    ++region.barriers_done;
  }
  const NodeIndex strand = open_after(worker, frame.task, EdgeKind::kContinuation);
  out_.edges.add(join_node, strand, EdgeKind::kJoin);
}

void TraceReplay::on_region_end(std::uint32_t worker, std::uint32_t index) {
  Worker& state = workers_[worker];
  Region& region = teams_[index];
  if (writer_.current(worker) != kNoNode) close_strand(worker);
  // The members that are told late stay on their workers' stacks until then.
  while (!state.stack.empty() && state.stack.back().region == index) state.stack.pop_back();
  region.ended = true;
  if (state.stack.empty()) {
    ++out_.anomalies;
    return;
  }
  for (const Member& member : region.members)
    if (tasks_[member.task].state != TaskState::kComplete) complete(member.task);
  Frame& frame = state.stack.back();
  frame.state = FrameState::kRunning;
  const NodeIndex strand = open_after(worker, frame.task, EdgeKind::kContinuation);
  for (const Member& member : region.members) {
    const NodeIndex last = tasks_[member.task].strand;
    if (last != kNoNode && last < strand) out_.edges.add(last, strand, EdgeKind::kJoin);
  }
  if (region.scope != kNone) {
    join_list(scopes_[region.scope].orphans, kNone, strand);
    scopes_[region.scope].orphans = kNone;
  }
  region.members = {};
  region.barriers = {};
}

}  // namespace foretask::graph
