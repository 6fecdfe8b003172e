// SPDX-License-Identifier: Apache-2.0
// The two-step model of Namsraijav and Taura, "Performance Modeling of Task Parallel Programs", section 4.3: six
// intermediate models (eq. 10 to 15) by cross-validated lasso, columns and target scaled, and
// time = (work + delay + no_work) / p (eq. 9). The paper asks its user for an n that the work grows with as a
// polynomial; here n, 2^n and phi^n are tried, and the one that predicts the largest quarter of the n best from the
// others is kept.
#pragma once

#include <memory>
#include <span>

#include "predict/program/program_form.hpp"

namespace foretask::predict {

struct TwoStepOptions {
  bool n_log_n = false;  // eq. 11 with n log(n) in place of the printed log(n)
  // Only a and b are held above zero, which is all that the paper says; else c to f too, as counts and times are.
  bool literal_signs = false;
};

// Errors: fewer than three n or two p, a time or n that is not above 0, no serial work.
[[nodiscard]] Result<std::unique_ptr<FittedProgram>> fit_two_step(std::span<const analysis::ProgramRun> runs,
                                                                  const TwoStepOptions& options);

}  // namespace foretask::predict
