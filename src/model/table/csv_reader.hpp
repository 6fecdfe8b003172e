// SPDX-License-Identifier: Apache-2.0
// Comma-separated values, a line at a time: a line of column names, then rows of as many cells. Names and cells may
// stand in double quotes, in which a doubled quote is one; spaces around them, Windows' line ends, a byte order mark
// and empty lines at the end do not count. One thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "foretask/result.hpp"

namespace foretask::model {

class CsvReader {
 public:
  // Both have to stay; `path` is for the errors.
  CsvReader(std::string_view text, const std::string& path);

  // First of all, once. Errors: an empty file, a column without a name, two of one name, no row below.
  [[nodiscard]] Result<std::vector<std::string>> read_names();

  // Instead of read_names(), where a line of names may be missing: the first row, whatever it holds. Not at_end().
  [[nodiscard]] Result<void> read_first_row(std::vector<std::string>& cells);

  [[nodiscard]] bool at_end() const noexcept { return rest_.empty(); }

  // The next row. Errors: a quote that is not closed, more or fewer cells than there are names.
  [[nodiscard]] Result<void> read_row(std::vector<std::string>& cells);

  [[nodiscard]] std::size_t line() const noexcept { return line_; }  // of the row that was read last, from 1

  // At that line.
  [[nodiscard]] Error fail(std::string what) const;

 private:
  std::string_view next_line();
  [[nodiscard]] Result<void> split_line(std::vector<std::string>& cells);

  std::string_view rest_;
  const std::string& path_;
  std::size_t line_ = 0;
  std::size_t columns_ = 0;
};

// A cell's number, which is finite; what is wrong with it, else nothing.
[[nodiscard]] std::string parse_csv_number(std::string_view cell, double& number);

// A cell or a name as errors show it: in quotes, a long one cut.
[[nodiscard]] std::string shown_cell(std::string_view cell);

}  // namespace foretask::model
