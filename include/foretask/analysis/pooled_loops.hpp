// SPDX-License-Identifier: Apache-2.0
// What other recordings of the same program and input say of its parallel loops. A static loop shows one block of
// iterations a thread; on another number of threads its blocks begin elsewhere, and under schedule(dynamic,1) each
// iteration shows (docs/loops.md, "Several recordings").
#pragma once

#include <cstdint>
#include <vector>

#include "foretask/analysis/task_graph.hpp"
#include "foretask/result.hpp"

namespace foretask::analysis {

// How much another recording adds.
struct PooledRecording {
  std::uint64_t loops = 0;    // executions of loops in the graph
  std::uint64_t matched = 0;  // of these, what the other recording has too
  std::uint64_t refined = 0;  // of these, those whose pieces it, or a further recording, splits
};

// Refines TeamWork::pieces of `graph` by what `others` say of the same executions of loops; all else stays, and so does
// what each piece costs in all. An execution matches that of a loop of the same name with as many iterations, the k-th
// such of one recording the k-th of the other, if both have as many. Neither may be cut, or lack pieces. `others`:
// graphs of recordings; none may be null. Returns one row each. Calls that change different graphs may run at once.
// Linear in pieces, but for sorting: up to some 65,000 pieces more an execution. Errors: no memory; the graph is then
// as it was.
[[nodiscard]] Result<std::vector<PooledRecording>> pool_loops(TaskGraph& graph,
                                                              const std::vector<const TaskGraph*>& others);

}  // namespace foretask::analysis
