// SPDX-License-Identifier: Apache-2.0
// What the page's views are made of: sections and tables. Names from the program are only ever text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/plain_text.hpp"
#include "report/units.hpp"

namespace foretask::report {

// A view, from construction to destruction: its heading, and a sentence that says what it shows.
class View {
 public:
  View(Text& text, const char* id, const char* title, std::string_view sentence);
  ~View();
  View(const View&) = delete;
  View& operator=(const View&) = delete;

 private:
  Text& text_;
};

// Escaped, in a paragraph.
void add_paragraph(Text& text, std::string_view words);

// An area's entry in a figure's legend. `kind`: a class of the style sheet.
void add_key(Text& text, std::string_view kind, std::string_view words);

// A number's cell has the number itself beside what is shown of it: the page sorts by it.
struct Cell {
  std::string text;
  double value = 0;
  bool is_number = false;
  std::string link;  // an address that the text leads to; empty: none

  Cell(std::string words) : text(std::move(words)) {}  // NOLINT(google-explicit-constructor)
  Cell(const char* words) : text(words) {}             // NOLINT(google-explicit-constructor)
  Cell(std::string shown, std::optional<double> number)
      : text(std::move(shown)), value(number.value_or(0)), is_number(number.has_value()) {}
};

template <typename Number>
[[nodiscard]] Cell ns_cell(Number ns) {
  return {format_ns(static_cast<double>(ns)), static_cast<double>(ns)};
}
[[nodiscard]] inline Cell share_cell(double share) { return {format_share(share), share}; }
[[nodiscard]] inline Cell count_cell(std::uint64_t count) { return {format_count(count), static_cast<double>(count)}; }

enum class Shown { kAlways, kOnDemand };  // kOnDemand: behind a line that opens it, as beside a figure

// From construction to destruction. `columns`: their heads; of those whose cells are numbers, flush right.
class Table {
 public:
  Table(Text& text, std::string_view caption, const std::vector<std::string>& columns, Shown shown);
  ~Table();
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  // As many cells as there are columns. The first one names the row.
  void row(const std::vector<Cell>& cells);

 private:
  void add_head(const std::vector<Cell>& cells);

  Text& text_;
  std::vector<std::string> columns_;
  Shown shown_;
  bool has_head_ = false;
};

}  // namespace foretask::report
