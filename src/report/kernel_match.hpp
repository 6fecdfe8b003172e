// SPDX-License-Identifier: Apache-2.0
// Which kernels a user means by a name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "foretask/result.hpp"

namespace foretask::report {

// Indices of the kernels called `wanted`: by the full name, or as a text table shortens it; else by the function part
// of "function (file:line)"; else by the function without template arguments and qualifiers, or by "file:line". Several
// kernels may share what is not the full name. The error names kernels whose names are near, in short form.
[[nodiscard]] Result<std::vector<std::uint32_t>> match_kernels(const std::vector<std::string>& names,
                                                               std::string_view wanted);

}  // namespace foretask::report
