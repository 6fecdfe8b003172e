// SPDX-License-Identifier: Apache-2.0
// The terms of a kernel's time, found: a search under each kind of noise, outliers left out, the likelier kind kept,
// and terms dropped that only serve the smaller rows. Cold.
#pragma once

#include <string>
#include <vector>

#include "foretask/analysis/data_table.hpp"
#include "foretask/analysis/model_fit.hpp"
#include "foretask/result.hpp"
#include "model/fit/term.hpp"

namespace foretask::model {

struct FoundModel {
  std::vector<Term> terms;  // the constant first
  analysis::Noise noise = analysis::Noise::kConstant;
  std::size_t candidates = 0;
  std::vector<std::string> notes;  // for the user
};

enum class RowOrder {
  kNone,
  kTime  // what disturbs a row disturbs the next ones as well: terms must explain more than that
};

[[nodiscard]] Result<FoundModel> search_model(const analysis::DataTable& table,
                                              const std::vector<std::string>& parameters,
                                              const std::vector<double>& target, RowOrder order = RowOrder::kNone);

}  // namespace foretask::model
