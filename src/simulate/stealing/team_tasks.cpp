// SPDX-License-Identifier: Apache-2.0
#include "simulate/stealing/team_tasks.hpp"

namespace foretask::simulate {

using analysis::kNoNode;
using analysis::NodeIndex;

TeamQueue::TeamQueue(const analysis::TaskGraph& graph)
    : graph_(graph),
      newest_(graph.size(), kIsNoWait),
      older_(graph.parent_of_task.size(), kNoNode),
      wait_for_(graph.parent_of_task.size(), kNoNode),
      maker_(graph.parent_of_task.size(), 0),
      state_(graph.parent_of_task.size(), State::kOutside) {
  for (NodeIndex node = 0; node < graph.size(); ++node) {
    const std::uint32_t task = graph.task_of_node[node];
    if (!is_explicit(task) || wait_for_[task] != kNoNode) continue;
    for (std::uint64_t e = graph.first_successor[node]; e < graph.first_successor[node + 1]; ++e) {
      const NodeIndex next = graph.successors[e];
      // A barrier's node runs on no worker: what it waits for all threads may take.
      if (graph.edge_kind[e] != analysis::EdgeKind::kJoin || graph.task_of_node[next] == task ||
          !graph.occupies_worker(next))
        continue;
      wait_for_[task] = next;
      newest_[next] = kNoNode;
      break;
    }
  }
}

void TeamQueue::push(NodeIndex node, std::uint32_t worker) {
  const std::uint32_t task = graph_.task_of_node[node];
  if (state_[task] == State::kOutside && is_explicit(task)) ++tasks_;
  state_[task] = State::kQueued;
  ++size_;
  maker_[task] = worker;
  queue_.push_back(node);
  if (wait_for_[task] == kNoNode) return;
  older_[task] = newest_[wait_for_[task]];
  newest_[wait_for_[task]] = node;
}

NodeIndex TeamQueue::take(NodeIndex node) noexcept {
  State& state = state_[graph_.task_of_node[node]];
  if (state != State::kQueued) return kNoNode;
  state = State::kTaken;
  --size_;
  return node;
}

void TeamQueue::drop_taken() {
  while (!queue_.empty() && state_[graph_.task_of_node[queue_.front()]] != State::kQueued) queue_.pop_front();
}

bool TeamQueue::starts_member() {
  drop_taken();
  return !queue_.empty() && !is_explicit(graph_.task_of_node[queue_.front()]);
}

NodeIndex TeamQueue::take_oldest() {
  drop_taken();
  if (queue_.empty()) return kNoNode;
  const NodeIndex node = take(queue_.front());
  queue_.pop_front();
  return node;
}

NodeIndex TeamQueue::take_newest_for(NodeIndex wait) {
  NodeIndex& newest = newest_[wait];
  while (newest != kNoNode) {
    const NodeIndex node = take(newest);
    newest = older_[graph_.task_of_node[newest]];
    if (node != kNoNode) return node;
  }
  return kNoNode;
}

}  // namespace foretask::simulate
