// SPDX-License-Identifier: Apache-2.0
// The models of kernels that a page shows.
#pragma once

#include "foretask/analysis/run.hpp"
#include "report/page/kernel_models.hpp"

namespace foretask::cli {

// Of the kernels that have parameters, as `foretask model fit` finds them; of many rows to a random choice, and of many
// kernels those with most rows: as much of it as some two seconds allow. What is left out is a note.
[[nodiscard]] report::KernelModels page_kernel_models(const analysis::Run& run);

}  // namespace foretask::cli
