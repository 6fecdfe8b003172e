// SPDX-License-Identifier: Apache-2.0
// HOT: the second half of an instant under work stealing: what the workers without work do. Included by
// work_stealing.cpp alone.
#pragma once

#include <algorithm>

#include "simulate/stealing/work_stealing.hpp"

namespace foretask::simulate {

// Deques or workers looked at before giving up: keeps a decision constant-time on thousands of workers. On up to as
// many workers nothing is missed.
inline constexpr std::uint32_t kMaxProbes = 64;

template <bool kRecording>
void WorkStealing<kRecording>::decide() {
  for (const std::uint32_t worker : deciding_) {
    if (!take_own(worker)) looking_.push_back(worker);
  }
  deciding_.clear();
  for (const std::uint32_t worker : looking_) {
    if (!steal(worker)) become_idle(worker);
  }
  looking_.clear();
  while (!changed_.empty()) {
    const std::uint32_t victim = changed_[changed_.size() - 1];
    changed_.erase(victim);
    offer(victim);
  }
}

template <bool kRecording>
bool WorkStealing<kRecording>::take_own(std::uint32_t worker) {
  if (resume(worker, false)) return true;
  NodeDeque& deque = workers_[worker].deque;
  if (deque.empty() || !is_allowed(deque.bottom(), constraint_of(worker))) return false;
  const NodeIndex node = deque.pop_bottom();
  if (deque.empty()) loaded_.erase(worker);
  begin(worker, node, costs_.dispatch_ns);
  return true;
}

// Goes on with the innermost continuation that waits for nothing. What waits for an explicit task's children keeps all
// below it on the stack.
template <bool kRecording>
bool WorkStealing<kRecording>::resume(std::uint32_t worker, bool from_any_depth) {
  Worker& self = workers_[worker];
  if (self.resumable == 0) return false;
  for (std::size_t depth = self.suspended.size(); depth-- > 0;) {
    const Suspended& entry = self.suspended[depth];
    if (pending_.none(entry.continuation)) {
      const NodeIndex node = entry.continuation;
      self.suspended.erase(self.suspended.begin() + static_cast<std::ptrdiff_t>(depth));
      --self.resumable;
      begin(worker, node, 0);
      return true;
    }
    if (!from_any_depth && !entry.is_implicit) return false;
  }
  return false;
}

template <bool kRecording>
bool WorkStealing<kRecording>::steal(std::uint32_t thief) {
  const std::uint32_t victims = loaded_.size();
  if (victims == 0) return false;
  const Constraint constraint = constraint_of(thief);
  std::uint32_t place = random_.below(victims);
  for (std::uint32_t probes = std::min(victims, kMaxProbes); probes > 0; --probes) {
    const std::uint32_t victim = loaded_[place];
    if (victim != thief && is_allowed(workers_[victim].deque.top(), constraint)) {
      take_from(victim, thief);
      changed_.insert(victim);
      return true;
    }
    place = place + 1 == victims ? 0 : place + 1;
  }
  return false;
}

template <bool kRecording>
void WorkStealing<kRecording>::take_from(std::uint32_t victim, std::uint32_t thief) {
  NodeDeque& deque = workers_[victim].deque;
  const NodeIndex node = deque.pop_top();
  if (deque.empty()) loaded_.erase(victim);
  begin(thief, node, costs_.steal_ns);
}

// Gives from the top of a deque to idle workers while they may take what is there.
template <bool kRecording>
void WorkStealing<kRecording>::offer(std::uint32_t victim) {
  while (!workers_[victim].deque.empty()) {
    const std::uint32_t thief = idle_worker_for(workers_[victim].deque.top());
    if (thief == kNoWorker) return;
    free_.erase(thief);
    waiting_.erase(thief);
    take_from(victim, thief);
  }
}

template <bool kRecording>
std::uint32_t WorkStealing<kRecording>::idle_worker_for(NodeIndex node) {
  if (!free_.empty()) return free_[free_.size() - 1];
  if (waiting_.size() <= kMaxProbes) {
    for (std::uint32_t place = 0; place < waiting_.size(); ++place) {
      if (is_allowed(node, constraint_of(waiting_[place]))) return waiting_[place];
    }
    return kNoWorker;
  }
  // Many wait: the node's own ancestors are fewer.
  std::uint32_t ancestor = graph_.task_of_node[node];
  for (std::uint32_t probes = kMaxProbes; probes > 0; --probes) {
    ancestor = graph_.parent_of_task[ancestor];
    if (ancestor == analysis::kNoNode) break;
    const std::uint32_t worker = home_[ancestor];
    if (worker != kNoWorker && waiting_.contains(worker) && is_allowed(node, constraint_of(worker))) return worker;
  }
  return kNoWorker;
}

// `cost_ns` passes before the node starts.
template <bool kRecording>
void WorkStealing<kRecording>::begin(std::uint32_t worker, NodeIndex node, std::int64_t cost_ns) {
  const std::int64_t start_ns = now_ns_ + cost_ns;
  std::int64_t end_ns = start_ns + duration_ns_[node];
  if (creates_.size() != 0) end_ns += creates_[node] * costs_.create_ns;
  if (node == graph_.team_start) [[unlikely]]
    end_ns += team_start_ns_;
  if (schedule_ != nullptr) schedule_[node] = {start_ns, end_ns, worker};
  finishes_.push({end_ns, node, worker});
}

// No worker runs, but nodes are left: the rule that keeps a worker from what it could do is dropped once. The runs
// that recordings come from had more threads to get round it with.
template <bool kRecording>
bool WorkStealing<kRecording>::break_stall() {
  for (std::uint32_t worker = 0; worker < workers_.size(); ++worker) {
    if (workers_[worker].resumable == 0) continue;
    free_.erase(worker);
    waiting_.erase(worker);
    if (resume(worker, true)) return true;
  }
  if (loaded_.empty()) return false;
  const std::uint32_t worker = loaded_[0];
  free_.erase(worker);
  waiting_.erase(worker);
  NodeDeque& deque = workers_[worker].deque;
  const NodeIndex node = deque.pop_bottom();
  if (deque.empty()) loaded_.erase(worker);
  begin(worker, node, costs_.dispatch_ns);
  return true;
}

template <bool kRecording>
void WorkStealing<kRecording>::become_idle(std::uint32_t worker) {
  if (constraint_of(worker).binds) {
    waiting_.insert(worker);
  } else {
    free_.insert(worker);
  }
}

template <bool kRecording>
auto WorkStealing<kRecording>::constraint_of(std::uint32_t worker) const noexcept -> Constraint {
  const auto& suspended = workers_[worker].suspended;
  return suspended.empty() ? Constraint{} : suspended.back().constraint;
}

// OpenMP's task scheduling constraint: a worker on which a tied task waits may start descendants of that task alone.
// It says nothing of untied tasks, nor of implicit ones.
template <bool kRecording>
bool WorkStealing<kRecording>::is_allowed(NodeIndex node, const Constraint& constraint) const noexcept {
  if constexpr (kRecording) {
    if (!constraint.binds) return true;
    const std::uint32_t task = graph_.task_of_node[node];
    if (constraint.task.holds_below_its_root(tree_->place(task))) return true;
    return !is_tied(task) || graph_.parent_of_task[task] == analysis::kNoNode;
  }
  return true;
}

}  // namespace foretask::simulate
