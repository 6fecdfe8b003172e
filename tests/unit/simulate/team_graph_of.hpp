// SPDX-License-Identifier: Apache-2.0
// A program that is one parallel region, as a recording would have it: a fork of 10 ns, a strand for each thread, and
// what comes behind the barrier, 10 ns.
#pragma once

#include <vector>

#include "foretask/analysis/task_graph.hpp"

inline foretask::analysis::TaskGraph team_graph_of(const std::vector<std::int64_t>& thread_ns) {
  using namespace foretask::analysis;
  const auto threads = static_cast<std::uint32_t>(thread_ns.size());
  TaskGraph graph;
  graph.kernel_names = {"main", "region", "a.c:7 loop"};
  graph.kernel = {0};
  graph.duration_ns = {10};
  graph.task_of_node = {0};
  graph.parent_of_task = {kNoNode};
  graph.first_successor = {0};
  for (std::uint32_t thread = 0; thread < threads; ++thread) {
    graph.kernel.push_back(1);
    graph.duration_ns.push_back(thread_ns[thread]);
    graph.task_of_node.push_back(thread + 1);
    graph.parent_of_task.push_back(kNoNode);
    graph.successors.push_back(thread + 1);
    graph.edge_kind.push_back(EdgeKind::kCreate);
    graph.team.strands.push_back({.node = thread + 1, .thread = thread});
  }
  graph.kernel.push_back(0);
  graph.duration_ns.push_back(10);
  graph.task_of_node.push_back(0);
  graph.successors.push_back(threads + 1);
  graph.edge_kind.push_back(EdgeKind::kContinuation);
  graph.first_successor.push_back(graph.successors.size());
  for (std::uint32_t thread = 0; thread < threads; ++thread) {
    graph.successors.push_back(threads + 1);
    graph.edge_kind.push_back(EdgeKind::kJoin);
    graph.first_successor.push_back(graph.successors.size());
  }
  graph.first_successor.push_back(graph.successors.size());
  graph.team.phases.push_back({.threads = threads, .end_strand = threads});
  return graph;
}

// The same, the strands being a loop's. Pieces are by thread, and weigh what they took.
inline foretask::analysis::TaskGraph loop_graph_of(const std::vector<foretask::analysis::LoopPiece>& pieces,
                                                   foretask::analysis::LoopSchedule schedule, std::uint64_t chunk) {
  using namespace foretask::analysis;
  std::vector<std::int64_t> thread_ns;
  TeamLoop loop{.kernel = 2, .schedule = schedule, .chunk = chunk, .end_piece = pieces.size()};
  for (const LoopPiece& piece : pieces) {
    thread_ns.resize(piece.thread + 1);
    thread_ns[piece.thread] += static_cast<std::int64_t>(piece.weight);
    loop.iterations += piece.iterations;
  }
  TaskGraph graph = team_graph_of(thread_ns);
  for (TeamStrand& strand : graph.team.strands) {
    strand.loop = 0;
    graph.kernel[strand.node] = 2;
  }
  graph.team.loops = {loop};
  graph.team.pieces = pieces;
  return graph;
}
