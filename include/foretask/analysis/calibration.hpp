// SPDX-License-Identifier: Apache-2.0
// What a task runtime's own work takes on this machine: read from recordings of a program whose tasks do nothing, and
// stored once. docs/costs.md. Cold; thread safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "foretask/analysis/scheduling_costs.hpp"
#include "foretask/result.hpp"

namespace foretask::analysis {

// RuntimeCosts::spread from which on a calibration is unsure: more than recordings differ by themselves.
inline constexpr double kUnsureSpread = 0.3;

// Each cost is the median of the recordings with so many threads. Errors: a recording that cannot be read, no task in
// it, recordings on different runtimes or machines, none at all.
[[nodiscard]] Result<RuntimeCosts> runtime_costs_of(const std::vector<std::string>& recordings);

// The costs stored for this machine and the runtime whose library has this build id; nothing where there are none.
[[nodiscard]] std::optional<RuntimeCosts> stored_runtime_costs(const std::string& library);

// Where that is, or will be: in the store. Errors: there is no store.
[[nodiscard]] Result<std::string> runtime_costs_file(const std::string& library);

// Into that file. Gives its path. Errors: there is no store, or it cannot be written.
[[nodiscard]] Result<std::string> store_runtime_costs(const RuntimeCosts& costs);

}  // namespace foretask::analysis
