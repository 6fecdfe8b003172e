// SPDX-License-Identifier: Apache-2.0
// Longest paths against the enumeration of all paths, on random graphs.
#include "graph/reconstruction/path_analysis.hpp"

#include <algorithm>
#include <functional>
#include <random>

#include "catch.hpp"

namespace graph = foretask::graph;
using graph::EdgeKind;
using graph::NodeIndex;
using graph::RecordedGraph;

namespace {

RecordedGraph random_graph(std::mt19937& random) {
  RecordedGraph built;
  const NodeIndex nodes = 1 + random() % 12;
  std::int64_t begin = 0;
  for (NodeIndex node = 0; node < nodes; ++node) {
    begin += random() % 10;
    const std::int64_t length = random() % 20;
    built.strands.begin_ns.push_back(begin);
    built.strands.end_ns.push_back(begin + length);
    built.strands.duration_ns.push_back(random() % 4 == 0 ? 0 : length / 2);
    built.strands.task.push_back(node);
    built.strands.worker.push_back(0);
    built.strands.cores.push_back(random() % 5 == 0 ? 0 : 1);
    for (NodeIndex from = 0; from < node; ++from)
      if (random() % 3 == 0) built.edges.add(from, node, static_cast<EdgeKind>(random() % 4));
  }
  return built;
}

// Every path that ends anywhere, with the value that `extend` gives it.
std::int64_t longest_of_all(const RecordedGraph& built, const std::function<std::int64_t(NodeIndex)>& node_weight,
                            const std::function<std::int64_t(std::size_t)>& edge_weight) {
  std::int64_t longest = 0;
  const std::function<void(NodeIndex, std::int64_t)> visit = [&](NodeIndex node, std::int64_t length) {
    length += node_weight(node);
    longest = std::max(longest, length);
    for (std::size_t edge = 0; edge < built.edges.size(); ++edge)
      if (built.edges.from[edge] == node) visit(built.edges.to[edge], length + edge_weight(edge));
  };
  for (NodeIndex node = 0; node < built.strands.size(); ++node) {
    // Paths begin where nothing comes before: a longer one would else be cut.
    if (std::find(built.edges.to.begin(), built.edges.to.end(), node) == built.edges.to.end()) visit(node, 0);
  }
  return longest;
}

bool is_path(const RecordedGraph& built, const std::vector<NodeIndex>& nodes) {
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    bool found = false;
    for (std::size_t edge = 0; edge < built.edges.size(); ++edge)
      found = found || (built.edges.from[edge] == nodes[i - 1] && built.edges.to[edge] == nodes[i]);
    if (!found) return false;
  }
  return !nodes.empty();
}

std::int64_t delay_of(const RecordedGraph& built, NodeIndex node) {
  std::int64_t ready = -1;
  for (std::size_t edge = 0; edge < built.edges.size(); ++edge)
    if (built.edges.to[edge] == node) ready = std::max(ready, built.strands.end_ns[built.edges.from[edge]]);
  return ready < 0 ? 0 : std::max<std::int64_t>(0, built.strands.begin_ns[node] - ready);
}

}  // namespace

TEST_CASE("the span is the longest of all paths, and its nodes are one") {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    const RecordedGraph built = random_graph(random);
    const graph::Path path = graph::longest_work_path(built);
    const auto duration = [&](NodeIndex node) { return built.strands.duration_ns[node]; };
    REQUIRE(path.length == longest_of_all(built, duration, [](std::size_t) { return 0; }));
    REQUIRE(is_path(built, path.nodes));
    std::int64_t sum = 0;
    for (const NodeIndex node : path.nodes) sum += duration(node);
    REQUIRE(sum == path.length);
  }
}

TEST_CASE("the path of the largest delay is the one on which most was lost") {
  std::mt19937 random(2);
  for (int round = 0; round < 500; ++round) {
    const RecordedGraph built = random_graph(random);
    const graph::Path path = graph::largest_delay_path(built);
    const auto delay = [&](NodeIndex node) { return delay_of(built, node); };
    REQUIRE(path.length == longest_of_all(built, delay, [](std::size_t) { return 0; }));
    REQUIRE(is_path(built, path.nodes));
  }
}

TEST_CASE("the burdened span is the longest path when joins and continuations after creations cost more") {
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    const RecordedGraph built = random_graph(random);
    const std::int64_t burden = random() % 50;
    const auto weight = [&](std::size_t edge) -> std::int64_t {
      const EdgeKind kind = built.edges.kind[edge];
      if (kind == EdgeKind::kJoin) return built.strands.cores[built.edges.to[edge]] != 0 ? burden : 0;
      if (kind != EdgeKind::kContinuation) return 0;
      for (std::size_t other = 0; other < built.edges.size(); ++other)
        if (built.edges.from[other] == built.edges.from[edge] && built.edges.kind[other] == EdgeKind::kCreate)
          return burden;
      return 0;
    };
    const auto duration = [&](NodeIndex node) { return built.strands.duration_ns[node]; };
    REQUIRE(graph::burdened_span_ns(built, burden, built.strands.duration_ns) ==
            longest_of_all(built, duration, weight));
    REQUIRE(graph::burdened_span_ns(built, 0, built.strands.duration_ns) == graph::longest_work_path(built).length);
  }
}

TEST_CASE("the last finisher's path goes back from the latest end to the latest ends before it") {
  std::mt19937 random(4);
  for (int round = 0; round < 500; ++round) {
    const RecordedGraph built = random_graph(random);
    const graph::Path path = graph::last_finisher_path(built);
    REQUIRE(is_path(built, path.nodes));
    const auto& ends = built.strands.end_ns;
    REQUIRE(ends[path.nodes.back()] == *std::max_element(ends.begin(), ends.end()));
    for (std::size_t i = 0; i < path.nodes.size(); ++i) {
      std::int64_t latest = -1;
      for (std::size_t edge = 0; edge < built.edges.size(); ++edge)
        if (built.edges.to[edge] == path.nodes[i]) latest = std::max(latest, ends[built.edges.from[edge]]);
      REQUIRE(latest == (i == 0 ? -1 : ends[path.nodes[i - 1]]));
    }
  }
}

TEST_CASE("a graph of nothing has paths of nothing") {
  const RecordedGraph built;
  CHECK(graph::longest_work_path(built).nodes.empty());
  CHECK(graph::largest_delay_path(built).nodes.empty());
  CHECK(graph::last_finisher_path(built).nodes.empty());
  CHECK(graph::burdened_span_ns(built, 100, built.strands.duration_ns) == 0);
}

TEST_CASE("edges by source are the edges by target, none lost and none moved") {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    RecordedGraph built = random_graph(random);
    std::vector<std::tuple<NodeIndex, NodeIndex, EdgeKind>> expected;
    for (std::size_t edge = 0; edge < built.edges.size(); ++edge)
      expected.emplace_back(built.edges.from[edge], built.edges.to[edge], built.edges.kind[edge]);
    std::stable_sort(expected.begin(), expected.end(),
                     [](const auto& a, const auto& b) { return std::get<0>(a) < std::get<0>(b); });
    foretask::analysis::TaskGraph into;
    const std::size_t nodes = built.strands.size();
    graph::fill_successors(std::move(built.edges), nodes, into);
    REQUIRE(into.first_successor.size() == nodes + 1);
    REQUIRE(into.first_successor.front() == 0);
    REQUIRE(into.first_successor.back() == expected.size());
    std::vector<std::tuple<NodeIndex, NodeIndex, EdgeKind>> seen;
    for (NodeIndex node = 0; node < nodes; ++node)
      for (std::uint64_t edge = into.first_successor[node]; edge < into.first_successor[node + 1]; ++edge)
        seen.emplace_back(node, into.successors[edge], into.edge_kind[edge]);
    REQUIRE(seen == expected);
  }
}
