// SPDX-License-Identifier: Apache-2.0
// A recorded loop on two threads. The first thread's share is two strands, 60 ns before a wait and 90 ns behind it; its
// three pieces weigh 1, 2 and 2, which is 30, 60 and 60 ns. The other's share is one piece of 100 ns; then that thread
// runs a single of 10 ns.
#pragma once

#include <vector>

#include "foretask/analysis/run.hpp"
#include "foretask/analysis/task_graph.hpp"

struct LoopTimeline {
  foretask::analysis::TaskGraph graph;
  std::vector<foretask::analysis::StrandPlace> places{
      {0, 100, 0}, {100, 160, 0}, {300, 390, 0}, {100, 200, 1}, {200, 210, 1}};

  LoopTimeline() {
    using namespace foretask::analysis;
    graph.duration_ns = {100, 60, 90, 100, 10};
    graph.kernel = {0, 1, 1, 1, 0};
    graph.kernel_names = {"main", "loop"};
    graph.first_successor = {0, 2, 3, 3, 4, 4};
    graph.successors = {1, 3, 2, 4};
    graph.edge_kind = {EdgeKind::kCreate, EdgeKind::kCreate, EdgeKind::kContinuation, EdgeKind::kContinuation};
    graph.task_of_node = {0, 1, 1, 2, 2};
    TeamWork& team = graph.team;
    team.strands = {{.node = 1, .thread = 0, .loop = 0},
                    {.node = 3, .thread = 1, .loop = 0},
                    {.node = 4, .thread = 1, .is_of_one = true},
                    {.node = 2, .thread = 0, .loop = 0}};
    team.loops = {{.kernel = 1, .schedule = LoopSchedule::kDynamic, .chunk = 2, .iterations = 10, .end_piece = 4}};
    team.pieces = {{0, 0, 1, 2, 1}, {0, 4, 5, 2, 2}, {0, 8, 9, 2, 2}, {1, 2, 7, 4, 3}};
    team.phases = {{.threads = 2, .end_strand = 4}};
  }
};
