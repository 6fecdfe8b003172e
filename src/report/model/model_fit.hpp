// SPDX-License-Identifier: Apache-2.0
// Writers of a fitted kernel model.
#pragma once

#include <string>

#include "foretask/analysis/model_fit.hpp"

namespace foretask::report {

// "time = 3.2 * n + 100".
[[nodiscard]] std::string formula_text(const analysis::ModelFit& fit);

// The formula, what it explains, the terms, what the residuals say, and what is to be said about it.
[[nodiscard]] std::string model_fit_text(const analysis::ModelFit& fit);

// One JSON object; the keys are in docs/command_line.md.
[[nodiscard]] std::string model_fit_json(const analysis::ModelFit& fit);

}  // namespace foretask::report
