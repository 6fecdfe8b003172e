// SPDX-License-Identifier: Apache-2.0
#include "model/table/csv_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <system_error>
#include <utility>

namespace foretask::model {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::size_t kMaxShownBytes = 40;  // of a cell, in an error
constexpr const char* kBadQuote = "a quote is not closed, or text follows it";

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
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

}  // namespace

CsvReader::CsvReader(std::string_view text, const std::string& path) : rest_(text), path_(path) {
  if (rest_.substr(0, kByteOrderMark.size()) == kByteOrderMark) rest_.remove_prefix(kByteOrderMark.size());
  while (!rest_.empty() && (trim(rest_.substr(rest_.size() - 1)).empty() || rest_.back() == '\n'))
    rest_.remove_suffix(1);
}

Error CsvReader::fail(std::string what) const {
  return Error{.what = std::move(what), .path = path_, .line = std::max<std::size_t>(1, line_)};
}

std::string_view CsvReader::next_line() {
  ++line_;
  const std::size_t end = std::min(rest_.find('\n'), rest_.size());
  std::string_view line = rest_.substr(0, end);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

Result<std::vector<std::string>> CsvReader::read_names() {
  if (rest_.empty()) return fail("the file is empty: a line of column names was expected");
  std::string_view line = next_line();
  std::vector<std::string> names;
  for (bool last = false; !last;) {
    auto name = next_cell(line, last);
    if (!name) return fail(kBadQuote);
    if (name->empty()) return fail("column " + std::to_string(names.size() + 1) + " has no name");
    if (std::find(names.begin(), names.end(), *name) != names.end())
      return fail("two columns are called " + shown_cell(*name));
    names.push_back(std::move(*name));
  }
  if (rest_.empty()) return fail("there is no row below the column names");
  columns_ = names.size();
  return names;
}

Result<void> CsvReader::split_line(std::vector<std::string>& cells) {
  std::string_view line = next_line();
  cells.clear();
  for (bool last = false; !last;) {
    auto cell = next_cell(line, last);
    if (!cell) return fail(kBadQuote);
    cells.push_back(std::move(*cell));
  }
  return {};
}

Result<void> CsvReader::read_first_row(std::vector<std::string>& cells) {
  auto row = split_line(cells);
  columns_ = cells.size();
  return row;
}

Result<void> CsvReader::read_row(std::vector<std::string>& cells) {
  if (auto row = split_line(cells); !row) return row;
  if (cells.size() != columns_)
    return fail("the row has " + std::to_string(cells.size()) + (cells.size() == 1 ? " column" : " columns") +
                ", the line of names " + std::to_string(columns_));
  return {};
}

std::string parse_csv_number(std::string_view cell, double& number) {
  std::string_view digits = trim(cell);
  if (digits.empty()) return "is empty";
  if (digits.front() == '+' && digits.size() > 1 && digits[1] != '-') digits.remove_prefix(1);
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  if (error == std::errc::result_out_of_range && stop == end)
    return shown_cell(cell) + " is beyond what a double holds";
  if (error != std::errc{} || stop != end) return shown_cell(cell) + " is no number";
  if (!std::isfinite(number)) return shown_cell(cell) + " is not finite";
  return {};
}

std::string shown_cell(std::string_view cell) {
  const bool cut = cell.size() > kMaxShownBytes;
  return "'" + std::string(cell.substr(0, kMaxShownBytes)) + (cut ? "..." : "") + "'";
}

}  // namespace foretask::model
