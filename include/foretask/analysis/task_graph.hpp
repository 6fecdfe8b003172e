// SPDX-License-Identifier: Apache-2.0
// The task graph that replay and analysis work on: compact arrays, one entry a node, successors in compressed rows.
// A node is a task of a task-graph file, or a strand (a task's code between two scheduling points) of a recording.
// Plain data: built by one thread, then read by any number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "foretask/result.hpp"

namespace foretask::analysis {

using NodeIndex = std::uint32_t;
inline constexpr NodeIndex kNoNode = 0xffffffffU;
// A duration that says: this node cannot run on a plain core.
inline constexpr std::int64_t kNoDuration = -1;

enum class EdgeKind : std::uint8_t { kDependence = 0, kContinuation = 1, kCreate = 2, kJoin = 3 };

// What a node takes on a worker of another class than a plain core (the file's `on`).
struct ClassDuration {
  NodeIndex node = 0;
  std::uint32_t worker_class = 0;  // index into class_names
  std::int64_t duration_ns = 0;
};

// A parameter of a node's kernel (a number of the file's `params`).
struct NodeParameter {
  NodeIndex node = 0;
  std::uint32_t name = 0;  // index into parameter_names
  double value = 0;        // finite
};

// Node index = position in the file, or order of the strands' starts in a recording; the policies break ties by it.
struct TaskGraph {
  // One a node.
  std::vector<std::int64_t> duration_ns;
  std::vector<std::uint32_t> kernel;  // index into kernel_names

  // One a node, or empty where every node has the default.
  std::vector<std::int64_t> release_ns;  // 0: earliest instant it may start
  std::vector<std::int64_t> priority;    // 0: larger runs first under the priority policy
  std::vector<std::uint8_t> cores;       // 1: 0 runs at once and occupies no worker
  std::vector<std::int64_t> id;          // index: the id that the file gave it
  std::vector<std::uint32_t> node;       // 0: the machine's node it is placed on

  std::vector<std::string> kernel_names;

  std::vector<std::string> class_names;
  std::vector<ClassDuration> class_durations;  // in order of node, then as the file names them

  std::vector<std::string> parameter_names;
  std::vector<NodeParameter> parameters;  // in order of node, then as the file names them; no name twice for a node

  // Successors of node i: successors[first_successor[i] .. first_successor[i + 1]), in file order of the edges.
  std::vector<std::uint64_t> first_successor;  // size() + 1 entries
  std::vector<NodeIndex> successors;
  std::vector<EdgeKind> edge_kind;        // one an edge; empty: all kDependence
  std::vector<std::uint64_t> edge_bytes;  // one an edge; empty: all 0

  // Recordings only: which task a strand belongs to, each task's parent (kNoNode for a root), and whether it is tied.
  // Tasks are numbered in order of creation. Empty for a task-graph file.
  std::vector<std::uint32_t> task_of_node;
  std::vector<std::uint32_t> parent_of_task;
  std::vector<std::uint8_t> task_is_untied;
  // Recordings only: the strand that starts the first team's threads, which takes longer the more there are.
  NodeIndex team_start = kNoNode;

  [[nodiscard]] std::size_t size() const noexcept { return duration_ns.size(); }
  [[nodiscard]] std::size_t edge_count() const noexcept { return successors.size(); }
};

// Reads a task-graph file (JSON Lines, docs/task_graph_file.md). Linear in its size. The error names path and line:
// duplicate id, unknown predecessor, a cycle and one task on it, a negative, infinite or missing number, a bad unit.
[[nodiscard]] Result<TaskGraph> read_task_graph(const std::string& path);

// Writes `graph` as a task-graph file in nanoseconds; read_task_graph gives the same graph back.
[[nodiscard]] Result<void> write_task_graph(const TaskGraph& graph, const std::string& path);

// Sum of the durations, in ns; of a recording's strands alone, where nodes with cores 0 are what was waited for
// outside. Nodes with no duration count 0. A sum past the largest int64 stays there.
[[nodiscard]] std::int64_t work_ns(const TaskGraph& graph);

// Length of the longest path, durations only (release times ignored), in ns. O(nodes + edges). The graph has no cycle.
[[nodiscard]] std::int64_t span_ns(const TaskGraph& graph);

}  // namespace foretask::analysis
