// SPDX-License-Identifier: Apache-2.0
// Tables from CSV files: apart, as what is loaded into programs reads none.
#include <utility>

#include "base/file.hpp"
#include "foretask/analysis/data_table.hpp"
#include "model/table/csv_reader.hpp"

namespace foretask::analysis {

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

}  // namespace foretask::analysis
