// SPDX-License-Identifier: Apache-2.0
// When and where the nodes of a graph ran, recorded or replayed: what the writers of timelines draw.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "foretask/analysis/run.hpp"
#include "foretask/analysis/task_graph.hpp"

namespace foretask::report {

// Where and when a node ran; empty for a graph that was neither recorded nor replayed.
using Places = std::function<analysis::StrandPlace(analysis::NodeIndex)>;

// Refers to the graph, and to what `places` refers to.
struct Timeline {
  const analysis::TaskGraph& graph;
  Places places;
  std::string program;
  std::uint32_t workers = 1;  // that there were, busy or not
  // The workers are one pool for all nodes of the machine (TaskGraph::node) instead of each one's own.
  bool is_one_pool = false;
  // Of a replay on a platform: the machine's node that each worker belongs to, in ascending order. Empty: unknown, and
  // tasks ran on their own nodes.
  std::vector<std::uint32_t> node_of_worker = {};
  bool is_recorded = false;  // what the recording shows, no replay
};

}  // namespace foretask::report
