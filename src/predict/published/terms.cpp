// SPDX-License-Identifier: Apache-2.0
#include "predict/published/terms.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <numbers>

#include "predict/growth/number_text.hpp"

namespace foretask::predict {

namespace {

double log_of(double n) { return std::log(std::max(n, 1.0)); }
double log_log_of(double n) { return std::log(std::log(std::max(n, std::numbers::e))); }

constexpr GrowthTerm kOne{"", [](double) { return 1.0; }};
constexpr GrowthTerm kN{"n", [](double n) { return n; }};
constexpr GrowthTerm kLog{"log(n)", [](double n) { return log_of(n); }};
constexpr GrowthTerm kNLog{"n log(n)", [](double n) { return n * log_of(n); }};
constexpr GrowthTerm kSquare{"n^2", [](double n) { return n * n; }};
constexpr GrowthTerm kSquareLog{"n^2 log(n)", [](double n) { return n * n * log_of(n); }};
constexpr GrowthTerm kCube{"n^3", [](double n) { return n * n * n; }};
constexpr GrowthTerm kNLogLog{"n log(log(n))", [](double n) { return n * log_log_of(n); }};

constexpr std::array kSerialWork{kN, kLog, kSquare, kSquareLog, kCube, kNLogLog};
constexpr std::array kSerialWorkNLogN{kN, kNLog, kSquare, kSquareLog, kCube, kNLogLog};
constexpr std::array kTaskCount{kN, kNLog, kSquare, kCube, kNLogLog};
constexpr std::array kNoWork{kOne, kN, kNLog, kSquare};

}  // namespace

constinit const std::span<const GrowthTerm> kSerialWorkTerms = kSerialWork;
constinit const std::span<const GrowthTerm> kSerialWorkNLogNTerms = kSerialWorkNLogN;
constinit const std::span<const GrowthTerm> kTaskCountTerms = kTaskCount;
constinit const std::span<const GrowthTerm> kNoWorkTerms = kNoWork;

Eigen::RowVectorXd growth_row(std::span<const GrowthTerm> terms, double n) {
  Eigen::RowVectorXd row(static_cast<Eigen::Index>(terms.size()));
  for (std::size_t i = 0; i < terms.size(); ++i) row[static_cast<Eigen::Index>(i)] = terms[i].value(n);
  return row;
}

std::string sum_text(std::span<const std::string> terms, const Eigen::VectorXd& coefficients) {
  std::string text;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const double value = coefficients[static_cast<Eigen::Index>(i)];
    if (value == 0) continue;
    if (text.empty())
      text = value < 0 ? "-" : "";
    else
      text += value < 0 ? " - " : " + ";
    text += number_text(std::abs(value));
    if (!terms[i].empty()) text += " * " + terms[i];
  }
  return text.empty() ? "0" : text;
}

}  // namespace foretask::predict
