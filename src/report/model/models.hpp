// SPDX-License-Identifier: Apache-2.0
// Writers of what `foretask model` finds: fitted models, stored ones, and methods compared. Each JSON writer gives one
// object, whose keys are in docs/command_line.md.
#pragma once

#include <string>

#include "foretask/analysis/evaluate.hpp"
#include "foretask/analysis/model_fit.hpp"
#include "foretask/analysis/model_store.hpp"

namespace foretask::report {

// A table, the method with the smallest error first, and a line that reads it.
[[nodiscard]] std::string evaluation_text(const std::string& file, const std::string& target,
                                          const std::string& parameter, const analysis::Evaluation& evaluation);
[[nodiscard]] std::string evaluation_json(const analysis::Evaluation& evaluation);

// "time = 3.2 * n + 100".
[[nodiscard]] std::string formula_text(const analysis::ModelFit& fit);

// The formula, what it explains, the terms, what the residuals say, and what is to be said about it.
[[nodiscard]] std::string model_fit_text(const analysis::ModelFit& fit);
[[nodiscard]] std::string model_fit_json(const analysis::ModelFit& fit);

// A table of all models, or of a single kernel's what each says.
[[nodiscard]] std::string model_store_text(const analysis::StoreListing& listing, bool one_kernel);
[[nodiscard]] std::string model_store_json(const analysis::StoreListing& listing);

}  // namespace foretask::report
