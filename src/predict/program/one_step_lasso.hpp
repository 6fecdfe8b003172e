// SPDX-License-Identifier: Apache-2.0
// The time at once, without its parts: cross-validated lasso with non-negative coefficients over the products of eq.
// 11's terms of n (its constant included) and (1, 1 / p, (p - 1) / p, p - 1). What Namsraijav and Taura hold their two
// steps against ("Performance Modeling of Task Parallel Programs", section 1).
#pragma once

#include <memory>
#include <span>

#include "predict/program/program_form.hpp"

namespace foretask::predict {

// Errors: fewer than three n or two p, a time or n that is not above 0.
[[nodiscard]] Result<std::unique_ptr<FittedProgram>> fit_one_step_lasso(std::span<const analysis::ProgramRun> runs);

}  // namespace foretask::predict
