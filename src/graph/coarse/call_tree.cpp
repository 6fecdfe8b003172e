// SPDX-License-Identifier: Apache-2.0
#include "graph/coarse/call_tree.hpp"

#include <string>
#include <utility>

#include "base/huge_pages.hpp"
#include "graph/saturated_sum.hpp"
#include "graph/team_shares.hpp"

namespace foretask::graph {

using analysis::EdgeKind;
using analysis::kNoNode;
using analysis::TaskGraph;

namespace {

// What keeps the graph's tasks from being looked at, or an empty string.
std::string problem_with_tasks(const TaskGraph& graph) {
  if (graph.task_of_node.empty()) return "it is no recording: its tasks do not say which task created them";
  const std::size_t tasks = graph.parent_of_task.size();
  if (graph.task_of_node.size() != graph.size() || graph.edge_kind.size() != graph.edge_count() ||
      graph.first_successor.size() != graph.size() + 1 ||
      (!graph.task_is_untied.empty() && graph.task_is_untied.size() != tasks))
    return "the recording's strands, edges and tasks do not fit together";
  for (const std::uint32_t task : graph.task_of_node)
    if (task >= tasks) return "a strand belongs to a task that the recording does not have";
  for (std::uint32_t task = 0; task < tasks; ++task)
    if (graph.parent_of_task[task] != kNoNode && graph.parent_of_task[task] >= task)
      return "a task was created before its parent";
  return {};
}

}  // namespace

Result<CallTree> CallTree::of(const TaskGraph& graph) {
  if (auto problem = problem_with_tasks(graph); !problem.empty()) return Error{std::move(problem)};
  CallTree tree(graph);
  if (auto read = tree.read_edges(); !read) return read.error();
  tree.mark_dividing_regions();
  tree.sum_up();
  return tree;
}

CallTree::CallTree(const TaskGraph& graph)
    : graph_(graph),
      first_strand_(base::filled_on_huge_pages(graph.parent_of_task.size(), kNoNode)),
      creator_(base::filled_on_huge_pages(graph.parent_of_task.size(), kNoNode)),
      subtree_ns_(base::filled_on_huge_pages(graph.parent_of_task.size(), std::int64_t{0})),
      stays_whole_(graph.parent_of_task.size(), 0) {
  for (NodeIndex node = 0; node < graph.size(); ++node) {
    const std::uint32_t task = graph.task_of_node[node];
    if (first_strand_[task] == kNoNode) first_strand_[task] = node;
    subtree_ns_[task] = saturated_sum(subtree_ns_[task], worker_ns(graph, node));
  }
}

Result<void> CallTree::read_edges() {
  constexpr std::uint8_t kByDependence = 1;
  constexpr std::uint8_t kOtherwise = 2;
  std::vector<std::uint8_t> reached(graph_.cores.empty() ? 0 : graph_.size(), 0);
  bool has_join_nodes = false;
  for (NodeIndex node = 0; node < graph_.size(); ++node) {
    const std::uint32_t task = graph_.task_of_node[node];
    std::uint32_t threads = 0;  // of a region that begins behind the strand
    for (std::uint64_t e = graph_.first_successor[node]; e < graph_.first_successor[node + 1]; ++e) {
      const NodeIndex next = graph_.successors[e];
      const std::uint32_t other = graph_.task_of_node[next];
      const bool has_parent = graph_.parent_of_task[other] != kNoNode;
      const EdgeKind kind = graph_.edge_kind[e];
      if (!graph_.occupies_worker(next)) {
        const bool by_dependence = kind == EdgeKind::kDependence;
        reached[next] |= by_dependence ? kByDependence : kOtherwise;
        has_join_nodes = has_join_nodes || by_dependence;
      }
      if (kind == EdgeKind::kJoin) {
        // What ends a detached task: it comes after the task's body.
        if (other == task && has_parent && !graph_.occupies_worker(next)) stays_whole_[task] = 1;
        continue;
      }
      if (next <= node) return Error{"a task begins before the strand that creates it, or that it depends on"};
      if (kind == EdgeKind::kDependence || other == task) continue;
      if (!has_parent && kind == EdgeKind::kCreate) ++threads;
      if (next == first_strand_[other] && (kind == EdgeKind::kCreate || !has_parent) && creator_[other] == kNoNode)
        creator_[other] = node;
    }
    if (threads > 1) stays_whole_[task] = 1;
  }
  if (has_join_nodes) {
    for (std::uint8_t& how : reached) how = how == kByDependence ? 1 : 0;
    join_nodes_ = std::move(reached);
  }
  return {};
}

// A recording on one thread has regions of one thread that more threads would divide.
void CallTree::mark_dividing_regions() {
  const std::uint32_t widest = widest_team(graph_.team);
  for (const analysis::TeamPhase& phase : graph_.team.phases) {
    if (!is_divided(phase, widest)) continue;
    for (std::uint64_t at = phase.first_strand; at < phase.end_strand; ++at)
      stays_whole_[graph_.task_of_node[graph_.team.strands[at].node]] = 1;
  }
}

// A task begins after what created it: from the last to the first, each is complete when it is added.
void CallTree::sum_up() {
  for (NodeIndex node = static_cast<NodeIndex>(graph_.size()); node-- > 0;) {
    const std::uint32_t task = graph_.task_of_node[node];
    if (first_strand_[task] != node) continue;
    std::uint32_t outer = graph_.parent_of_task[task];
    if (outer == kNoNode && creator_[task] != kNoNode) outer = graph_.task_of_node[creator_[task]];
    if (outer == kNoNode) continue;
    subtree_ns_[outer] = saturated_sum(subtree_ns_[outer], subtree_ns_[task]);
    if (stays_whole_[task] != 0) stays_whole_[outer] = 1;
  }
}

}  // namespace foretask::graph
