// SPDX-License-Identifier: Apache-2.0
// Writers of what the store of kernel models holds.
#pragma once

#include <string>

#include "foretask/analysis/model_store.hpp"

namespace foretask::report {

// A table of all models, or of a single kernel's what each says.
[[nodiscard]] std::string model_store_text(const analysis::StoreListing& listing, bool one_kernel);

// One JSON object; the keys are in docs/command_line.md.
[[nodiscard]] std::string model_store_json(const analysis::StoreListing& listing);

}  // namespace foretask::report
