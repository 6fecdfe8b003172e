// SPDX-License-Identifier: Apache-2.0
// The time of a task runtime's own work on this machine: read from recordings of a program whose tasks do nothing, and
// stored once. docs/costs.md. Cold; thread safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "foretask/analysis/scheduling_costs.hpp"
#include "foretask/result.hpp"

namespace foretask::analysis {

// RuntimeCosts::spread from which on a calibration is unsure: more than recordings differ by themselves.
inline constexpr double kUnsureSpread = 0.3;

// A run of the calibration program's trees of tasks alone, on one thread, by its own clock.
struct TreeRun {
  std::string recording;  // empty: nobody listened
  double task_ns = 0;     // a task
};

// Each cost is the median of the recordings with so many threads, without what listening takes by the runs of trees.
// Errors: a recording that cannot be read, no task in it, recordings on different runtimes or machines, none at all.
[[nodiscard]] Result<RuntimeCosts> runtime_costs_of(const std::vector<std::string>& recordings,
                                                    const std::vector<TreeRun>& trees);

// The costs stored for this machine and the runtime whose library has this build id; nothing where there are none.
[[nodiscard]] std::optional<RuntimeCosts> stored_runtime_costs(const std::string& library);

// The path of those costs in the store, also before they are stored. Errors: there is no store.
[[nodiscard]] Result<std::string> runtime_costs_file(const std::string& library);

// Into that file. Gives its path. Errors: there is no store, or it cannot be written.
[[nodiscard]] Result<std::string> store_runtime_costs(const RuntimeCosts& costs);

// A recording's runtime, if the time of its own work is not known for teams of that size.
struct UncalibratedRuntime {
  std::string name;                 // "libomp" (LLVM's OpenMP), "libgomp" (GCC's) or "libtbb" (oneTBB)
  std::string file;                 // the library in the recorded process
  std::string library;              // its build id
  bool is_elsewhere = false;        // the recording is of another machine: it cannot be measured here
  std::uint32_t tried_threads = 0;  // RuntimeCosts::tried_threads of what is known; 0: nothing
};

// Nothing where the recording, or the store, knows teams of up to `threads`; where it cannot be read; and of runtimes
// whose own work cannot be measured.
[[nodiscard]] std::optional<UncalibratedRuntime> uncalibrated_runtime(const std::string& recording,
                                                                      std::uint32_t threads);

}  // namespace foretask::analysis
