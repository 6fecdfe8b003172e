// SPDX-License-Identifier: Apache-2.0
// Parallel regions while a graph is reconstructed: their members and the barriers that these have come to.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/reconstruction/name_table.hpp"
#include "graph/reconstruction/recorded_graph.hpp"

namespace foretask::graph {

struct Barrier {
  std::vector<NodeIndex> arrived;  // last strands before it
  NodeIndex join_node = kNoNode;   // made when the first member leaves
  std::int64_t ready_ns = 0;       // when the last arrived and the last task ended
  std::uint32_t left = 0;
  std::uint32_t next_phase = kNone;  // what begins behind it; as join_node
};

struct Member {
  std::uint32_t task = kNone;
  std::uint32_t barriers_reached = 0;
  std::uint32_t barriers_left = 0;
  std::uint32_t loops_begun = 0;
};

struct Region {
  NodeIndex fork_strand = kNoNode;
  std::uint32_t parent = kNone;  // the task that meets the construct
  std::uint32_t scope = kNone;
  std::uint32_t kernel = 0;
  std::uint32_t team_size = 0;  // 0 until a member begins
  bool ended = false;
  std::vector<Member> members;
  std::vector<Barrier> barriers;  // those that not all members have left: two at most, in a trace that is whole
  std::uint32_t barriers_done = 0;
  std::uint32_t first_phase = kNone;
  bool is_doubtful = false;          // its events contradict each other, in a damaged trace
  bool is_spoiled = false;           // its members do more in some phase than work that could be divided
  bool is_for_tasks = false;         // it is no construct of a program's: a runtime's workers, whose parts are empty
  std::vector<std::uint32_t> loops;  // in the order in which each member comes to them
};

using TeamTable = NameTable<Region>;

}  // namespace foretask::graph
