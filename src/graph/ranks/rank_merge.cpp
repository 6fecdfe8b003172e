// SPDX-License-Identifier: Apache-2.0
#include "graph/ranks/rank_merge.hpp"

#include <algorithm>
#include <map>
#include <queue>
#include <unordered_map>
#include <utility>

#include "foretask/hook.h"
#include "graph/task_graph_order.hpp"

namespace foretask::graph {
namespace {

using analysis::kNoNode;
using analysis::NodeIndex;
using analysis::TaskGraph;

// A node of one rank, or, with rank kJoinRank, a join node that belongs to none.
struct RankNode {
  std::uint32_t rank = 0;
  analysis::NodeIndex node = 0;
};
constexpr std::uint32_t kJoinRank = 0xffffffffU;

struct RankEdge {
  RankNode from;
  RankNode to;
  std::uint64_t bytes = 0;
};

struct MatchedMessages : MatchCounts {
  std::vector<RankEdge> edges;
  std::vector<std::uint32_t> joins;  // of each join node, the rank that it is counted with
};

// What sends and receives are matched by.
struct Channel {
  std::uint32_t source;
  std::uint32_t destination;
  std::uint32_t tag;
  std::uint64_t communicator;

  auto operator<=>(const Channel&) const = default;
};

struct Ends {
  std::vector<const Message*> sent;      // in the order in which they were sent
  std::vector<const Message*> received;  // in the order of posting
};

std::string rank_text(std::uint32_t rank) { return "rank " + std::to_string(rank); }

using CallName = std::pair<std::uint64_t, std::uint32_t>;  // communicator, number

struct Part {
  std::uint32_t rank;
  const CollectivePart* part;
};

// Which receive takes which send, and who waits for whom in a collective call: edges between the ranks' graphs.
class Matcher {
 public:
  explicit Matcher(const std::vector<RankGraph>& ranks) : ranks_(ranks) {
    for (const RankGraph& rank : ranks) cut_short_ += rank.is_whole ? 0 : 1;
  }

  Result<MatchedMessages> match() {
    if (Result<void> done = match_messages(); !done) return done.error();
    if (Result<void> done = match_collectives(); !done) return done.error();
    return std::move(out_);
  }

 private:
  Result<void> match_messages() {
    std::map<Channel, Ends> channels;
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
      for (const Message& message : ranks_[rank].messages->sent)
        channels[{rank, message.peer, message.tag, message.communicator}].sent.push_back(&message);
      for (const Message& message : ranks_[rank].messages->received)
        channels[{message.peer, rank, message.tag, message.communicator}].received.push_back(&message);
    }
    for (auto& [channel, ends] : channels) {
      const std::size_t pairs = std::min(ends.sent.size(), ends.received.size());
      if (ends.received.size() > pairs && ranks_[channel.source].is_whole)
        return Error{rank_text(channel.destination) + " received " + std::to_string(ends.received.size()) +
                     " messages with tag " + std::to_string(static_cast<std::int32_t>(channel.tag)) + " from " +
                     rank_text(channel.source) + ", which sent " + std::to_string(ends.sent.size()) +
                     ": the recordings are not of one run, or are incomplete"};
      std::ranges::stable_sort(ends.received, {}, &Message::posted);
      for (std::size_t i = 0; i < pairs; ++i)
        add_edge({channel.source, ends.sent[i]->strand}, {channel.destination, ends.received[i]->strand},
                 ends.received[i]->bytes);
      out_.messages += pairs;
      for (std::size_t i = 0; i < pairs; ++i) out_.message_bytes += ends.received[i]->bytes;
      out_.unmatched_sends += ends.sent.size() - pairs;
      out_.unmatched_receives += ends.received.size() - pairs;
    }
    return {};
  }

  Result<void> match_collectives() {
    std::map<CallName, std::vector<Part>> calls;
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank)
      for (const CollectivePart& part : ranks_[rank].messages->collectives)
        calls[{part.communicator, part.number}].push_back({rank, &part});
    for (auto& [name, parts] : calls) {
      const CollectivePart& first = *parts.front().part;
      for (const Part& one : parts)
        if (one.part->kind != first.kind || one.part->size != first.size ||
            (is_rooted(first.kind) && one.part->root != first.root))
          return Error{rank_text(parts.front().rank) + " and " + rank_text(one.rank) + " disagree on collective call " +
                       std::to_string(name.second) + " of a communicator: the recordings are not of one run"};
      if (parts.size() > first.size || first.size - parts.size() > cut_short_besides(parts))
        return Error{"collective call " + std::to_string(name.second) + " of a communicator of " +
                     std::to_string(first.size) + " ranks was made by " + std::to_string(parts.size()) +
                     ", the first of them " + rank_text(parts.front().rank) + ": a recording is incomplete"};
      if (parts.size() != first.size) ++out_.partial_collectives;
      std::ranges::sort(parts, {}, [](const Part& one) { return one.part->own_rank; });
      connect(parts);
      ++out_.collectives;
    }
    return {};
  }

  // How many of the ranks that made none of `parts` may have come to that call unseen.
  [[nodiscard]] std::size_t cut_short_besides(const std::vector<Part>& parts) const {
    std::size_t count = cut_short_;
    for (const Part& one : parts) count -= ranks_[one.rank].is_whole ? 0 : 1;
    return count;
  }

  static bool is_rooted(std::uint32_t kind) {
    return kind == FORETASK_COLLECTIVE_FROM_ROOT || kind == FORETASK_COLLECTIVE_TO_ROOT;
  }

  void connect(const std::vector<Part>& parts) {
    switch (parts.front().part->kind) {
      case FORETASK_COLLECTIVE_FROM_ROOT:
        for (const Part& root : parts)
          if (root.part->own_rank == root.part->root)
            for (const Part& one : parts)
              if (&one != &root) add_edge(enter(root), leave(one), one.part->bytes);
        return;
      case FORETASK_COLLECTIVE_TO_ROOT:
        for (const Part& root : parts)
          if (root.part->own_rank == root.part->root)
            for (const Part& one : parts)
              if (&one != &root) add_edge(enter(one), leave(root), one.part->bytes);
        return;
      case FORETASK_COLLECTIVE_PREFIX:
        for (std::size_t i = 1; i < parts.size(); ++i) {
          // What has come so far goes on from one to the next, whether that one has left or not.
          const RankNode join = new_join(parts[i].rank);
          add_edge(i == 1 ? enter(parts[0]) : RankNode{kJoinRank, join.node - 1}, join, parts[i].part->bytes);
          add_edge(enter(parts[i]), join, 0);
          add_edge(join, leave(parts[i]), 0);
        }
        return;
      default: {
        if (parts.size() < 2) return;
        const RankNode join = new_join(parts.front().rank);
        for (const Part& one : parts) add_edge(enter(one), join, one.part->bytes);
        for (const Part& one : parts) add_edge(join, leave(one), one.part->bytes);
      }
    }
  }

  static RankNode enter(const Part& part) { return {part.rank, part.part->enter}; }
  static RankNode leave(const Part& part) { return {part.rank, part.part->leave}; }

  RankNode new_join(std::uint32_t rank) {
    out_.joins.push_back(rank);
    return {kJoinRank, static_cast<analysis::NodeIndex>(out_.joins.size() - 1)};
  }

  // A rank that was killed has calls that it never came back from.
  void add_edge(RankNode from, RankNode to, std::uint64_t bytes) {
    if (from.node != kNoNode && to.node != kNoNode) out_.edges.push_back({from, to, bytes});
  }

  const std::vector<RankGraph>& ranks_;
  std::size_t cut_short_ = 0;  // ranks that are not whole
  MatchedMessages out_;
};

constexpr const char* kJoinKernel = "(collective)";

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
    for (Edge<std::uint64_t>& edge : edges_) edge = {place_[edge.from], place_[edge.to], edge.detail};
    set_edges(out_.graph, std::move(edges_));
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
          edges_.push_back({bases_[rank] + node, bases_[rank] + graph.successors[e], 0});
    }
    for (const RankEdge& edge : matched_.edges) edges_.push_back({raw(edge.from), raw(edge.to), edge.bytes});
  }

  // Kahn's algorithm; of the nodes whose predecessors are numbered the one that began first on its own rank's clock.
  bool number() {
    std::vector<std::uint32_t> waits_for(total_, 0);
    std::vector<std::uint64_t> first(total_ + std::size_t{1}, 0);
    for (const Edge<std::uint64_t>& edge : edges_) {
      ++waits_for[edge.to];
      ++first[edge.from + std::size_t{1}];
    }
    for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
    std::vector<NodeIndex> successors(edges_.size());
    std::vector<std::uint64_t> next(first.begin(), first.end() - 1);
    for (const Edge<std::uint64_t>& edge : edges_) successors[next[edge.from]++] = edge.to;

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

  const std::vector<RankGraph>& ranks_;
  const MatchedMessages matched_;
  std::vector<NodeIndex> bases_;  // of each rank's nodes, and the end of the last one's
  NodeIndex total_ = 0;
  std::vector<Edge<std::uint64_t>> edges_;
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
  Result<MatchedMessages> matched = Matcher(ranks).match();
  if (!matched) return matched.error();
  return Merger(ranks, std::move(*matched)).merge();
}

}  // namespace foretask::graph
