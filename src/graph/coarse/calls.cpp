// SPDX-License-Identifier: Apache-2.0
#include "graph/coarse/calls.hpp"

#include <string>
#include <utility>

#include "graph/task_graph_order.hpp"
#include "graph/team_shares.hpp"

namespace foretask::graph {
namespace {

using analysis::CutOff;
using analysis::EdgeKind;
using analysis::kNoNode;
using analysis::TaskGraph;

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
      first_strand_(graph.parent_of_task.size(), kNoNode),
      creator_(graph.parent_of_task.size(), kNoNode),
      subtree_ns_(graph.parent_of_task.size()),
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
    for (const analysis::TeamStrand& strand : strands_of(graph_.team, phase))
      stays_whole_[graph_.task_of_node[strand.node]] = 1;
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

Calls::Calls(const TaskGraph& graph, const CallTree& tree, const CutOff& cut_off)
    : graph_(graph),
      tree_(tree),
      cut_off_(cut_off),
      caller_(graph.parent_of_task.size(), kNoNode),
      waits_(graph.parent_of_task.size(), 0),
      has_calls_(graph.parent_of_task.size(), 0),
      settled_(tree.join_nodes()) {
  if (cut_off.depth != analysis::kAnyDepth) depth_.assign(graph.parent_of_task.size(), 0);
  if (!cut_off.kernels.empty()) is_meant_.assign(graph.kernel_names.size(), false);
  for (const std::uint32_t kernel : cut_off.kernels)
    if (kernel < is_meant_.size()) is_meant_[kernel] = true;
  // In order of their starts: before a task come its parent and what it waits for.
  for (NodeIndex node = 0; node < graph.size(); ++node) {
    const std::uint32_t task = graph.task_of_node[node];
    if (tree.first_strand(task) == node) decide(task);
    if (caller_[task] != kNoNode || is_settled(node)) continue;
    ++strands_left_;
    hand_on(node);
  }
}

// Those that depend on a task that is left wait for it.
void Calls::hand_on(NodeIndex node) {
  for (std::uint64_t e = graph_.first_successor[node]; e < graph_.first_successor[node + 1]; ++e) {
    if (graph_.edge_kind[e] != EdgeKind::kDependence) continue;
    const NodeIndex next = graph_.successors[e];
    if (!settled_.empty()) settled_[next] = 0;
    const std::uint32_t task = graph_.task_of_node[next];
    if (tree_.first_strand(task) == next) waits_[task] = 1;
  }
}

bool Calls::is_below(std::uint32_t task) const {
  if (!is_meant_.empty()) {
    const std::uint32_t kernel = graph_.kernel[tree_.first_strand(task)];
    if (kernel >= is_meant_.size() || !is_meant_[kernel]) return false;
  }
  return tree_.subtree_ns(task) < cut_off_.grain_ns || (!depth_.empty() && depth_[task] > cut_off_.depth);
}

void Calls::decide(std::uint32_t task) {
  const std::uint32_t parent = graph_.parent_of_task[task];
  if (parent != kNoNode) return decide_on_explicit(task, parent);
  // A region's thread, or its share of a loop: within a call it is one as well.
  const NodeIndex creator = tree_.creator(task);
  if (creator != kNoNode) caller_[task] = caller_[graph_.task_of_node[creator]];
}

void Calls::decide_on_explicit(std::uint32_t task, std::uint32_t parent) {
  if (!depth_.empty()) depth_[task] = depth_[parent] + 1;
  caller_[task] = caller_[parent];
  if (caller_[task] != kNoNode) {
    ++calls_;
    return;
  }
  ++tasks_;
  const NodeIndex creator = tree_.creator(task);
  if (!is_below(task)) return;
  if (creator == kNoNode) {
    // The runtime created it, where no code of the program's could call it.
    ++waiting_;
    return;
  }
  if (!graph_.occupies_worker(creator) || is_call(creator)) return;
  if (tree_.stays_whole(task)) {
    ++whole_;
  } else if (waits_[task] != 0) {
    ++waiting_;
  } else {
    caller_[task] = creator;
    has_calls_[graph_.task_of_node[creator]] = 1;
    --tasks_;
    ++calls_;
  }
}

}  // namespace foretask::graph
