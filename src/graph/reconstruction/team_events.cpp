// SPDX-License-Identifier: Apache-2.0
#include "graph/reconstruction/team_events.hpp"

#include <algorithm>
#include <utility>

namespace foretask::graph {

void TeamEvents::begin_initial(std::uint32_t worker, std::uint32_t task) {
  if (state_.writer.current(worker) != kNoNode) state_.close_strand(worker);
  TaskRecord& record = state_.tasks[task];
  record.set(kImplicit);
  record.state = TaskState::kStarted;
  record.kernel = state_.kernels.number(KernelSite::Kind::kSerial, 0);
  record.scope = 0;
  state_.workers[worker].stack.push_back({.task = task, .member = 0});
  if (submitters_ != 0) state_.writer.set_gives_way(worker, true);
  record.strand = std::exchange(outside_strand_, kNoNode);
  state_.open_strand(worker, task, EdgeKind::kContinuation);
}

void TeamEvents::on_thread_begin(std::uint32_t worker) {
  WorkerState& at = state_.workers[worker];
  // The last thread of all has left the frame that the program's time outside is in.
  if (!std::exchange(at.has_thread, true) || worker == outside_) return;
  for (Frame& frame : at.stack) loops_.leave(frame);
  state_.end_thread(worker);
}

void TeamEvents::return_from_outside() {
  const std::uint32_t worker = outside_;
  outside_ = kNone;
  outside_strand_ = state_.close_strand(worker);
  state_.workers[worker].stack.pop_back();
  tasks_.complete(last_task_);
}

void TeamEvents::on_region_begin(std::uint32_t worker, std::uint64_t code) {
  WorkerState& at = state_.workers[worker];
  const std::uint32_t index = state_.teams.index(worker, at.next_region++);
  Frame* frame = state_.running_frame(worker);
  Region& region = state_.teams[index];
  region.is_doubtful = region.first_phase != kNone;
  // Without code it is no construct of the program's: its members' own code is the program's.
  region.kernel = state_.kernels.number(code != 0 ? KernelSite::Kind::kRegion : KernelSite::Kind::kSerial, code);
  region.is_for_tasks = code == 0;
  state_.releases_early = state_.releases_early || code == 0;
  region.scope = state_.add_scope();
  region.costs_before_ns = state_.idle.sum(analysis::Cause::kRegionCosts);
  state_.set_starting(region, 1);
  if (!frame) return;
  state_.spoil_phase(*frame);
  region.parent = frame->task;
  region.fork_strand = state_.close_strand(worker);
  frame->state = FrameState::kRegion;
}

// Threads that submit tasks to a team and run none.
void TeamEvents::let_outside_give_way(bool gives_way) {
  for (std::uint32_t worker = 0; worker < state_.workers.size(); ++worker)
    if (!gives_way || state_.workers[worker].stack.size() <= 1) state_.writer.set_gives_way(worker, gives_way);
}

void TeamEvents::on_implicit_begin(std::uint32_t worker, const std::uint32_t* payload) {
  WorkerState& at = state_.workers[worker];
  const std::uint32_t task = state_.tasks.index(worker, at.next_task++);
  if (payload[0] == FORETASK_INITIAL_REGION) {
    // The first stream's began with the program.
    if (state_.tasks[task].state == TaskState::kUnknown) begin_initial(worker, task);
    return;
  }
  const std::uint32_t index = state_.teams.index(payload[1], payload[0]);
  Region& region = state_.teams[index];
  if (region.scope == kNone) {
    // Its beginning was lost.
    region.scope = state_.add_scope();
    region.kernel = state_.kernels.number(KernelSite::Kind::kUnknown, 0);
    region.is_doubtful = true;
    state_.count_anomaly();
  }
  region.team_size = std::max(region.team_size, payload[2]);
  const bool forked_here = !at.stack.empty() && at.stack.back().task == region.parent;
  if (forked_here && region.team_size > 1 && state_.out.team_start == kNoNode && region.fork_strand != kNoNode) {
    state_.out.team_start = region.fork_strand;
    state_.out.first_team_size = region.team_size;
    state_.out.team_start_ns = state_.now_ns - state_.out.strands.end_ns[region.fork_strand];
  }
  if (state_.writer.current(worker) != kNoNode) state_.close_strand(worker);
  TaskRecord& record = state_.tasks[task];
  record.set(kImplicit);
  record.state = TaskState::kStarted;
  record.kernel = region.kernel;
  record.scope = region.scope;
  record.strand = region.fork_strand;
  const bool runs_no_tasks = payload[3] == FORETASK_RUNS_NO_TASKS;
  if (runs_no_tasks) {
    region.is_for_tasks = true;
    state_.set_starting(region, 0);
    if (!std::exchange(region.has_submitter, true) && ++submitters_ == 1) let_outside_give_way(true);
  }
  if (region.first_phase == kNone) region.first_phase = state_.add_phase(index);
  state_.set_starting(region, region.members.empty() ? region.team_size - 1 : region.starting - (region.starting > 0));
  at.stack.push_back({.task = task,
                      .region = index,
                      .member = static_cast<std::uint32_t>(region.members.size()),
                      .phase = region.first_phase,
                      .thread = runs_no_tasks ? payload[2] : payload[3]});
  region.members.push_back({task, region.barriers_done, region.barriers_done});
  if (region.fork_strand != kNoNode && state_.out.team_start != region.fork_strand)
    note_gap(worker, state_.out.strands.end_ns[region.fork_strand], state_.out.runtime.fork);
  state_.writer.set_gives_way(worker, runs_no_tasks);
  state_.open_strand(worker, task, EdgeKind::kCreate);
}

void TeamEvents::on_implicit_end(std::uint32_t worker, std::uint32_t task) {
  WorkerState& at = state_.workers[worker];
  if (at.stack.empty() || at.stack.back().task != task) {
    // A thread of a pool is told late that its region is over; the region's end has taken care of it.
    if (state_.tasks[task].state != TaskState::kComplete) state_.count_anomaly();
    return;
  }
  const bool initial = at.stack.size() == 1 && at.stack.back().region == kNone;
  // The program's end, in its first thread's initial task or, by exit(), in an explicit one, which libomp then ends as
  // if it were implicit. That task is not complete yet: what follows the runtime's end is its work as well.
  // Where the first thread ends by itself (pthread_exit), others go on.
  program_over_ =
      initial ? worker == main_worker_ && last_use_ns_ <= state_.now_ns : !state_.tasks[task].has(kImplicit);
  // Or another thread leaves OpenMP, and none is left in it: the program goes on outside, or ends.
  if (initial && !program_over_ && state_.occupancy.running() == 1 && state_.writer.current(worker) != kNoNode)
    outside_ = worker;
  if (program_over_ || outside_ != kNone) {
    last_task_ = task;
    last_worker_ = worker;
    state_.out.program_end_ns = state_.now_ns;
    return;
  }
  state_.close_strand(worker);
  loops_.leave(at.stack.back());
  at.stack.pop_back();
  if (state_.tasks[task].state != TaskState::kComplete) tasks_.complete(task);
}

void TeamEvents::add_time_after_end(std::int64_t exit_ns) {
  if (last_task_ == kNone || exit_ns <= state_.now_ns) return;
  state_.open_strand(last_worker_, last_task_, EdgeKind::kContinuation);
  state_.now_ns = exit_ns;
  state_.advance();
  state_.close_strand(last_worker_);
}

void TeamEvents::on_barrier_begin(std::uint32_t worker) {
  Frame* frame = state_.running_frame(worker);
  if (!frame) return;
  if (frame->member == kNone) return state_.count_anomaly();
  if (frame->region == kNone) return;  // of a construct outside of regions, which one thread is enough for
  Region& region = state_.teams[frame->region];
  if (region.ended && region.is_for_tasks) {
    // A worker that came late.
    state_.close_strand(worker);
    frame->state = FrameState::kBarrier;
    return;
  }
  if (region.ended) return state_.count_anomaly();
  loops_.leave_cancelled(worker, *frame);
  Member& member = region.members[frame->member];
  // A member that the team's size does not count may be behind.
  member.barriers_reached = std::max(member.barriers_reached, region.barriers_done);
  const std::uint32_t at = member.barriers_reached++ - region.barriers_done;
  while (region.barriers.size() <= at) region.barriers.emplace_back();
  region.barriers[at].arrived.push_back(state_.close_strand(worker));
  frame->state = FrameState::kBarrier;
  ++state_.out.barriers;
}

// What comes after a barrier comes after every member's arrival and every task of the region.
void TeamEvents::make_barrier_node(Region& region, Barrier& barrier) {
  for (const Member& member : region.members) state_.release_list(state_.tasks[member.task].first_child, kNone);
  if (region.scope != kNone) state_.release_list(state_.scopes[region.scope].orphans, kNone);
  barrier.join_node = state_.writer.add_node_of_no_worker(region.members.front().task, state_.now_ns, state_.now_ns);
  std::int64_t& ready_ns = barrier.ready_ns;
  for (const NodeIndex strand : barrier.arrived) {
    if (strand == kNoNode) continue;
    state_.out.edges.add(strand, barrier.join_node, EdgeKind::kJoin);
    ready_ns = std::max(ready_ns, state_.out.strands.end_ns[strand]);
  }
  for (const Member& member : region.members) {
    TaskRecord& record = state_.tasks[member.task];
    ready_ns = std::max(ready_ns, state_.join_list(record.first_child, kNone, barrier.join_node));
    record.first_child = kNone;
  }
  ready_ns = std::max(ready_ns, state_.join_orphans(region.scope, barrier.join_node));
}

// The worker's implicit task goes on, which could so from `ready_ns` on.
void TeamEvents::note_gap(std::uint32_t worker, std::int64_t ready_ns, statistics::TimeHistogram& times) {
  const bool is_idle = state_.writer.idle_since_ns(worker) >= 0;
  if (is_idle && state_.is_in_full_team(worker)) times.add(state_.writer.gap_ns(worker, ready_ns, state_.now_ns));
}

void TeamEvents::on_barrier_end(std::uint32_t worker) {
  WorkerState& at = state_.workers[worker];
  if (!at.is_in(FrameState::kBarrier)) {
    // Late news of a region that is over.
    if (!at.stack.empty() && at.stack.back().member == kNone) state_.count_anomaly();
    return;
  }
  Frame& frame = at.stack.back();
  Region& region = state_.teams[frame.region];
  if (region.ended) return;
  Member& member = region.members[frame.member];
  member.barriers_left = std::max(member.barriers_left, region.barriers_done);
  const std::uint32_t number = member.barriers_left++ - region.barriers_done;
  frame.state = FrameState::kRunning;
  if (number >= region.barriers.size()) {
    state_.count_anomaly();
    state_.open_strand(worker, frame.task, EdgeKind::kContinuation);
    return;
  }
  Barrier& barrier = region.barriers[number];
  if (barrier.join_node == kNoNode) {
    make_barrier_node(region, barrier);
    barrier.next_phase = state_.add_phase(frame.region);
    region.has_tasks = false;
    state_.set_starting(region, region.team_size);
  }
  state_.set_starting(region, region.starting - (region.starting > 0));
  frame.phase = barrier.next_phase;
  ++barrier.left;
  const NodeIndex join_node = barrier.join_node;
  note_gap(worker, barrier.ready_ns, state_.out.runtime.barrier);
  while (!region.barriers.empty() && region.barriers.front().left >= region.team_size) {
    region.barriers.erase(region.barriers.begin());
    ++region.barriers_done;
  }
  const NodeIndex strand = state_.open_strand(worker, frame.task, EdgeKind::kContinuation);
  state_.out.edges.add(join_node, strand, EdgeKind::kJoin);
}

void TeamEvents::note_region_end(std::uint32_t worker, const Region& region) {
  if (state_.writer.idle_since_ns(worker) < 0) return;
  std::int64_t ready_ns = 0;
  for (const Member& member : region.members) {
    const NodeIndex last = state_.tasks[member.task].strand;
    if (last != kNoNode) ready_ns = std::max(ready_ns, state_.out.strands.end_ns[last]);
  }
  state_.out.runtime.barrier.add(state_.writer.gap_ns(worker, ready_ns, state_.now_ns));
}

void TeamEvents::on_region_end(std::uint32_t worker, std::uint32_t index) {
  WorkerState& at = state_.workers[worker];
  Region& region = state_.teams[index];
  if (state_.writer.current(worker) != kNoNode) state_.close_strand(worker);
  // The members that are told late stay on their workers' stacks until then.
  while (!at.stack.empty() && at.stack.back().region == index) {
    loops_.leave(at.stack.back());
    at.stack.pop_back();
  }
  region.ended = true;
  state_.set_starting(region, 0);
  const double costs_ns = state_.idle.sum(analysis::Cause::kRegionCosts) - region.costs_before_ns;
  state_.kernels.add_region(region.kernel, costs_ns);
  if (!at.stack.empty() && at.stack.back().region != kNone)
    state_.teams[at.stack.back().region].costs_before_ns += costs_ns;
  if (std::exchange(region.has_submitter, false) && --submitters_ == 0) let_outside_give_way(false);
  if (at.stack.empty()) return state_.count_anomaly();
  for (const Member& member : region.members)
    if (state_.tasks[member.task].state != TaskState::kComplete) tasks_.complete(member.task);
  Frame& frame = at.stack.back();
  frame.state = FrameState::kRunning;
  if (region.team_size == state_.out.workers) note_region_end(worker, region);
  const NodeIndex strand = state_.open_strand(worker, frame.task, EdgeKind::kContinuation);
  for (const Member& member : region.members) {
    const NodeIndex last = state_.tasks[member.task].strand;
    if (last != kNoNode && last < strand) state_.out.edges.add(last, strand, EdgeKind::kJoin);
  }
  if (region.scope != kNone) state_.join_orphans(region.scope, strand);
  region.members = {};
  region.barriers = {};
}

}  // namespace foretask::graph
