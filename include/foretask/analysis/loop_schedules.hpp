// SPDX-License-Identifier: Apache-2.0
// Which schedule would suit a recorded parallel loop on a number of threads: those in question are dealt out by the
// costs of its iterations, without replaying the program. Thread safe: a call only reads the graph.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "foretask/analysis/simulate.hpp"

namespace foretask::analysis {

// A loop whose iterations replays deal out anew (docs/loops.md). No sections: they have no schedule.
struct DivisibleLoop {
  std::vector<std::uint32_t> kernels;  // of one name; index into TaskGraph::kernel_names
  std::string schedule;                // as recorded, as in LoopSummary
  std::int64_t work_ns = 0;            // of the graph's durations
  std::int64_t hand_out_ns = 0;        // beside it, as recorded: handing out its chunks
  std::uint64_t iterations = 0;        // the most that one execution had
};

// Most work first. O(strands).
[[nodiscard]] std::vector<DivisibleLoop> divisible_loops(const TaskGraph& graph);

struct TriedSchedule {
  LoopSchedule schedule = LoopSchedule::kStatic;
  std::uint64_t chunk = 0;  // 0: the schedule's default
  // Of the stretches between barriers that have the loop, until their busiest threads are done, summed.
  std::int64_t loop_ns = 0;
};

// A loop on one number of threads.
struct ScheduleTrial {
  std::int64_t loop_ns = 0;  // under its own schedule; as TriedSchedule::loop_ns
  // By simplicity: static, static with chunks, then the others. Among these fewer hand-outs first.
  std::vector<TriedSchedule> tried;
  std::size_t best = 0;  // the first in `tried` within 1 % of the fastest one
  // The part of the loop's time that the recording shows in pieces longer than a quarter of a thread's even share of
  // the iterations: how these differ within a piece is not seen.
  double unseen = 0;
};

// A row a loop, with a trial a number of cores. Tried are static; and static, dynamic and guided with chunks that
// double from one iteration up to a thread's even share. `options`: kernel factors count. A loop that deals out more
// than some 20 million chunks is tried on a sample of its executions, and loop_ns extrapolated. O(chunks * log threads)
// a loop and number of cores, on several threads. Errors: those of simulate().
[[nodiscard]] Result<std::vector<std::vector<ScheduleTrial>>> try_schedules(
    const TaskGraph& graph, const SimulationOptions& options, const std::vector<DivisibleLoop>& loops,
    const std::vector<std::uint32_t>& cores, const std::function<void(double done)>& progress = {});

}  // namespace foretask::analysis
