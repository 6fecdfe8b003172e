// SPDX-License-Identifier: Apache-2.0
// `foretask model`: its sub-commands, a file each. Each adds itself to `model` and gives what runs it, as the commands
// of command.hpp do; add_model() lists them.
#pragma once

#include "cli/command.hpp"

namespace foretask::cli {

// model_fit.cpp: terms and coefficients of a kernel's time.
[[nodiscard]] Command add_model_fit(CLI::App& model);

// model_evaluate.cpp: what methods of prediction would have said of a table's rows.
[[nodiscard]] Command add_model_evaluate(CLI::App& model);

// model_show.cpp: what is stored of kernels.
[[nodiscard]] Command add_model_show(CLI::App& model);

}  // namespace foretask::cli
