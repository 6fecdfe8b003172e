// SPDX-License-Identifier: Apache-2.0
#include "graph/reconstruction/wait_events.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace foretask::graph {
namespace {

using analysis::LockHold;

// A program may have a lock for each of its objects. Those that matter to its time are few.
constexpr std::size_t kMostLocks = 64;

// Of a thread at one time. More were released by other threads, or their releases were lost.
constexpr std::size_t kMostHeld = 64;

// After a wait as short the strand goes on. Splitting at each would double the strands of a program that locks often.
constexpr std::int64_t kShortWaitNs = 2000;

using trace::u64_at;

Message message_of(const std::uint32_t* payload) {
  Message message;
  message.peer = payload[0];
  message.tag = payload[1];
  message.communicator = u64_at(payload + 2);
  message.bytes = u64_at(payload + 4);
  return message;
}

}  // namespace

void WaitEvents::begin_wait(std::uint32_t worker, FrameState state) {
  Frame* frame = state_.running_frame(worker);
  if (!frame) return;
  state_.close_strand(worker, Boundary::kWait);
  state_.taskloop_of.erase(frame->task);
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
  if (!at.is_in(FrameState::kTaskwait)) return state_.count_anomaly();
  Frame& frame = at.stack.back();
  TaskRecord& record = state_.tasks[frame.task];
  state_.uncount_ready(frame.task);
  record.clear(kWaitsForChildren);
  frame.state = FrameState::kRunning;
  state_.release_list(record.first_child, kNone);
  const Idle idle = idle_of(worker);
  const NodeIndex strand = state_.open_strand(worker, frame.task, EdgeKind::kContinuation, Boundary::kWait);
  note_resume(worker, idle, state_.join_list(record.first_child, kNone, strand));
  record.first_child = kNone;
}

void WaitEvents::on_depend_wait_end(std::uint32_t worker, std::uint32_t task) {
  WorkerState& at = state_.workers[worker];
  if (!at.is_in(FrameState::kDependWait)) return state_.count_anomaly();
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
  if (stack.empty()) return state_.count_anomaly();
  Frame& frame = stack.back();
  TaskRecord& record = state_.tasks[frame.task];
  if (record.scope == kNone || state_.scopes[record.scope].owner != frame.task) return state_.count_anomaly();
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

// How long the strands of the frame on top have run, without probes: it stands while its task waits for anything.
double LockEvents::clock_ns(std::uint32_t worker) const {
  const WorkerState& at = state_.workers[worker];
  const bool runs = state_.writer.current(worker) != kNoNode;
  return at.stack.back().elapsed_ns + (runs ? state_.occupancy.elapsed_ns() - at.elapsed_ns : 0);
}

void LockEvents::wait(std::uint32_t worker) {
  threads_[worker].wait_since_ns = state_.now_ns;
  state_.pause(worker, FrameState::kLock);
}

void LockEvents::on_wait(std::uint32_t worker, std::uint64_t id, bool has_turns) {
  Thread& thread = threads_[worker];
  Lock& lock = locks_[id];
  // A damaged trace may have lost what ended the wait before.
  if (std::exchange(thread.is_first_to_want, false)) --locks_[thread.wanted].first_to_want;
  thread.wanted = id;
  if (has_turns || lock.holders != 0) return wait(worker);
  thread.wait_since_ns = state_.now_ns;
  thread.is_first_to_want = true;
  ++lock.first_to_want;
}

void LockEvents::on_acquired(std::uint32_t worker, std::uint64_t id) {
  Thread& thread = threads_[worker];
  Lock& lock = locks_[id];
  std::int64_t waited_ns = 0;
  if (std::exchange(thread.is_first_to_want, false)) --locks_[thread.wanted].first_to_want;
  if (state_.workers[worker].is_in(FrameState::kLock) && thread.wait_since_ns >= 0) {
    waited_ns = state_.now_ns - thread.wait_since_ns;
    state_.end_pause(worker, waited_ns >= kShortWaitNs);
  }
  thread.wait_since_ns = -1;
  const auto held = thread.find(id);
  if (held != thread.held.end()) {
    ++held->depth;
    return;
  }
  const std::vector<Frame>& stack = state_.workers[worker].stack;
  if (stack.empty()) return;
  if (thread.held.size() == kMostHeld) {
    --locks_[thread.held.front().lock].holders;
    thread.held.erase(thread.held.begin());
  }
  thread.held.push_back({.lock = id, .task = stack.back().task, .since_ns = clock_ns(worker), .waited_ns = waited_ns});
  ++lock.holders;
  // Others wanted it while it was free, and wait from here on.
  for (std::uint32_t other = 0; lock.first_to_want != 0 && other < threads_.size(); ++other) {
    if (!threads_[other].is_first_to_want || threads_[other].wanted != id) continue;
    threads_[other].is_first_to_want = false;
    --lock.first_to_want;
    wait(other);
  }
}

void LockEvents::on_released(std::uint32_t worker, std::uint64_t id) {
  Thread& thread = threads_[worker];
  const auto held = thread.find(id);
  if (held == thread.held.end() || --held->depth > 0) return;
  const Held done = *held;
  thread.held.erase(held);
  Lock& lock = locks_[id];
  --lock.holders;
  const std::uint32_t before = std::exchange(lock.latest_holder, worker);
  const std::vector<Frame>& stack = state_.workers[worker].stack;
  // Released by another task than took it: how long it was held is not known.
  if (stack.empty() || stack.back().task != done.task) return;
  const Frame& frame = stack.back();
  const std::uint32_t task = frame.share != kNone ? frame.share : frame.task;
  const std::uint32_t kernel = state_.tasks[task].kernel;
  auto hold = std::ranges::find(lock.holds, kernel, [](const Hold& one) { return one.sums.kernel; });
  if (hold == lock.holds.end()) hold = lock.holds.insert(hold, {.sums = {.kernel = kernel}, .task = task});
  ++hold->sums.times;
  if (before != kNone && before != worker) ++hold->sums.handed_on;
  hold->sums.held_ns += std::llround(std::max(0.0, clock_ns(worker) - done.since_ns));
  hold->sums.waited_ns += done.waited_ns;
}

std::vector<LockHold> LockEvents::finish() const {
  std::vector<std::pair<std::int64_t, std::uint64_t>> order;  // held in all, which
  order.reserve(locks_.size());
  for (const auto& [id, lock] : locks_) {
    if (lock.holds.empty()) continue;
    std::int64_t held_ns = 0;
    for (const Hold& one : lock.holds) held_ns += one.sums.held_ns;
    order.emplace_back(held_ns, id);
  }
  std::sort(order.begin(), order.end(), std::greater<>());
  if (order.size() > kMostLocks) order.resize(kMostLocks);
  std::vector<LockHold> all;
  for (std::uint32_t number = 0; number < order.size(); ++number) {
    std::vector<LockHold> holds;
    for (const Hold& one : locks_.at(order[number].second).holds) {
      holds.push_back(one.sums);
      holds.back().kernel = state_.tasks[one.task].kernel;
    }
    std::sort(holds.begin(), holds.end(), [](const LockHold& a, const LockHold& b) { return a.held_ns > b.held_ns; });
    for (LockHold& one : holds) {
      one.lock = number;
      all.push_back(one);
    }
  }
  return all;
}

MessageEvents::Call* MessageEvents::call_of(std::uint32_t worker) {
  if (!state_.workers[worker].is_in(FrameState::kBlocked)) {
    state_.count_anomaly();
    return nullptr;
  }
  calls_[worker].splits_strand = true;
  return &calls_[worker];
}

void MessageEvents::on_block_begin(std::uint32_t worker) {
  if (!state_.pause(worker, FrameState::kBlocked)) return;
  state_.spoil_phase(state_.workers[worker].stack.back());
  calls_[worker].splits_strand = false;
}

// Where nothing came or went the strand goes on after the call.
void MessageEvents::on_block_end(std::uint32_t worker) {
  const WorkerState& state = state_.workers[worker];
  if (!state.is_in(FrameState::kBlocked)) {
    if (!state.stack.empty()) state_.count_anomaly();
    return;
  }
  Call& call = calls_[worker];
  const NodeIndex strand = state_.end_pause(worker, call.splits_strand);
  for (const std::size_t message : call.arrivals) state_.out.messages.received[message].strand = strand;
  for (const std::size_t part : call.departures) state_.out.messages.collectives[part].leave = strand;
  call.arrivals.clear();
  call.departures.clear();
}

void MessageEvents::on_sent(std::uint32_t worker, const std::uint32_t* payload) {
  if (!call_of(worker)) return;
  Message message = message_of(payload);
  message.strand = state_.workers[worker].stack.back().paused_strand;
  state_.out.messages.sent.push_back(message);
}

void MessageEvents::on_received(std::uint32_t worker, const std::uint32_t* payload) {
  Call* call = call_of(worker);
  if (!call) return;
  Message message = message_of(payload);
  message.posted = payload[6];
  call->arrivals.push_back(state_.out.messages.received.size());
  state_.out.messages.received.push_back(message);
}

void MessageEvents::on_collective_enter(std::uint32_t worker, const std::uint32_t* payload) {
  if (!call_of(worker)) return;
  CollectivePart part;
  part.enter = state_.workers[worker].stack.back().paused_strand;
  part.communicator = u64_at(payload);
  part.number = payload[2];
  part.kind = payload[3];
  part.own_rank = payload[4];
  part.root = payload[5];
  part.size = payload[6];
  part.bytes = u64_at(payload + 7);
  open_collectives_[{part.communicator, part.number}] = state_.out.messages.collectives.size();
  state_.out.messages.collectives.push_back(part);
}

void MessageEvents::on_collective_leave(std::uint32_t worker, const std::uint32_t* payload) {
  const auto found = open_collectives_.find({u64_at(payload), payload[2]});
  if (found == open_collectives_.end()) return state_.count_anomaly();
  Call* call = call_of(worker);
  if (!call) return;
  call->departures.push_back(found->second);
  open_collectives_.erase(found);
}

}  // namespace foretask::graph
