// SPDX-License-Identifier: Apache-2.0
// Predicts task times on worker classes where they were not measured, from the store (FORETASK=learn, foretask_save()).
// Any thread, one at a time for each graph; reads files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foretask/analysis/run.hpp"
#include "foretask/analysis/task_graph.hpp"
#include "foretask/result.hpp"

namespace foretask::analysis {

// Of one kernel on one worker class.
struct ModelTimes {
  std::string kernel;
  std::string worker_class;
  std::uint64_t tasks = 0;         // that had no time there, at least one
  std::uint64_t predicted = 0;     // that have one now
  std::uint64_t extrapolated = 0;  // of those, with a parameter more than 10 % outside of what was learned
  std::string reason;              // why the others have none; empty: there are none
};

// A copy of the run's graph, with the parameters that the program gave its tasks, each at the task's first strand. 16
// bytes a parameter.
[[nodiscard]] TaskGraph graph_with_parameters(const Run& run);

// Gives a time to each task without a duration on one of `classes` ("cpu": plain cores). It is what this machine's
// stored model predicts for the task's parameters, in whole ns and at least 1. Of several models of a kernel and class
// the one saved last counts, whatever its code version. A recorded task's time is divided among its strands, as their
// measured times are. Durations that exist stay. Tasks with `cores` 0 get none.
//
// `home`: the store's folder; empty: as foretask_save(). Returns a row for each class and kernel where a time was
// missing, kernels in the graph's order. Costs some 100 ns a task and class, some ms a kernel, and 0.1 s for the
// machine's fingerprint. Errors: no store. A model that is unreadable, or needs a parameter that a task lacks, is a
// ModelTimes::reason.
[[nodiscard]] Result<std::vector<ModelTimes>> add_model_times(TaskGraph& graph, const std::vector<std::string>& classes,
                                                              const std::string& home = {});

}  // namespace foretask::analysis
