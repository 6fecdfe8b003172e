// SPDX-License-Identifier: Apache-2.0
#include "graph/reconstruction/lock_events.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace foretask::graph {
namespace {

using analysis::LockHold;

// A program may have a lock for each of its objects. Those that matter to its time are few.
constexpr std::size_t kMostLocks = 64;

// Of a thread at one time. More were released by other threads, or their releases were lost.
constexpr std::size_t kMostHeld = 64;

// After a wait as short the strand goes on. Splitting at each would double the strands of a program that locks often.
constexpr std::int64_t kShortWaitNs = 2000;

}  // namespace

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
  const auto held =
      std::find_if(thread.held.begin(), thread.held.end(), [id](const Held& one) { return one.lock == id; });
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
  const auto held =
      std::find_if(thread.held.begin(), thread.held.end(), [id](const Held& one) { return one.lock == id; });
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
  auto hold = std::find_if(lock.holds.begin(), lock.holds.end(),
                           [kernel](const Hold& one) { return one.sums.kernel == kernel; });
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

}  // namespace foretask::graph
