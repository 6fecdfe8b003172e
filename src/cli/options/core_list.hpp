// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "foretask/result.hpp"

namespace foretask::cli {

// No machine has more, and a simulated worker costs memory.
inline constexpr std::uint32_t kMaxCores = 1'000'000;
inline constexpr std::size_t kMaxCoreCounts = 4096;

// "1,2,4-64:4": numbers, ranges and ranges with a step, in the order given; a number named twice counts once. A range
// ends at or before its end. The error says which part is wrong.
[[nodiscard]] Result<std::vector<std::uint32_t>> parse_core_list(std::string_view text);

}  // namespace foretask::cli
