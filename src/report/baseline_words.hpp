// SPDX-License-Identifier: Apache-2.0
// What recording changed, and another runtime in the place of the program's own.
#pragma once

#include <string>

#include "foretask/analysis/baseline.hpp"

namespace foretask::report {

// In sentences, or why the runs cannot be compared.
[[nodiscard]] std::string baseline_words(const analysis::Baseline& baseline);

}  // namespace foretask::report
