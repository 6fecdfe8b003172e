// SPDX-License-Identifier: Apache-2.0
// Traces of tasks in tests/golden/models (columns instr, cycles, and cycles_true without the noise), and what an
// independent implementation of the methods made of them (expected.json).
#pragma once

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "catch.hpp"
#include "foretask/analysis/data_table.hpp"

namespace foretask::test {

inline const std::string kModels = std::string(FORETASK_TESTS_DIR) + "/golden/models/";

inline nlohmann::json expected_evaluations() {
  std::ifstream file(kModels + "expected.json");
  return nlohmann::json::parse(file);
}

// Rows `order[0]`, `order[1]`, ...
inline analysis::DataTable reordered(analysis::DataTable table, const std::vector<std::size_t>& order) {
  for (auto& column : table.columns) {
    std::vector<double> moved;
    for (const std::size_t row : order) moved.push_back(column[row]);
    column = moved;
  }
  return table;
}

// fluid_asc and fluid_desc are the rows of fluid_random by their instructions.
inline analysis::DataTable golden_trace(const std::string& name) {
  const bool ascending = name == "fluid_asc";
  const bool descending = name == "fluid_desc";
  auto table = analysis::read_data_table(kModels + (ascending || descending ? "fluid_random" : name) + ".csv");
  REQUIRE(table.ok());
  if (!ascending && !descending) return *table;
  std::vector<std::size_t> order(table->rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::vector<double>& instructions = *table->column("instr");
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return ascending ? instructions[a] < instructions[b] : instructions[a] > instructions[b];
  });
  return reordered(*table, order);
}

}  // namespace foretask::test
