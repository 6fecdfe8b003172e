// SPDX-License-Identifier: Apache-2.0
#include "graph/reconstruction/path_analysis.hpp"

#include <algorithm>

#include "base/huge_pages.hpp"

namespace foretask::graph {
namespace {

struct Gap {
  analysis::PathGap facts;
  NodeIndex behind = 0;
  std::int64_t longest_other_ns = 0;

  [[nodiscard]] std::int64_t end_ns() const { return facts.begin_ns + facts.length_ns; }
};

bool is_longer(const Gap& a, const Gap& b) { return a.facts.length_ns > b.facts.length_ns; }

// The longest ones, as a heap whose first one is the shortest: a path may have as many strands as the run.
std::vector<Gap> gaps_of(const RecordedGraph& graph, const Path& path, std::size_t most) {
  const StrandTable& strands = graph.strands;
  std::vector<Gap> gaps;
  NodeIndex before = kNoNode;
  NodeIndex latest = kNoNode;  // that a worker ran
  for (const NodeIndex node : path.nodes) {
    const bool is_join = strands.cores[node] == 0 && strands.begin_ns[node] == strands.end_ns[node];
    if (is_join) continue;
    const std::int64_t length_ns = before == kNoNode ? 0 : strands.begin_ns[node] - strands.end_ns[before];
    if (length_ns > 0 && most != 0 && (gaps.size() < most || length_ns > gaps.front().facts.length_ns)) {
      if (gaps.size() == most) {
        std::pop_heap(gaps.begin(), gaps.end(), is_longer);
        gaps.pop_back();
      }
      const bool is_elsewhere = latest != kNoNode && strands.worker[latest] != strands.worker[node];
      gaps.push_back({.facts = {.begin_ns = strands.end_ns[before],
                                .length_ns = length_ns,
                                .kernel = graph.kernel_of_task[strands.task[node]],
                                .is_on_another_worker = is_elsewhere},
                      .behind = node});
      std::push_heap(gaps.begin(), gaps.end(), is_longer);
    }
    before = node;
    if (strands.cores[node] != 0) latest = node;
  }
  return gaps;
}

// Relaxes the edges in order of their targets, which is a topological order. node_weight(i, ready) may use the latest
// end of i's predecessors; edge_weight(e) is added on the way.
template <typename NodeWeight, typename EdgeWeight>
Path longest_path(const RecordedGraph& graph, bool keep_nodes, NodeWeight&& node_weight, EdgeWeight&& edge_weight) {
  const StrandTable& strands = graph.strands;
  const EdgesByTarget& edges = graph.edges;
  std::vector<std::int64_t> distance;
  base::reserve_on_huge_pages(distance, strands.size());
  distance.resize(strands.size());
  std::vector<NodeIndex> before;
  if (keep_nodes) {
    base::reserve_on_huge_pages(before, strands.size());
    before.resize(strands.size(), kNoNode);
  }
  Path path;
  NodeIndex last = kNoNode;
  std::size_t edge = 0;
  for (std::size_t node = 0; node < strands.size(); ++node) {
    std::int64_t longest = 0;
    NodeIndex best = kNoNode;
    std::int64_t ready = strands.begin_ns[node];
    bool has_predecessor = false;
    for (; edge < edges.size() && edges.to[edge] == node; ++edge) {
      const NodeIndex from = edges.from[edge];
      const std::int64_t length = distance[from] + edge_weight(edge, node);
      const std::int64_t end = strands.end_ns[from];
      ready = has_predecessor ? std::max(ready, end) : end;
      has_predecessor = true;
      if (best == kNoNode || length > longest) {
        longest = length;
        best = from;
      }
    }
    distance[node] = longest + node_weight(node, ready);
    if (keep_nodes) before[node] = best;
    if (last == kNoNode || distance[node] > path.length) {
      path.length = distance[node];
      last = static_cast<NodeIndex>(node);
    }
  }
  if (!keep_nodes) return path;
  for (NodeIndex node = last; node != kNoNode; node = before[node]) path.nodes.push_back(node);
  std::reverse(path.nodes.begin(), path.nodes.end());
  return path;
}

constexpr auto kNoEdgeWeight = [](std::size_t, std::size_t) { return std::int64_t{0}; };

}  // namespace

Path longest_work_path(const RecordedGraph& graph) { return longest_work_path(graph, graph.strands.duration_ns); }

Path longest_work_path(const RecordedGraph& graph, const std::vector<std::int64_t>& weight_ns) {
  return longest_path(
      graph, true, [&](std::size_t node, std::int64_t) { return weight_ns[node]; }, kNoEdgeWeight);
}

Path largest_delay_path(const RecordedGraph& graph) {
  return longest_path(
      graph, true,
      [&](std::size_t node, std::int64_t ready) {
        return std::max<std::int64_t>(0, graph.strands.begin_ns[node] - ready);
      },
      kNoEdgeWeight);
}

std::int64_t burdened_span_ns(const RecordedGraph& graph, std::int64_t burden_ns,
                              const std::vector<std::int64_t>& weight_ns) {
  // A continuation follows a creation when its predecessor also has an edge to a created task.
  std::vector<bool> creates(graph.strands.size());
  for (std::size_t edge = 0; edge < graph.edges.size(); ++edge)
    if (graph.edges.kind[edge] == EdgeKind::kCreate) creates[graph.edges.from[edge]] = true;
  return longest_path(
             graph, false, [&](std::size_t node, std::int64_t) { return weight_ns[node]; },
             [&](std::size_t edge, std::size_t node) {
               // A join by way of a node is one join: it counts on the edge that leaves the node.
               const EdgeKind kind = graph.edges.kind[edge];
               const bool burdened = kind == EdgeKind::kJoin
                                         ? graph.strands.cores[node] != 0
                                         : kind == EdgeKind::kContinuation && creates[graph.edges.from[edge]];
               return burdened ? burden_ns : 0;
             })
      .length;
}

Path last_finisher_path(const RecordedGraph& graph) {
  const StrandTable& strands = graph.strands;
  const EdgesByTarget& edges = graph.edges;
  Path path;
  if (strands.size() == 0) return path;
  auto node =
      static_cast<NodeIndex>(std::max_element(strands.end_ns.begin(), strands.end_ns.end()) - strands.end_ns.begin());
  for (;;) {
    path.nodes.push_back(node);
    path.length += strands.duration_ns[node];
    const auto [first, last] = std::equal_range(edges.to.begin(), edges.to.end(), node);
    NodeIndex latest = kNoNode;
    for (auto at = first; at != last; ++at) {
      const NodeIndex from = edges.from[static_cast<std::size_t>(at - edges.to.begin())];
      if (latest == kNoNode || strands.end_ns[from] > strands.end_ns[latest]) latest = from;
    }
    if (latest == kNoNode) break;
    node = latest;
  }
  std::reverse(path.nodes.begin(), path.nodes.end());
  return path;
}

void fill_successors(EdgesByTarget&& edges, std::size_t nodes, analysis::TaskGraph& into) {
  const std::size_t count = edges.size();
  std::vector<std::uint64_t>& first = into.first_successor;
  base::reserve_on_huge_pages(first, nodes + 1);
  first.assign(nodes + 1, 0);
  for (const NodeIndex from : edges.from) ++first[from + 1];
  for (std::size_t node = 0; node < nodes; ++node) first[node + 1] += first[node];
  base::reserve_on_huge_pages(into.successors, count);
  into.successors.resize(count);
  base::reserve_on_huge_pages(into.edge_kind, count);
  into.edge_kind.resize(count);
  // Filling moves each row's start to its end; shifting the rows by one puts them back.
  for (std::size_t edge = 0; edge < count; ++edge) {
    const std::uint64_t at = first[edges.from[edge]]++;
    into.successors[at] = edges.to[edge];
    into.edge_kind[at] = edges.kind[edge];
  }
  edges = {};
  for (std::size_t node = nodes; node > 0; --node) first[node] = first[node - 1];
  first[0] = 0;
}

std::vector<analysis::PathGap> longest_gaps(const RecordedGraph& graph, const Path& path, std::size_t most) {
  const StrandTable& strands = graph.strands;
  std::vector<Gap> gaps = gaps_of(graph, path, most);
  std::sort(gaps.begin(), gaps.end(), [](const Gap& a, const Gap& b) { return a.facts.begin_ns < b.facts.begin_ns; });
  // Strands are in the order of their starts.
  std::size_t first = 0;
  for (NodeIndex node = 0; node < strands.size() && first < gaps.size(); ++node) {
    if (strands.cores[node] == 0) continue;
    while (first < gaps.size() && gaps[first].end_ns() <= strands.begin_ns[node]) ++first;
    for (std::size_t at = first; at < gaps.size() && gaps[at].facts.begin_ns < strands.end_ns[node]; ++at) {
      Gap& gap = gaps[at];
      const std::int64_t both_ns =
          std::min(gap.end_ns(), strands.end_ns[node]) - std::max(gap.facts.begin_ns, strands.begin_ns[node]);
      if (both_ns <= 0) continue;
      gap.facts.busy_ns += both_ns;
      if (strands.worker[node] != strands.worker[gap.behind]) continue;
      gap.facts.others_ns =
          std::max(gap.facts.others_ns, std::min(gap.end_ns(), strands.end_ns[node]) - gap.facts.begin_ns);
      if (both_ns <= gap.longest_other_ns) continue;
      gap.longest_other_ns = both_ns;
      gap.facts.others_kernel = graph.kernel_of_task[strands.task[node]];
    }
  }
  std::stable_sort(gaps.begin(), gaps.end(), is_longer);
  std::vector<analysis::PathGap> facts;
  for (const Gap& gap : gaps) facts.push_back(gap.facts);
  return facts;
}

}  // namespace foretask::graph
