// SPDX-License-Identifier: Apache-2.0
// What tasks take on classes of workers that nobody has measured them on, from what programs have learned of their
// kernels (FORETASK=learn, foretask_save()). Any thread, each graph by one at a time; reads files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foretask/analysis/run.hpp"
#include "foretask/analysis/task_graph.hpp"
#include "foretask/result.hpp"

namespace foretask::analysis {

// Of one kernel on one class of workers.
struct ModelTimes {
  std::string kernel;
  std::string worker_class;
  std::uint64_t tasks = 0;         // that had no time there, at least one
  std::uint64_t predicted = 0;     // of them, those that have one now
  std::uint64_t extrapolated = 0;  // of those, by a parameter more than 10 % outside of what was learned from
  std::string reason;              // why the others still have none; empty where there are no others
};

// The run's graph, with the parameters that the program gave its tasks: each task's at its first strand. 16 bytes a
// parameter beside the copy.
[[nodiscard]] TaskGraph graph_with_parameters(const Run& run);

// Gives each task that has no duration on one of `classes` ("cpu" is a plain core) the time that this machine's stored
// model of its kernel predicts there for its parameters, in whole ns and at least 1; of a kernel's models on a class
// the one saved last, whatever its code version. A recorded task's time is shared out over its strands as their
// measured times are. Tasks with `cores` 0 run on no worker and get none. Durations that are there stay.
// `home`: the store's folder, empty: as foretask_save() finds it.
// Gives what came of each kernel and class where a time was missing, kernel by kernel in the graph's order. Some 100 ns
// a task and class, some ms a kernel, once a tenth of a second for the machine's fingerprint. Errors: there is no store
// to look in. A model that cannot be read, or asks for a parameter that a task lacks, is no error but a reason.
[[nodiscard]] Result<std::vector<ModelTimes>> add_model_times(TaskGraph& graph, const std::vector<std::string>& classes,
                                                              const std::string& home = {});

}  // namespace foretask::analysis
