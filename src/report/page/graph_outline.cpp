// SPDX-License-Identifier: Apache-2.0
#include "report/page/graph_outline.hpp"

#include <algorithm>
#include <numeric>

namespace foretask::report {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// The groups are ordered by depth: a parent's number is smaller.
std::size_t parent_of(const FoldedGraph& graph, std::size_t group) {
  for (const FoldedGroup::Link& link : graph.groups[group].makers)
    if (graph.groups[link.group].first_depth < graph.groups[group].first_depth) return link.group;
  return kNone;
}

}  // namespace

GraphOutline::GraphOutline(const FoldedGraph& graph, std::size_t most)
    : children(graph.groups.size()), work_ns(graph.groups.size()) {
  const std::size_t count = graph.groups.size();
  std::vector<std::size_t> parents(count);
  for (std::size_t i = count; i-- > 0;) {
    work_ns[i] += graph.groups[i].work_ns;
    parents[i] = parent_of(graph, i);
    if (parents[i] != kNone) work_ns[parents[i]] += work_ns[i];
  }
  // A parent has no less work than its children, and where it has as much it comes first.
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return work_ns[a] > work_ns[b]; });
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t group = order[i];
    if (i >= most) {
      ++left_out;
      left_out_tasks += graph.groups[group].tasks;
      left_out_work_ns += graph.groups[group].work_ns;
    } else if (parents[group] == kNone) {
      roots.push_back(group);
    } else {
      children[parents[group]].push_back(group);
    }
  }
}

}  // namespace foretask::report
