// SPDX-License-Identifier: Apache-2.0
// Lists on the command line: parts separated by commas, ranges among them, in the order given. A part named twice
// counts once. An error says which part is wrong.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "foretask/result.hpp"

namespace foretask::cli {

// No machine has more, and a simulated worker costs memory.
inline constexpr std::uint32_t kMaxCores = 1'000'000;
// No kernel becomes faster or slower by more.
inline constexpr double kMaxFactor = 1e9;
// What a list with its ranges holds at most.
inline constexpr std::size_t kMaxValues = 4096;

// The parts as they stand, empty ones too; at least one.
[[nodiscard]] std::vector<std::string> split(std::string_view text, char separator = ',');

// "64,1024-8192:x2,10-50:10,red": values as they stand, ranges of whole numbers (1-8), ranges with a step (10-50:10)
// and with a factor (1024-8192:x2). A range ends at or before its end.
[[nodiscard]] Result<std::vector<std::string>> parse_value_list(std::string_view text);

// "1,2,4-64:4": the same of whole numbers from 1 to kMaxCores.
[[nodiscard]] Result<std::vector<std::uint32_t>> parse_core_list(std::string_view text);

// "2,100,0.5": numbers from 1 / kMaxFactor to kMaxFactor.
[[nodiscard]] Result<std::vector<double>> parse_factor_list(std::string_view text);

// "1us,0.5ms,2s": times above 0, each with its unit (ns, us, ms or s), in ns.
[[nodiscard]] Result<std::vector<std::int64_t>> parse_time_list(std::string_view text);

// "1-12": whole numbers from 0 on.
[[nodiscard]] Result<std::vector<std::uint32_t>> parse_depth_list(std::string_view text);

// 1, 2, 4, ... below `most`, and `most`, which is at least 1.
[[nodiscard]] std::vector<std::uint32_t> doubled_up_to(std::uint32_t most);

}  // namespace foretask::cli
