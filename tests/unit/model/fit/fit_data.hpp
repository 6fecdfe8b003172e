// SPDX-License-Identifier: Apache-2.0
// Tables for the tests of fits: those of tests/golden/models, and made ones whose terms are known.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "catch.hpp"
#include "foretask/analysis/data_table.hpp"
#include "foretask/analysis/model_fit.hpp"

namespace fit_test {

using foretask::analysis::DataTable;
using foretask::analysis::FitOptions;
using foretask::analysis::ModelFit;

inline const std::string kModels = std::string(FORETASK_TESTS_DIR) + "/golden/models/";

inline DataTable golden(const std::string& name) {
  auto table = foretask::analysis::read_data_table(kModels + name);
  REQUIRE(table);
  return *table;
}

inline DataTable without(DataTable table, const std::string& name) {
  const auto at = std::find(table.names.begin(), table.names.end(), name) - table.names.begin();
  table.names.erase(table.names.begin() + at);
  table.columns.erase(table.columns.begin() + at);
  return table;
}

// The kernel of the paper's fig. 6 with normal noise of 900, or of 5 % of the time.
inline DataTable even_m2l() { return without(golden("m2l.csv"), "T_hetero"); }
inline DataTable proportional_m2l() {
  DataTable table = without(golden("m2l.csv"), "T");
  table.names.back() = "T";
  return table;
}

// The same on every machine: std::normal_distribution is not.
class Random {
 public:
  explicit Random(std::uint64_t seed) : bits_(seed) {}
  double uniform() { return (static_cast<double>(bits_() >> 11) + 0.5) / 9007199254740992.0; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  double whole(double low, double high) { return std::floor(uniform(low, high + 1)); }
  double normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * 3.14159265358979323846 * uniform()); }

 private:
  std::mt19937_64 bits_;
};

inline void add_column(DataTable& table, const std::string& name, std::vector<double> values) {
  table.names.push_back(name);
  table.columns.push_back(std::move(values));
}

inline ModelFit fitted(const DataTable& table, std::vector<std::string> terms = {},
                       std::vector<std::string> parameters = {}) {
  auto fit = foretask::analysis::fit_model(
      table, FitOptions{.target = "T", .parameters = std::move(parameters), .terms = std::move(terms)});
  INFO((fit ? "" : fit.error().what));
  REQUIRE(fit);
  return *fit;
}

inline std::vector<std::string> names_of(const ModelFit& fit) {
  std::vector<std::string> names;
  for (const auto& term : fit.terms) names.push_back(term.name);
  return names;
}

inline bool warns(const ModelFit& fit, const std::string& words) {
  return std::any_of(fit.warnings.begin(), fit.warnings.end(),
                     [&words](const std::string& line) { return line.find(words) != std::string::npos; });
}

}  // namespace fit_test
