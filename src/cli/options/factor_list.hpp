// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "foretask/result.hpp"

namespace foretask::cli {

// No kernel becomes faster or slower by more.
inline constexpr double kMaxFactor = 1e9;

// "2,100,0.5": factors from 1 / kMaxFactor to kMaxFactor, in the order given; one named twice counts once. The error
// says which part is wrong.
[[nodiscard]] Result<std::vector<double>> parse_factor_list(std::string_view text);

}  // namespace foretask::cli
