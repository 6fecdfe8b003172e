// SPDX-License-Identifier: Apache-2.0
// The task graph for replays and analysis: arrays with one entry a graph node, successors in compressed rows. A graph
// node is a task of a task-graph file, or a strand of a recording. Plain data: one thread builds it, then any number
// read it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "foretask/analysis/team_work.hpp"
#include "foretask/result.hpp"

namespace foretask::analysis {

using NodeIndex = std::uint32_t;
inline constexpr NodeIndex kNoNode = 0xffffffffU;
// The graph node cannot run on a plain core.
inline constexpr std::int64_t kNoDuration = -1;

enum class EdgeKind : std::uint8_t { kDependence = 0, kContinuation = 1, kCreate = 2, kJoin = 3 };

// Duration on another worker class than plain cores (the file's `on`).
struct ClassDuration {
  NodeIndex node = 0;
  std::uint32_t worker_class = 0;  // index into class_names
  std::int64_t duration_ns = 0;
};

// A parameter of a graph node's kernel (a number of the file's `params`).
struct NodeParameter {
  NodeIndex node = 0;
  std::uint32_t name = 0;  // index into parameter_names
  double value = 0;        // finite
};

// How tasks of one kernel held a lock, a critical section or an ordered part: one thread at a time.
struct LockHold {
  std::uint32_t lock = 0;  // numbered from 0 in the order of the time that each was held in all
  std::uint32_t kernel = 0;
  std::uint64_t times = 0;
  std::uint64_t handed_on = 0;  // of the times: another thread had held it before
  std::int64_t held_ns = 0;     // while the task that holds it runs: without its waits
  std::int64_t waited_ns = 0;   // until it was acquired
};

// A strand of a recording that is a task with all that it made, on one thread.
struct NodeSubtree {
  NodeIndex node = 0;
  std::uint64_t tasks = 0;
  std::uint64_t waits = 0;
  std::int64_t runtime_ns = 0;  // that the runtime took for them, which is not in the duration
  std::int64_t span_ns = 0;     // the longest path through them
  double at_once = 0;           // the part of them that ran at once, as there was no room for more
};

// Graph nodes are numbered by position in the file, in a recording by start of the strands. Policies break ties by this
// number.
struct TaskGraph {
  // One a graph node.
  std::vector<std::int64_t> duration_ns;
  std::vector<std::uint32_t> kernel;  // index into kernel_names

  // One a graph node, or empty: all have the default, first in each comment.
  std::vector<std::int64_t> release_ns;  // 0: the earliest start
  std::vector<std::int64_t> priority;    // 0: larger runs first under the priority policy
  std::vector<std::uint8_t> cores;       // 1: cores needed; 0 runs at once, on no worker
  std::vector<std::int64_t> id;          // its index: the file's id
  std::vector<std::uint32_t> node;       // 0: the platform's node where it is placed

  std::vector<std::string> kernel_names;

  std::vector<std::string> class_names;
  std::vector<ClassDuration> class_durations;  // by graph node, then in the file's order

  std::vector<std::string> parameter_names;
  std::vector<NodeParameter> parameters;  // by graph node, then in the file's order; each name once a graph node

  // Successors of i: successors[first_successor[i] .. first_successor[i + 1]), in the file's order of edges.
  std::vector<std::uint64_t> first_successor;  // size() + 1 entries
  std::vector<NodeIndex> successors;
  std::vector<EdgeKind> edge_kind;        // one an edge; empty: all kDependence
  std::vector<std::uint64_t> edge_bytes;  // one an edge; empty: all 0

  // Recordings only, else empty: each strand's task, each task's parent (kNoNode: a root), and whether it is untied.
  // Tasks are numbered in order of creation. A thread's share of a loop counts as a task of its own, without a parent.
  std::vector<std::uint32_t> task_of_node;
  std::vector<std::uint32_t> parent_of_task;
  std::vector<std::uint8_t> task_is_untied;
  std::vector<std::uint16_t> dependences_of_task;  // given at its creation; empty: none has any
  // Recordings only: the strand that starts the first team's threads. It takes longer for more threads.
  NodeIndex team_start = kNoNode;
  // Recordings only: which strands are a team's work, and how other numbers of threads would divide it.
  TeamWork team;
  // Recordings only: the strands that are more than one task, and what none of them took longer than.
  std::vector<NodeSubtree> subtrees;
  std::int64_t grain_ns = 0;
  // Recordings only: the 64 locks held longest, by lock.
  std::vector<LockHold> locks;

  [[nodiscard]] std::size_t size() const noexcept { return duration_ns.size(); }
  [[nodiscard]] std::size_t edge_count() const noexcept { return successors.size(); }
  // False for what has no core to itself: a barrier's node, a wait for the outside, a file's `cores: 0`.
  [[nodiscard]] bool occupies_worker(NodeIndex index) const noexcept { return cores.empty() || cores[index] != 0; }
};

// Reads a task-graph file (JSON Lines, docs/task_graph_file.md), in linear time. Errors name path and line: a duplicate
// id, an unknown predecessor, a cycle and a task on it, a negative, infinite or missing number, a bad unit.
[[nodiscard]] Result<TaskGraph> read_task_graph(const std::string& path);

// Writes a task-graph file in ns. read_task_graph() gives the graph back, without a recording's tasks and kinds of
// edges. Errors name the path.
[[nodiscard]] Result<void> write_task_graph(const TaskGraph& graph, const std::string& path);

// Sum of the durations, in ns, at most the largest int64. Graph nodes without a duration count 0; in a recording so do
// those with cores 0, waits for the outside.
[[nodiscard]] std::int64_t work_ns(const TaskGraph& graph);

// Length of the longest path in ns; release times do not count. Of a loop that a team divides counts the longest chunk,
// as far as it is known. O(nodes + edges). The graph must have no cycle.
[[nodiscard]] std::int64_t span_ns(const TaskGraph& graph);

// Of the work of a recording, in ns: what replays take to divide among any number of threads, though the graph does not
// show how. That is loops that one thread ran as one piece, and regions that may be a loop. O(strands log strands).
[[nodiscard]] std::int64_t assumed_even_ns(const TaskGraph& graph);

}  // namespace foretask::analysis
