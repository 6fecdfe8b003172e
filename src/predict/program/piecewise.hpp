// SPDX-License-Identifier: Apache-2.0
// Piecewise polynomials: the logarithm of the time as restricted cubic splines of log(n) and of log(p), and their
// product, by least squares; Lee, Brooks, de Supinski, Schulz, Singh and McKee, "Methods of inference and learning for
// performance modeling of parallel applications", PPoPP 2007. Knots at Harrell's quantiles (Regression Modeling
// Strategies, section 2.4.6) of the different n and p: 5 from ten values, 4 from seven, 3 from four, else a straight
// line. Cubic between knots, straight beyond the first and the last: it describes the runs and does not extrapolate by
// design.
#pragma once

#include <memory>
#include <span>

#include "predict/program/program_form.hpp"

namespace foretask::predict {

// Errors: fewer than two n or two p, no run more than coefficients, a time or n that is not above 0.
[[nodiscard]] Result<std::unique_ptr<FittedProgram>> fit_piecewise(std::span<const analysis::ProgramRun> runs);

}  // namespace foretask::predict
