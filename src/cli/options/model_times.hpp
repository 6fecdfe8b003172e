// SPDX-License-Identifier: Apache-2.0
// --models: times that a machine asks for and that nobody measured.
#pragma once

#include <string>
#include <vector>

#include "cli/options/input.hpp"
#include "foretask/result.hpp"

namespace foretask::cli {

// The input's graph then has the times that the stored models predict on these classes (add_model_times()). A line on
// standard error for each kernel and class with tasks that still have none, or with times that are extrapolated. The
// error: there is no store.
[[nodiscard]] Result<void> add_times_of_models(Input& input, const std::vector<std::string>& classes);

}  // namespace foretask::cli
