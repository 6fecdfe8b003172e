// SPDX-License-Identifier: Apache-2.0
// What `foretask predict` says of the or-parallel sections of recorded runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foretask/analysis/speculation.hpp"
#include "foretask/result.hpp"

namespace foretask::cli {

// Of recordings of one program: its sections, those of all runs together. `workers`: empty for as many as were
// recorded, twice as many, ... 64 times. No section: none. Errors: of a recording that cannot be read, of two programs.
[[nodiscard]] Result<std::vector<analysis::Speculation>> predict_searches(const std::vector<std::string>& folders,
                                                                          const std::vector<std::uint32_t>& workers,
                                                                          std::vector<std::string>& warnings);

}  // namespace foretask::cli
