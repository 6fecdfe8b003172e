// SPDX-License-Identifier: Apache-2.0
// Tables and samples from CSV files: apart, as what is loaded into programs reads none.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/file.hpp"
#include "foretask/analysis/data_table.hpp"
#include "foretask/analysis/sample_file.hpp"
#include "model/table/csv_reader.hpp"

namespace foretask::analysis {
namespace {

constexpr std::size_t kColumnsShown = 12;

// A word that was meant as a number stands in no line of names, be it a wrong one.
bool is_meant_as_number(std::string_view cell) {
  double number = 0;
  if (model::parse_csv_number(cell, number).empty() || !std::isfinite(number)) return true;
  return !cell.empty() && std::string_view("0123456789+-.").find(cell.front()) != std::string_view::npos;
}

std::string no_such_column(const std::vector<std::string>& names, const std::string& column) {
  std::string what = "no column is called " + model::shown_cell(column) + ": there ";
  what += names.size() == 1 ? "is " : "are ";
  for (std::size_t i = 0; i < std::min(names.size(), kColumnsShown); ++i)
    what += (i == 0 ? "" : ", ") + model::shown_cell(names[i]);
  return what + (names.size() > kColumnsShown ? ", ..." : "");
}

}  // namespace

Result<DataTable> parse_data_table(std::string_view text, const std::string& path) {
  model::CsvReader reader(text, path);
  auto names = reader.read_names();
  if (!names) return names.error();
  DataTable table{std::move(*names), {}};
  table.columns.resize(table.names.size());
  std::vector<std::string> cells;
  while (!reader.at_end()) {
    if (const auto row = reader.read_row(cells); !row) return row.error();
    for (std::size_t column = 0; column < cells.size(); ++column) {
      double number = 0;
      const std::string problem = model::parse_csv_number(cells[column], number);
      if (!problem.empty()) return reader.fail("column " + model::shown_cell(table.names[column]) + ": " + problem);
      table.columns[column].push_back(number);
    }
  }
  return table;
}

Result<DataTable> read_data_table(const std::string& path) {
  const auto text = base::read_file(path);
  if (!text) return text.error();
  return parse_data_table(*text, path);
}

Result<Samples> parse_samples(std::string_view text, const std::string& path, const std::string& column) {
  model::CsvReader reader(text, path);
  if (reader.at_end()) return Error{.what = "the file is empty: it has no number", .path = path};
  std::vector<std::string> cells;
  if (const auto row = reader.read_first_row(cells); !row) return row.error();
  const auto found = column.empty() ? cells.begin() : std::find(cells.begin(), cells.end(), column);
  if (found == cells.end()) return reader.fail(no_such_column(cells, column));
  const auto index = static_cast<std::size_t>(found - cells.begin());

  bool is_data = column.empty() && is_meant_as_number(cells.front());
  Samples samples;
  std::vector<double>& values = samples.values;
  if (is_data && cells.size() > 1)
    samples.warnings.push_back(path + ": it has " + std::to_string(cells.size()) +
                               " columns and no line that names them. The first column counts");
  for (;;) {
    if (is_data) {
      double number = 0;
      const std::string problem = model::parse_csv_number(cells[index], number);
      if (!problem.empty()) return reader.fail(cells[index].empty() ? "the number is missing" : problem);
      values.push_back(number);
    }
    if (reader.at_end()) break;
    is_data = true;
    if (const auto row = reader.read_row(cells); !row) return row.error();
  }
  if (values.size() < 2)
    return Error{.what = values.empty() ? "has no number below the column names"
                                        : "has one number only: a distribution takes two or more",
                 .path = path};
  if (const auto below = std::count_if(values.begin(), values.end(), [](double value) { return value < 0; }); below > 0)
    samples.warnings.push_back(path + ": " + std::to_string(below) + " of its " + std::to_string(values.size()) +
                               " values are below 0, as no time is");
  return samples;
}

Result<Samples> read_samples(const std::string& path, const std::string& column) {
  const auto text = base::read_file(path);
  if (!text) return text.error();
  return parse_samples(*text, path, column);
}

}  // namespace foretask::analysis
