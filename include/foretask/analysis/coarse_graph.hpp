// SPDX-License-Identifier: Apache-2.0
// A recording's graph as it would be if small or deep tasks were plain calls. A task that becomes a call runs where it
// was created: its work joins the strand that created it, and so does that of all its descendants. Its creation, its
// dispatch and what waited for it are gone. Thread safe: a call only reads the graph.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "foretask/analysis/task_graph.hpp"
#include "foretask/result.hpp"

namespace foretask::analysis {

inline constexpr std::uint32_t kAnyDepth = std::numeric_limits<std::uint32_t>::max();

// Which tasks become calls: those below the grain and those below the depth, with all their descendants.
struct CutOff {
  std::int64_t grain_ns = 0;           // whose own work and that of all descendants is less; 0: none
  std::uint32_t depth = kAnyDepth;     // that lie deeper; 1: what an implicit task created. kAnyDepth: none
  std::vector<std::uint32_t> kernels;  // of these alone; empty: of all
};

struct CoarseGraph {
  TaskGraph graph;
  std::uint64_t tasks = 0;  // explicit ones that are left
  std::uint64_t calls = 0;  // that became calls
  // Below the cut-off, and still tasks:
  std::uint64_t waiting =
      0;  // their dependences wait for tasks that are left, a call would not. Or the runtime creates them
  std::uint64_t whole = 0;  // in their subtree is a detached task, or a parallel region of several threads
};

// Coarse graphs of one recording; what they share is found once.
class CoarseGraphs {
 public:
  // The graph must stay. O(strands + edges); 18 bytes a task. Errors: a task-graph file (it has no tasks within tasks);
  // strands, edges and tasks that do not fit together; no memory.
  [[nodiscard]] static Result<CoarseGraphs> of(const TaskGraph& graph);

  CoarseGraphs(CoarseGraphs&&) noexcept;
  CoarseGraphs& operator=(CoarseGraphs&&) noexcept;
  ~CoarseGraphs();

  // The work is that of the graph, and so are teams and loops: their work divides among other numbers of threads as
  // before. A task without parent, and a strand of no worker, stay. Without parameters and times of other worker
  // classes. Where nothing becomes a call the graph is as it was. O(strands + edges); 6 bytes a task and 21 a strand at
  // most beside both graphs. Tasks within a subtree, which the graph does not tell apart, become calls. Errors: some of
  // these may stay tasks, as the subtree is no call and the grain is finer than the graph's, or only some kernels'
  // tasks are to be calls; no memory.
  [[nodiscard]] Result<CoarseGraph> below(const CutOff& cut_off) const;

  // Explicit tasks that ran, those within subtrees included.
  [[nodiscard]] std::uint64_t tasks() const noexcept;
  // Cut-offs worth a try, finest first: grains of 1, 2, 5, 10, ... us, or depths. Not those that leave nearly as many
  // tasks as the one before, or hardly a task, or for which tasks within subtrees are to be told apart. Empty: no task
  // is small. O(tasks).
  [[nodiscard]] std::vector<CutOff> grains_to_try() const;
  [[nodiscard]] std::vector<CutOff> depths_to_try() const;

  struct Impl;  // the library's

 private:
  explicit CoarseGraphs(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// One of them. A graph that is coarse already may be given, with a coarser cut-off: the result is as from the first
// graph.
[[nodiscard]] Result<CoarseGraph> coarsened(const TaskGraph& graph, const CutOff& cut_off);

}  // namespace foretask::analysis
