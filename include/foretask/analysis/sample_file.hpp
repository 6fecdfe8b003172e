// SPDX-License-Identifier: Apache-2.0
// Reads measured times from a file: one column of numbers. Thread safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foretask/result.hpp"

namespace foretask::analysis {

struct Samples {
  std::vector<double> values;
  std::vector<std::string> warnings;  // times below 0; several columns, and no line that names them
};

// Reads a column of comma-separated values; the first one where `column` is empty. A line of column names may be
// missing where `column` is empty. Other columns are not read. O(file). Errors name file and line: a cell that is not a
// finite number, rows of different lengths, no such column, fewer than two values.
[[nodiscard]] Result<Samples> read_samples(const std::string& path, const std::string& column = {});

// The same from text. Errors name `path`.
[[nodiscard]] Result<Samples> parse_samples(std::string_view text, const std::string& path,
                                            const std::string& column = {});

}  // namespace foretask::analysis
