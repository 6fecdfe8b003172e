// SPDX-License-Identifier: Apache-2.0
// Named columns of numbers, one row a sample. Kernel models are fitted to such tables and judged on them. As thread
// safe as a std::vector.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "foretask/result.hpp"

namespace foretask::analysis {

struct DataTable {
  std::vector<std::string> names;            // each once, none empty
  std::vector<std::vector<double>> columns;  // as long as `names`, all of one length, all finite

  [[nodiscard]] std::size_t rows() const noexcept { return columns.empty() ? 0 : columns.front().size(); }

  // Null where no column has this name.
  [[nodiscard]] const std::vector<double>* column(std::string_view name) const noexcept {
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i] == name) return &columns[i];
    return nullptr;
  }
};

// Reads comma-separated values: a line of column names, then one line of numbers a row, at least one. Names and numbers
// may stand in double quotes. Spaces around them, Windows line ends, a byte order mark and empty lines at the end are
// ignored. Errors name file, line and column.
[[nodiscard]] Result<DataTable> read_data_table(const std::string& path);

// The same from text. Errors name `path`.
[[nodiscard]] Result<DataTable> parse_data_table(std::string_view text, const std::string& path);

}  // namespace foretask::analysis
