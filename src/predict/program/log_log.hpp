// SPDX-License-Identifier: Apache-2.0
// log2(time) = a + b log2(n) + g(p), with g linear or quadratic in log2(p): Barnes, Rountree, Lowenthal, Reeves,
// de Supinski and Schulz, "A regression-based approach to scalability prediction", ICS 2008, on the whole time; eq. 6
// and 7 of Namsraijav and Taura. Least squares.
#pragma once

#include <memory>
#include <span>

#include "predict/program/program_form.hpp"

namespace foretask::predict {

// Errors: fewer than two n or two p (three for the quadratic), no run more than coefficients, n and p that always
// change together, a time or n that is not above 0.
[[nodiscard]] Result<std::unique_ptr<FittedProgram>> fit_log_log(std::span<const analysis::ProgramRun> runs,
                                                                 bool quadratic);

}  // namespace foretask::predict
