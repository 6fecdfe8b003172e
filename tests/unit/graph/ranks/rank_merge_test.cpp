// SPDX-License-Identifier: Apache-2.0
// Ranks' graphs as one: small ones, whose edges are written down by hand.
#include "graph/ranks/rank_merge.hpp"

#include <algorithm>
#include <string>

#include "catch.hpp"
#include "foretask/hook.h"

using foretask::analysis::kNoNode;
using foretask::analysis::TaskGraph;
using foretask::graph::CollectivePart;
using foretask::graph::merge_ranks;
using foretask::graph::MergedRanks;
using foretask::graph::Message;
using foretask::graph::MessageFacts;
using foretask::graph::RankGraph;

namespace {

using Lines = std::vector<std::string>;

// A chain of strands, 10 ns each, of a kernel that is called as the rank is; strand i begins at 100 i.
struct Rank {
  TaskGraph graph;
  MessageFacts messages;
  std::vector<std::int64_t> begin_ns;
  bool is_whole = true;

  explicit Rank(std::uint32_t strands, const std::string& kernel = "work") {
    graph.kernel_names = {"(serial part)", kernel};
    for (std::uint32_t i = 0; i < strands; ++i) {
      graph.duration_ns.push_back(10 + i);
      graph.kernel.push_back(1);
      graph.first_successor.push_back(i);
      if (i + 1 < strands) graph.successors.push_back(i + 1);
      begin_ns.push_back(100 * i);
    }
    graph.first_successor.push_back(graph.successors.size());
  }
  Rank& send(std::uint32_t strand, std::uint32_t to, std::uint32_t tag, std::uint64_t bytes, std::uint64_t comm = 1) {
    messages.sent.push_back({strand, to, tag, comm, bytes, 0});
    return *this;
  }
  Rank& receive(std::uint32_t strand, std::uint32_t from, std::uint32_t tag, std::uint64_t bytes, std::uint32_t posted,
                std::uint64_t comm = 1) {
    messages.received.push_back({strand, from, tag, comm, bytes, posted});
    return *this;
  }
  Rank& call(std::uint32_t enter, std::uint32_t leave, std::uint32_t kind, std::uint32_t own, std::uint32_t root,
             std::uint32_t size, std::uint32_t number = 0) {
    messages.collectives.push_back({enter, leave, 1, number, kind, own, root, size, 8});
    return *this;
  }
};

foretask::Result<MergedRanks> merge(const std::vector<Rank>& ranks) {
  std::vector<RankGraph> views;
  for (const Rank& rank : ranks) views.push_back({&rank.graph, &rank.messages, &rank.begin_ns, rank.is_whole});
  return merge_ranks(views);
}

// "r0.2>r1.1:64", an edge from rank 0's strand 2 to rank 1's strand 1, with its bytes; "j" for a join node. Between
// ranks and to and from join nodes alone.
Lines edges_between(const MergedRanks& merged, const std::vector<Rank>& ranks) {
  const TaskGraph& graph = merged.graph;
  std::vector<std::uint32_t> next(ranks.size(), 0);
  Lines names;
  for (std::uint32_t node = 0; node < graph.size(); ++node) {
    const bool is_join = graph.cores[node] == 0;
    // A rank's strands keep their order, and their durations tell them apart.
    if (!is_join) CHECK(graph.duration_ns[node] == 10 + next[graph.node[node]]);
    names.push_back(is_join ? "j"
                            : "r" + std::to_string(graph.node[node]) + "." + std::to_string(next[graph.node[node]]++));
  }
  Lines lines;
  for (std::uint32_t node = 0; node < graph.size(); ++node)
    for (std::uint64_t e = graph.first_successor[node]; e < graph.first_successor[node + 1]; ++e) {
      const std::uint32_t to = graph.successors[e];
      CHECK(node < to);
      const bool is_inner = names[node] != "j" && names[to] != "j" && graph.node[node] == graph.node[to];
      if (!is_inner) lines.push_back(names[node] + ">" + names[to] + ":" + std::to_string(graph.edge_bytes[e]));
    }
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace

TEST_CASE("a message is an edge with its bytes, from the strand before the send to the one after the receive") {
  std::vector<Rank> ranks = {Rank(3), Rank(2)};
  ranks[0].send(1, 1, 7, 64);
  ranks[1].receive(1, 0, 7, 64, 0);
  const auto merged = merge(ranks);
  REQUIRE(merged);
  CHECK(edges_between(*merged, ranks) == Lines{"r0.1>r1.1:64"});
  CHECK(merged->messages == 1);
  CHECK(merged->message_bytes == 64);
  CHECK(merged->graph.size() == 5);
  CHECK(merged->graph.kernel_names == Lines{"(serial part)", "work"});
}

TEST_CASE("messages are told apart by tag and communicator, and are in order within") {
  std::vector<Rank> ranks = {Rank(5), Rank(5)};
  ranks[0].send(0, 1, 7, 1).send(1, 1, 8, 2).send(2, 1, 7, 3).send(3, 1, 7, 4, 99);
  // The second of tag 7 was posted first and came to its end last.
  ranks[1].receive(1, 0, 7, 4, 1, 99).receive(2, 0, 7, 3, 5).receive(3, 0, 8, 2, 3).receive(4, 0, 7, 1, 2);
  const auto merged = merge(ranks);
  REQUIRE(merged);
  CHECK(edges_between(*merged, ranks) == Lines{"r0.0>r1.4:1", "r0.1>r1.3:2", "r0.2>r1.2:3", "r0.3>r1.1:4"});
}

TEST_CASE("messages between the same two strands are one edge with the bytes of both") {
  std::vector<Rank> ranks = {Rank(1), Rank(2)};
  ranks[0].send(0, 1, 1, 10).send(0, 1, 2, 20);
  ranks[1].receive(1, 0, 2, 20, 0).receive(1, 0, 1, 10, 1);
  const auto merged = merge(ranks);
  REQUIRE(merged);
  CHECK(edges_between(*merged, ranks) == Lines{"r0.0>r1.1:30"});
}

TEST_CASE("sends that nobody receives are counted, receives that nobody sent are an error that names the ranks") {
  std::vector<Rank> ranks = {Rank(1), Rank(2)};
  ranks[0].send(0, 1, 1, 10).send(0, 1, 1, 10);
  ranks[1].receive(1, 0, 1, 10, 0);
  const auto merged = merge(ranks);
  REQUIRE(merged);
  CHECK(merged->unmatched_sends == 1);
  ranks[1].receive(1, 0, 1, 10, 1).receive(1, 0, 1, 10, 2);
  const auto refused = merge(ranks);
  REQUIRE(!refused);
  CHECK(refused.error().message().find("rank 1 received 3 messages with tag 1 from rank 0, which sent 2") !=
        std::string::npos);
}

TEST_CASE("all wait for all in a barrier, for the root in a broadcast, the root for all in a reduction") {
  std::vector<Rank> ranks = {Rank(2), Rank(2), Rank(2)};
  SECTION("each for all") {
    for (std::uint32_t i = 0; i < 3; ++i) ranks[i].call(0, 1, FORETASK_COLLECTIVE_ALL, i, 0, 3);
    const auto merged = merge(ranks);
    REQUIRE(merged);
    CHECK(edges_between(*merged, ranks) ==
          Lines{"j>r0.1:8", "j>r1.1:8", "j>r2.1:8", "r0.0>j:8", "r1.0>j:8", "r2.0>j:8"});
    CHECK(merged->collectives == 1);
  }
  SECTION("each for the root") {
    for (std::uint32_t i = 0; i < 3; ++i) ranks[i].call(0, 1, FORETASK_COLLECTIVE_FROM_ROOT, i, 1, 3);
    CHECK(edges_between(*merge(ranks), ranks) == Lines{"r1.0>r0.1:8", "r1.0>r2.1:8"});
  }
  SECTION("the root for each") {
    for (std::uint32_t i = 0; i < 3; ++i) ranks[i].call(0, 1, FORETASK_COLLECTIVE_TO_ROOT, i, 2, 3);
    CHECK(edges_between(*merge(ranks), ranks) == Lines{"r0.0>r2.1:8", "r1.0>r2.1:8"});
  }
  SECTION("each for those before it") {
    for (std::uint32_t i = 0; i < 3; ++i) ranks[i].call(0, 1, FORETASK_COLLECTIVE_PREFIX, i, 0, 3);
    CHECK(edges_between(*merge(ranks), ranks) ==
          Lines{"j>j:8", "j>r1.1:0", "j>r2.1:0", "r0.0>j:8", "r1.0>j:0", "r2.0>j:0"});
  }
}

TEST_CASE("ranks that disagree on a collective call are named") {
  std::vector<Rank> ranks = {Rank(2), Rank(2), Rank(2)};
  ranks[0].call(0, 1, FORETASK_COLLECTIVE_ALL, 0, 0, 3);
  ranks[1].call(0, 1, FORETASK_COLLECTIVE_ALL, 1, 0, 3);
  const auto missing = merge(ranks);
  REQUIRE(!missing);
  CHECK(missing.error().message().find("of 3 ranks was made by 2") != std::string::npos);
  ranks[2].call(0, 1, FORETASK_COLLECTIVE_TO_ROOT, 2, 0, 3);
  const auto other = merge(ranks);
  REQUIRE(!other);
  CHECK(other.error().message().find("rank 0 and rank 2 disagree") != std::string::npos);
}

TEST_CASE("what a rank that was cut short lacks is counted and orders nothing, what others lack is an error") {
  std::vector<Rank> ranks = {Rank(2), Rank(2), Rank(2)};
  ranks[1].is_whole = false;
  ranks[0].call(0, 1, FORETASK_COLLECTIVE_ALL, 0, 0, 3).receive(1, 1, 4, 8, 0);
  ranks[2].call(0, kNoNode, FORETASK_COLLECTIVE_ALL, 2, 0, 3);
  const auto merged = merge(ranks);
  REQUIRE(merged);
  CHECK(merged->partial_collectives == 1);
  CHECK(merged->unmatched_receives == 1);
  CHECK(merged->messages == 0);
  CHECK(edges_between(*merged, ranks) == Lines{"j>r0.1:8", "r0.0>j:8", "r2.0>j:8"});
  // Of the two that are missing now one is whole.
  ranks[2].messages.collectives.clear();
  const auto refused = merge(ranks);
  REQUIRE(!refused);
  CHECK(refused.error().message().find("of 3 ranks was made by 1") != std::string::npos);
}

TEST_CASE("messages that go round in a circle are of no run") {
  std::vector<Rank> ranks = {Rank(2), Rank(2)};
  ranks[0].receive(0, 1, 1, 1, 0).send(0, 1, 1, 1);
  ranks[1].receive(0, 0, 1, 1, 0).send(0, 0, 1, 1);
  const auto merged = merge(ranks);
  REQUIRE(!merged);
  CHECK(merged.error().message().find("cycle") != std::string::npos);
}

TEST_CASE("a call that a killed rank never came back from orders nothing after it") {
  std::vector<Rank> ranks = {Rank(2), Rank(1)};
  ranks[0].send(0, 1, 1, 1).call(0, 1, FORETASK_COLLECTIVE_FROM_ROOT, 0, 0, 2);
  ranks[1].receive(kNoNode, 0, 1, 1, 0).call(0, kNoNode, FORETASK_COLLECTIVE_FROM_ROOT, 1, 0, 2);
  const auto merged = merge(ranks);
  REQUIRE(merged);
  CHECK(edges_between(*merged, ranks).empty());
}
