// SPDX-License-Identifier: Apache-2.0
#include "graph/ranks/rank_merge.hpp"

#include <algorithm>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "graph/ranks/message_match.hpp"

namespace foretask::graph {
namespace {

using analysis::kNoNode;
using analysis::NodeIndex;
using analysis::TaskGraph;

constexpr const char* kJoinKernel = "(collective)";

struct Edge {
  NodeIndex to;
  NodeIndex from;
  std::uint64_t bytes;
};

class Merger {
 public:
  Merger(const std::vector<RankGraph>& ranks, MatchedMessages matched) : ranks_(ranks), matched_(std::move(matched)) {
    NodeIndex base = 0;
    for (const RankGraph& rank : ranks_) {
      bases_.push_back(base);
      base += static_cast<NodeIndex>(rank.graph->size());
    }
    bases_.push_back(base);
    total_ = base + static_cast<NodeIndex>(matched_.joins.size());
  }

  Result<MergedRanks> merge() {
    collect_edges();
    if (!number()) return Error{"the ranks' messages form a cycle: the recordings are not of one run"};
    add_nodes();
    add_rows();
    static_cast<MatchCounts&>(out_) = matched_;
    return std::move(out_);
  }

 private:
  // A number for all nodes of all ranks, join nodes last.
  [[nodiscard]] NodeIndex raw(RankNode node) const {
    return node.rank == kJoinRank ? bases_.back() + node.node : bases_[node.rank] + node.node;
  }

  void collect_edges() {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      const TaskGraph& graph = *ranks_[rank].graph;
      for (NodeIndex node = 0; node < graph.size(); ++node)
        for (std::uint64_t e = graph.first_successor[node]; e < graph.first_successor[node + 1]; ++e)
          edges_.push_back({bases_[rank] + graph.successors[e], bases_[rank] + node, 0});
    }
    for (const RankEdge& edge : matched_.edges) edges_.push_back({raw(edge.to), raw(edge.from), edge.bytes});
  }

  // Kahn's algorithm; of the nodes whose predecessors are numbered the one that began first on its own rank's clock.
  bool number() {
    std::vector<std::uint32_t> waits_for(total_, 0);
    std::vector<std::uint64_t> first(total_ + std::size_t{1}, 0);
    for (const Edge& edge : edges_) {
      ++waits_for[edge.to];
      ++first[edge.from + std::size_t{1}];
    }
    for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
    std::vector<NodeIndex> successors(edges_.size());
    std::vector<std::uint64_t> next(first.begin(), first.end() - 1);
    for (const Edge& edge : edges_) successors[next[edge.from]++] = edge.to;

    std::vector<std::int64_t> begin(total_, 0);
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
      std::copy(ranks_[rank].begin_ns->begin(), ranks_[rank].begin_ns->end(), begin.begin() + bases_[rank]);
    using Entry = std::pair<std::int64_t, NodeIndex>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
    for (NodeIndex node = 0; node < total_; ++node)
      if (waits_for[node] == 0) ready.emplace(begin[node], node);
    place_.assign(total_, kNoNode);
    while (!ready.empty()) {
      const auto [time, node] = ready.top();
      ready.pop();
      place_[node] = static_cast<NodeIndex>(order_.size());
      order_.push_back(node);
      for (std::uint64_t e = first[node]; e < first[node + std::size_t{1}]; ++e) {
        const NodeIndex successor = successors[e];
        // A join node is where the last that came to it was.
        if (successor >= bases_.back()) begin[successor] = std::max(begin[successor], time);
        if (--waits_for[successor] == 0) ready.emplace(begin[successor], successor);
      }
    }
    return order_.size() == total_;
  }

  std::uint32_t kernel_number(const std::string& name) {
    const auto [found, added] = kernels_.try_emplace(name, static_cast<std::uint32_t>(out_.graph.kernel_names.size()));
    if (added) out_.graph.kernel_names.push_back(name);
    return found->second;
  }

  void add_nodes() {
    TaskGraph& graph = out_.graph;
    std::vector<std::vector<std::uint32_t>> kernels;
    for (const RankGraph& rank : ranks_) {
      kernels.emplace_back();
      for (const std::string& name : rank.graph->kernel_names) kernels.back().push_back(kernel_number(name));
    }
    const std::uint32_t join_kernel = matched_.joins.empty() ? 0 : kernel_number(kJoinKernel);
    for (const NodeIndex node : order_) {
      if (node >= bases_.back()) {
        graph.duration_ns.push_back(0);
        graph.kernel.push_back(join_kernel);
        graph.cores.push_back(0);
        graph.node.push_back(matched_.joins[node - bases_.back()]);
        continue;
      }
      const auto rank =
          static_cast<std::size_t>(std::upper_bound(bases_.begin(), bases_.end(), node) - bases_.begin() - 1);
      const TaskGraph& from = *ranks_[rank].graph;
      const NodeIndex own = node - bases_[rank];
      graph.duration_ns.push_back(from.duration_ns[own]);
      graph.kernel.push_back(kernels[rank][from.kernel[own]]);
      graph.cores.push_back(from.cores.empty() ? std::uint8_t{1} : from.cores[own]);
      graph.node.push_back(static_cast<std::uint32_t>(rank));
    }
  }

  // Rows of successors; of two edges between the same nodes the bytes are added.
  void add_rows() {
    TaskGraph& graph = out_.graph;
    for (Edge& edge : edges_) edge = {place_[edge.to], place_[edge.from], edge.bytes};
    std::sort(edges_.begin(), edges_.end(),
              [](const Edge& a, const Edge& b) { return std::tie(a.from, a.to) < std::tie(b.from, b.to); });
    graph.first_successor.assign(total_ + std::size_t{1}, 0);
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      if (i != 0 && edges_[i].from == edges_[i - 1].from && edges_[i].to == edges_[i - 1].to) {
        graph.edge_bytes.back() += edges_[i].bytes;
        continue;
      }
      graph.successors.push_back(edges_[i].to);
      graph.edge_bytes.push_back(edges_[i].bytes);
      ++graph.first_successor[edges_[i].from + std::size_t{1}];
    }
    for (std::size_t i = 1; i < graph.first_successor.size(); ++i)
      graph.first_successor[i] += graph.first_successor[i - 1];
  }

  const std::vector<RankGraph>& ranks_;
  const MatchedMessages matched_;
  std::vector<NodeIndex> bases_;  // of each rank's nodes, and the end of the last one's
  NodeIndex total_ = 0;
  std::vector<Edge> edges_;
  std::vector<NodeIndex> order_;
  std::vector<NodeIndex> place_;
  std::unordered_map<std::string, std::uint32_t> kernels_;
  MergedRanks out_;
};

}  // namespace

Result<MergedRanks> merge_ranks(const std::vector<RankGraph>& ranks) {
  std::uint64_t nodes = 0;
  for (const RankGraph& rank : ranks) nodes += rank.graph->size() + 2 * rank.messages->collectives.size();
  if (nodes >= kNoNode) return Error{"the ranks' graphs together have too many nodes: " + std::to_string(nodes)};
  Result<MatchedMessages> matched = match_messages(ranks);
  if (!matched) return matched.error();
  return Merger(ranks, std::move(*matched)).merge();
}

}  // namespace foretask::graph
