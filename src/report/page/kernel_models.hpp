// SPDX-License-Identifier: Apache-2.0
// Models of kernels' times that are fitted to a run, and what was measured beside them: what the page shows of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foretask/analysis/model_fit.hpp"

namespace foretask::report {

struct FittedRow {
  double fitted_ns = 0;
  double measured_ns = 0;
};

struct FittedKernel {
  std::string name;
  analysis::ModelFit fit;
  std::uint64_t rows = 0;        // of the run, that have all parameters
  bool is_of_samples = false;    // scopes, and times handed over; else tasks
  std::vector<FittedRow> drawn;  // an even choice of those fitted to
  // Measured / fitted: 95 % of those fitted to are between.
  double low = 0;
  double high = 0;
};

struct KernelModels {
  std::vector<FittedKernel> kernels;  // most rows first
  std::vector<std::string> notes;     // what was left out, and what to do; sentences
};

}  // namespace foretask::report
