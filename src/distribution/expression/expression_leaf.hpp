// SPDX-License-Identifier: Apache-2.0
// Distributions of an expression's leaves.
#pragma once

#include <string>
#include <vector>

#include "distribution/expression/function_table.hpp"
#include "foretask/analysis/distribution.hpp"
#include "foretask/analysis/distribution_text.hpp"
#include "foretask/result.hpp"

namespace foretask::distribution {

// Of one that takes numbers, as many of them as it takes.
[[nodiscard]] Result<analysis::Distribution> of_numbers(Function function, const std::vector<double>& numbers);

[[nodiscard]] Result<analysis::Distribution> of_times(analysis::MeasuredTimes times);

// A number as a user wrote it.
[[nodiscard]] std::string shown(double number);

}  // namespace foretask::distribution
