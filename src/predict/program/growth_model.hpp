// SPDX-License-Identifier: Apache-2.0
// foretask's own model of T(n, p): the two steps of Namsraijav and Taura with the errors that theirs leaves mended.
//
//   time = (work + delay + no_work) / p                                               (their eq. 9)
//   work = T1'(n) (a0 + a1 (p - 1) / p + a2 (p - 1))                                   (eq. 10)
//   delay = create_task(n) (c1 + c2 (p - 1) + c3 (p - 1) / p) + wait_tasks(n) (...)    (eq. 12)
//   no_work: the greedy schedule lies between max(work / p, span) and work / p + span (p - 1) / p (Brent), at a
//            place between the two that is learned; so no_work is at most (p - 1) span, and the time never below
//            the work and the span law
//
// T1'(n), create_task(n), wait_tasks(n), span(n) are growth laws (growth_law.hpp) in the place of eq. 11, 13 and 14;
// the dependence on p is held against the largest sizes (core_shape.hpp). Where the span is not known, no_work is eq.
// 15 with (p - 1) beside (p - 1)^2. Beyond the runs' reach (worker_reach()) the growth with p is that of replays, or
// stops.
#pragma once

#include <memory>
#include <span>

#include "predict/program/program_form.hpp"
#include "predict/program/replayed_graph.hpp"
#include "predict/program/work_law.hpp"

namespace foretask::predict {

// The error: only one size and one number of workers, or no work.
[[nodiscard]] Result<std::unique_ptr<FittedProgram>> fit_growth_model(std::span<const analysis::ProgramRun> runs);

// Where a replayed graph says the place between Brent's bounds: only beyond the runs' reach, or on any number of
// workers. Beyond the reach the delay is from it in either case.
enum class GraphUse { kBeyond, kEverywhere };

// The same with the work by kernel (kernel_works.hpp) beside that of the whole, each as far as it is sure, and replays
// of a recorded graph (replayed_graph.hpp), which may be null. The error as well: the runs do not say their kernels,
// and there is no graph to be used everywhere.
[[nodiscard]] Result<std::unique_ptr<FittedProgram>> fit_kernel_model(std::span<const analysis::ProgramRun> runs,
                                                                      std::shared_ptr<const ReplayedGraph> graph = {},
                                                                      GraphUse use = GraphUse::kBeyond,
                                                                      const MemorySlowdown* memory = nullptr);

}  // namespace foretask::predict
