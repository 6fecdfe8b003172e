// SPDX-License-Identifier: Apache-2.0
// The published models of a program's T(n, p), as they stand in docs/program_models.md. Any thread.
#pragma once

#include <span>

#include "predict/program/program_form.hpp"

namespace foretask::predict {

[[nodiscard]] std::span<const ProgramForm> baseline_forms();

}  // namespace foretask::predict
