// SPDX-License-Identifier: Apache-2.0
// Named columns of numbers, one row an observation: what kernel models are fitted to and judged on. Thread safe as a
// std::vector is.
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

  // Null where no column is called that.
  [[nodiscard]] const std::vector<double>* column(std::string_view name) const noexcept;
};

// Comma-separated values: a line of column names, then a line of numbers a row. Names and numbers may stand in double
// quotes; spaces around them, Windows' line ends, a byte order mark and empty lines at the end do not count. At least
// one row. Errors name the file, the line and the column.
[[nodiscard]] Result<DataTable> read_data_table(const std::string& path);

// The same from text; `path` is for the errors.
[[nodiscard]] Result<DataTable> parse_data_table(std::string_view text, const std::string& path);

}  // namespace foretask::analysis
