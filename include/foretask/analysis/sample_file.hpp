// SPDX-License-Identifier: Apache-2.0
// Measured values from a file: one column of numbers. Thread safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foretask/result.hpp"

namespace foretask::analysis {

// The values of `column` of comma-separated values, of the first one where `column` is empty: one number a line is a
// file of one column. A first line of column names may be missing, where no column is asked for by name; of the other
// columns nothing is read. O(file). Errors name the file and the line: a cell that is no finite number, rows of
// different lengths, no such column, fewer than two values.
[[nodiscard]] Result<std::vector<double>> read_samples(const std::string& path, const std::string& column = {});

// The same from text; `path` is for the errors.
[[nodiscard]] Result<std::vector<double>> parse_samples(std::string_view text, const std::string& path,
                                                        const std::string& column = {});

}  // namespace foretask::analysis
