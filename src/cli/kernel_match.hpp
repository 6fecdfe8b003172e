// SPDX-License-Identifier: Apache-2.0
// Which kernels a user means by a name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "foretask/result.hpp"

namespace foretask::cli {

// Indices of the kernels called `wanted`: by the full name, else by the function part of "function (file:line)", which
// several kernels may share. The error names kernels whose names are near.
[[nodiscard]] Result<std::vector<std::uint32_t>> match_kernels(const std::vector<std::string>& names,
                                                               std::string_view wanted);

// Letters to insert, remove or replace to make one of the other.
[[nodiscard]] std::size_t edit_distance(std::string_view left, std::string_view right);

}  // namespace foretask::cli
