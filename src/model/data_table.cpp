// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/data_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <system_error>
#include <utility>

#include "base/file.hpp"

namespace foretask::analysis {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::size_t kMaxShownBytes = 40;  // of a cell, in an error

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::string shown(std::string_view cell) {
  const bool cut = cell.size() > kMaxShownBytes;
  return "'" + std::string(cell.substr(0, kMaxShownBytes)) + (cut ? "..." : "") + "'";
}

// The next cell of `line`, which is shortened by it and its comma; `last` says whether that was the last one. Nothing
// where a quote is not closed or text follows one. A doubled quote inside quotes stands for one.
std::optional<std::string> next_cell(std::string_view& line, bool& last) {
  const std::size_t first = line.find_first_not_of(" \t");
  std::string cell;
  if (first != std::string_view::npos && line[first] == '"') {
    std::size_t at = first + 1;
    for (;; ++at) {
      if (at >= line.size()) return std::nullopt;
      if (line[at] == '"' && at + 1 < line.size() && line[at + 1] == '"') {
        ++at;
      } else if (line[at] == '"') {
        break;
      }
      cell += line[at];
    }
    const std::size_t comma = std::min(line.find(',', at), line.size());
    if (!trim(line.substr(at + 1, comma - at - 1)).empty()) return std::nullopt;
    last = comma == line.size();
    line.remove_prefix(last ? comma : comma + 1);
    return cell;
  }
  const std::size_t comma = std::min(line.find(','), line.size());
  cell = trim(line.substr(0, comma));
  last = comma == line.size();
  line.remove_prefix(last ? comma : comma + 1);
  return cell;
}

// What is wrong with it, else nothing.
std::string parse_number(std::string_view cell, double& number) {
  std::string_view digits = trim(cell);
  if (digits.empty()) return "is empty";
  if (digits.front() == '+' && digits.size() > 1 && digits[1] != '-') digits.remove_prefix(1);
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  if (error == std::errc::result_out_of_range && stop == end) return shown(cell) + " is beyond what a double holds";
  if (error != std::errc{} || stop != end) return shown(cell) + " is no number";
  if (!std::isfinite(number)) return shown(cell) + " is not finite";
  return {};
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& path) : rest_(text), path_(path) {
    if (rest_.substr(0, kByteOrderMark.size()) == kByteOrderMark) rest_.remove_prefix(kByteOrderMark.size());
    while (!rest_.empty() && (trim(rest_.substr(rest_.size() - 1)).empty() || rest_.back() == '\n'))
      rest_.remove_suffix(1);
  }

  Result<DataTable> read() {
    if (rest_.empty()) return fail("the file is empty: a line of column names was expected", 1);
    if (auto header = read_header(); !header) return header.error();
    if (rest_.empty()) return fail("there is no row below the column names", 1);
    while (!rest_.empty())
      if (auto row = read_row(); !row) return row.error();
    return std::move(table_);
  }

 private:
  [[nodiscard]] Error fail(std::string what, std::size_t line) const {
    return Error{.what = std::move(what), .path = path_, .line = line};
  }

  std::string_view next_line() {
    ++line_;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return line;
  }

  Result<void> read_header() {
    std::string_view line = next_line();
    for (bool last = false; !last;) {
      const auto name = next_cell(line, last);
      if (!name) return fail("a quote is not closed, or text follows it", line_);
      if (name->empty()) return fail("column " + std::to_string(table_.names.size() + 1) + " has no name", line_);
      if (table_.column(*name) != nullptr) return fail("two columns are called " + shown(*name), line_);
      table_.names.push_back(*name);
      table_.columns.emplace_back();
    }
    return {};
  }

  Result<void> read_row() {
    std::string_view line = next_line();
    const std::size_t expected = table_.names.size();
    std::size_t column = 0;
    for (bool last = false; !last; ++column) {
      const auto cell = next_cell(line, last);
      if (!cell) return fail("a quote is not closed, or text follows it", line_);
      if (column >= expected) continue;  // counted, for the error below
      double number = 0;
      const std::string problem = parse_number(*cell, number);
      if (!problem.empty() && !(last && column + 1 < expected))
        return fail("column " + shown(table_.names[column]) + ": " + problem, line_);
      table_.columns[column].push_back(number);
    }
    if (column != expected)
      return fail("the row has " + std::to_string(column) + (column == 1 ? " column" : " columns") +
                      ", the line of names " + std::to_string(expected),
                  line_);
    return {};
  }

  std::string_view rest_;
  const std::string& path_;
  std::size_t line_ = 0;
  DataTable table_;
};

}  // namespace

const std::vector<double>* DataTable::column(std::string_view name) const noexcept {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? nullptr : &columns[static_cast<std::size_t>(found - names.begin())];
}

Result<DataTable> parse_data_table(std::string_view text, const std::string& path) { return Reader(text, path).read(); }

Result<DataTable> read_data_table(const std::string& path) {
  const auto text = base::read_file(path);
  if (!text) return text.error();
  return parse_data_table(*text, path);
}

}  // namespace foretask::analysis
