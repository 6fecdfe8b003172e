// SPDX-License-Identifier: Apache-2.0
#include "graph/coarse/coarse_strands.hpp"

#include <algorithm>

#include "base/huge_pages.hpp"
#include "graph/saturated_sum.hpp"

namespace foretask::graph {

using analysis::EdgeKind;
using analysis::kNoNode;
using analysis::TaskGraph;

namespace {

enum Bound : std::uint8_t {
  kBegins = 1,     // something that is left comes before it, besides its own task
  kEnds = 2,       // it is before something that is left, besides its own task
  kContinues = 4,  // its own task comes before it
};

}  // namespace

CoarseStrands::CoarseStrands(const TaskGraph& graph, const CallTree& tree, const Calls& calls)
    : graph_(graph),
      tree_(tree),
      calls_(calls),
      bounds_(base::filled_on_huge_pages(graph.size(), std::uint8_t{0})),
      place_(base::filled_on_huge_pages(graph.size(), kNoNode)) {
  find_bounds();
  bound_dividing_phases();
  join_strands();
}

void CoarseStrands::find_bounds() {
  for (NodeIndex node = 0; node < graph_.size(); ++node) {
    if (calls_.is_call(node)) {
      bound_edges_of_call(node);
    } else if (!calls_.is_settled(node)) {
      bound_edges_of(node);
    }
  }
  std::sort(from_calls_.begin(), from_calls_.end());
  from_calls_.erase(std::unique(from_calls_.begin(), from_calls_.end()), from_calls_.end());
}

void CoarseStrands::bound_edges_of(NodeIndex node) {
  bool continues = false;
  for (std::uint64_t e = graph_.first_successor[node]; e < graph_.first_successor[node + 1]; ++e) {
    const NodeIndex next = graph_.successors[e];
    if (!is_left(next)) continue;
    const bool is_own = graph_.edge_kind[e] == EdgeKind::kContinuation && !continues && !(bounds_[next] & kContinues);
    if (is_own) {
      bounds_[next] |= kContinues;
      continues = true;
    } else {
      bounds_[next] |= kBegins;
      bounds_[node] |= kEnds;
    }
  }
}

// Who waits for a call waits for the task that calls, or is that task itself. Not so what a dependence leads to: the
// end of a detached task.
void CoarseStrands::bound_edges_of_call(NodeIndex node) {
  for (std::uint64_t e = graph_.first_successor[node]; e < graph_.first_successor[node + 1]; ++e) {
    const NodeIndex next = graph_.successors[e];
    const NodeIndex caller = calls_.caller(graph_.task_of_node[node]);
    if (graph_.edge_kind[e] != EdgeKind::kDependence || !is_left(next) || comes_later(next, caller)) continue;
    from_calls_.emplace_back(caller, next);
    bounds_[next] |= kBegins;
    bounds_[caller] |= kEnds;
  }
}

// Its task is the one that calls, or is created by that one after the call.
bool CoarseStrands::comes_later(NodeIndex next, NodeIndex caller) const {
  const std::uint32_t task = graph_.task_of_node[caller];
  if (graph_.task_of_node[next] == task) return true;
  const NodeIndex creator = tree_.creator(graph_.task_of_node[next]);
  return creator != kNoNode && creator >= caller && graph_.task_of_node[creator] == task;
}

// What other numbers of threads divide stays as it was.
void CoarseStrands::bound_dividing_phases() {
  for (const analysis::TeamPhase& phase : graph_.team.phases) {
    if (!phase.divides) continue;
    for (std::uint64_t at = phase.first_strand; at < phase.end_strand; ++at)
      bounds_[graph_.team.strands[at].node] |= kBegins;
  }
}

// The bounds of a task without calls stay: they cost what they did.
bool CoarseStrands::goes_on_in(NodeIndex node, NodeIndex next) const {
  const std::uint32_t task = graph_.task_of_node[node];
  return graph_.task_of_node[next] == task && calls_.has_calls(task) && !(bounds_[node] & kEnds) &&
         !(bounds_[next] & kBegins) && graph_.occupies_worker(node) && graph_.occupies_worker(next);
}

void CoarseStrands::join_strands() {
  base::reserve_on_huge_pages(strands_, calls_.strands_left());  // at most: pages that are never touched cost nothing
  for (NodeIndex node = 0; node < graph_.size(); ++node) {
    if (calls_.is_call(node)) {
      CoarseStrand& caller = strands_[place_[calls_.caller(graph_.task_of_node[node])]];
      caller.duration_ns = saturated_sum(caller.duration_ns, worker_ns(graph_, node));
      continue;
    }
    if (calls_.is_settled(node)) continue;
    if (place_[node] == kNoNode) {
      place_[node] = static_cast<NodeIndex>(strands_.size());
      strands_.push_back({node, node, graph_.duration_ns[node]});
    } else {
      CoarseStrand& one = strands_[place_[node]];
      one.tail = node;
      one.duration_ns = saturated_sum(one.duration_ns, worker_ns(graph_, node));
    }
    for (std::uint64_t e = graph_.first_successor[node]; e < graph_.first_successor[node + 1]; ++e) {
      if (graph_.edge_kind[e] != EdgeKind::kContinuation || !goes_on_in(node, graph_.successors[e])) continue;
      place_[graph_.successors[e]] = place_[node];
      break;
    }
  }
}

}  // namespace foretask::graph
