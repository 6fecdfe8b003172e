// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foretask/result.hpp"

namespace foretask::cli {

inline constexpr std::size_t kMaxValues = 4096;

// "64,1024-8192:x2,10-50:10,red": values as they stand, ranges of whole numbers (1-8), ranges with a step (10-50:10)
// and with a factor (1024-8192:x2), in the order given; a value named twice counts once. The error says which part is
// wrong.
[[nodiscard]] Result<std::vector<std::string>> parse_value_list(std::string_view text);

}  // namespace foretask::cli
