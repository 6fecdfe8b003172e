// SPDX-License-Identifier: Apache-2.0
// HOT: the first half of an instant under work stealing: what ends, and what becomes ready by it. Included by
// work_stealing.cpp alone.
#pragma once

#include <algorithm>
#include <numeric>

#include "simulate/stealing/work_stealing.hpp"

namespace foretask::simulate {

template <bool kRecording>
WorkStealing<kRecording>::WorkStealing(const analysis::TaskGraph& graph, const analysis::SimulationOptions& options,
                                       std::span<const std::int64_t> duration_ns, PendingCounts& pending,
                                       const TaskTree* tree, std::span<analysis::ScheduledNode> schedule)
    : graph_(graph),
      costs_(options.costs),
      duration_ns_(duration_ns.data()),
      release_ns_(graph.release_ns.empty() ? nullptr : graph.release_ns.data()),
      cores_(graph.cores.empty() ? nullptr : graph.cores.data()),
      pending_(pending),
      tree_(tree),
      schedule_(schedule.empty() ? nullptr : schedule.data()),
      random_(options.seed),
      workers_(std::clamp<std::size_t>(graph.size(), 1, std::min(options.cores, kDetached - 1))),
      free_(workers_.size()),
      waiting_(workers_.size()),
      loaded_(workers_.size()),
      changed_(workers_.size()),
      home_(graph.parent_of_task.size(), kNoWorker) {
  if (kRecording && costs_.create_ns != 0) count_creations();
  if (graph.team_start == analysis::kNoNode) return;
  // What fewer threads would save is in the recorded strands, and stays there: less than the work itself is no time.
  const std::int64_t more = std::int64_t{options.cores} - std::int64_t{costs_.recorded_workers};
  team_start_ns_ = std::max<std::int64_t>(more, 0) * costs_.thread_ns;
}

// An implicit task is the runtime's to make: it costs the strand nothing.
template <bool kRecording>
void WorkStealing<kRecording>::count_creations() {
  constexpr std::uint8_t kMost = 255;  // a strand ends at its first creation: one is what recordings have
  creates_ = PageArray<std::uint8_t>(graph_.size());
  for (NodeIndex node = 0; node < graph_.size(); ++node) {
    for (std::uint64_t e = graph_.first_successor[node]; e < graph_.first_successor[node + 1]; ++e) {
      if (graph_.edge_kind[e] != analysis::EdgeKind::kCreate) continue;
      const std::uint32_t child = graph_.task_of_node[graph_.successors[e]];
      if (graph_.parent_of_task[child] != analysis::kNoNode && creates_[node] < kMost) ++creates_[node];
    }
  }
}

template <bool kRecording>
Replay WorkStealing<kRecording>::run() {
  const auto count = static_cast<NodeIndex>(graph_.size());
  for (NodeIndex node = 0; node < count; ++node) {
    if (pending_.none(node)) release(node, 0);
  }
  deciding_.resize(workers_.size());
  std::iota(deciding_.begin(), deciding_.end(), 0U);
  for (;;) {
    handle_instant();
    decide();
    if (!finishes_.empty() || !releases_.empty()) {
      now_ns_ = static_cast<std::int64_t>(std::min(finishes_.next_time_ns(), releases_.next_time_ns()));
    } else if (finished_ == count || !break_stall()) {
      return {now_ns_, finished_};
    }
  }
}

template <bool kRecording>
void WorkStealing<kRecording>::handle_instant() {
  const auto now = static_cast<std::uint64_t>(now_ns_);
  for (;;) {
    if (finishes_.next_time_ns() == now) {
      finish(finishes_.pop());
    } else if (releases_.next_time_ns() == now) {
      const Event event = releases_.pop();
      become_ready(event.node, event.worker);
    } else {
      return;
    }
  }
}

template <bool kRecording>
void WorkStealing<kRecording>::finish(const Event& event) {
  ++finished_;
  const std::uint32_t worker = event.worker & ~kDetached;
  if (kRecording && worker == event.worker) {
    finish_strand(event.node, event.worker);
  } else {
    if (worker == event.worker) deciding_.push_back(worker);
    for (std::uint64_t e = graph_.first_successor[event.node]; e < graph_.first_successor[event.node + 1]; ++e) {
      const NodeIndex next = graph_.successors[e];
      if (pending_.remove(next)) release(next, worker);
    }
  }
}

// A strand ends: the tasks that it created and can start go to this worker's deque, unless that is full.
template <bool kRecording>
void WorkStealing<kRecording>::finish_strand(NodeIndex node, std::uint32_t worker) {
  using analysis::EdgeKind;
  using analysis::kNoNode;
  NodeIndex continuation = kNoNode;
  NodeIndex at_once = kNoNode;
  for (std::uint64_t e = graph_.first_successor[node]; e < graph_.first_successor[node + 1]; ++e) {
    const NodeIndex next = graph_.successors[e];
    const EdgeKind kind = graph_.edge_kind[e];
    const bool is_ready = pending_.remove(next);
    if (kind == EdgeKind::kContinuation) {
      continuation = next;  // whether it waits for more is seen when all edges are through
    } else if (is_ready && next != continuation) {
      const bool full = costs_.deque_capacity != 0 && workers_[worker].deque.size() >= costs_.deque_capacity;
      if (kind == EdgeKind::kCreate && full && at_once == kNoNode &&
          graph_.parent_of_task[graph_.task_of_node[next]] != kNoNode) {
        at_once = next;
      } else if (kind == EdgeKind::kDependence) {
        met_.push_back(next);
      } else {
        become_ready(next, worker);
      }
    }
  }
  release_met(worker);
  continue_behind(node, continuation, at_once, worker);
}

// Tasks whose last dependence was met. LLVM's runtime keeps a task's successors as a stack: the one created last is
// pushed first, so that the worker goes on with the oldest, and thieves take the youngest.
template <bool kRecording>
void WorkStealing<kRecording>::release_met(std::uint32_t worker) {
  if (met_.size() > 1) {
    std::sort(met_.begin(), met_.end(),
              [this](NodeIndex a, NodeIndex b) { return graph_.task_of_node[a] > graph_.task_of_node[b]; });
  }
  for (const NodeIndex node : met_) become_ready(node, worker);
  met_.clear();
}

template <bool kRecording>
void WorkStealing<kRecording>::continue_behind(NodeIndex node, NodeIndex continuation, NodeIndex at_once,
                                               std::uint32_t worker) {
  using analysis::kNoNode;
  const bool goes_on = continuation != kNoNode && pending_.none(continuation);
  const std::uint32_t task = graph_.task_of_node[node];
  if (goes_on && at_once == kNoNode) {
    begin(worker, continuation, 0);
    return;
  }
  if (goes_on) {
    suspend(worker, continuation, task);
    ++workers_[worker].resumable;
  } else if (continuation != kNoNode && is_tied(task)) {
    suspend(worker, continuation, task);
    home_[task] = worker;
  }
  if (at_once != kNoNode) {
    begin(worker, at_once, 0);
  } else {
    deciding_.push_back(worker);
  }
}

template <bool kRecording>
void WorkStealing<kRecording>::suspend(std::uint32_t worker, NodeIndex continuation, std::uint32_t task) {
  const bool is_implicit = graph_.parent_of_task[task] == analysis::kNoNode;
  // An untied task binds nobody: what is below it does.
  Constraint constraint = constraint_of(worker);
  if (is_tied(task)) constraint = {!is_implicit, tree_->subtree(task)};
  workers_[worker].suspended.push_back({continuation, is_implicit, constraint});
}

template <bool kRecording>
bool WorkStealing<kRecording>::is_tied(std::uint32_t task) const noexcept {
  return graph_.task_is_untied.empty() || graph_.task_is_untied[task] == 0;
}

// The last predecessor has finished, on `worker` or by what that one made ready.
template <bool kRecording>
void WorkStealing<kRecording>::release(NodeIndex node, std::uint32_t worker) {
  const std::int64_t release_ns = release_ns_ == nullptr ? 0 : release_ns_[node];
  if (release_ns > now_ns_) {
    releases_.push({release_ns, node, worker});
  } else {
    become_ready(node, worker);
  }
}

template <bool kRecording>
void WorkStealing<kRecording>::become_ready(NodeIndex node, std::uint32_t worker) {
  if (cores_ != nullptr && cores_[node] == 0) {
    const std::int64_t end_ns = now_ns_ + duration_ns_[node];
    if (schedule_ != nullptr) schedule_[node] = {now_ns_, end_ns, kNoWorker};
    finishes_.push({end_ns, node, kDetached | worker});
    return;
  }
  if constexpr (kRecording) {
    std::uint32_t& home = home_[graph_.task_of_node[node]];
    if (home != kNoWorker) {
      // Tied: it goes on where it waits.
      ++workers_[home].resumable;
      wake(home);
      home = kNoWorker;
      return;
    }
  }
  push(worker, node);
}

template <bool kRecording>
void WorkStealing<kRecording>::push(std::uint32_t worker, NodeIndex node) {
  workers_[worker].deque.push_bottom(node);
  loaded_.insert(worker);
  changed_.insert(worker);
  wake(worker);
}

// An idle worker has a reason to decide again.
template <bool kRecording>
void WorkStealing<kRecording>::wake(std::uint32_t worker) {
  if (!free_.contains(worker) && !waiting_.contains(worker)) return;
  free_.erase(worker);
  waiting_.erase(worker);
  deciding_.push_back(worker);
}

}  // namespace foretask::simulate
