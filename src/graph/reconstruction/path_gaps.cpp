// SPDX-License-Identifier: Apache-2.0
#include "graph/reconstruction/path_gaps.hpp"

#include <algorithm>
#include <cstdint>

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

}  // namespace

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
