// SPDX-License-Identifier: Apache-2.0
#include "predict/published/terms.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "base/number_text.hpp"
#include "predict/growth/growth_terms.hpp"

namespace foretask::predict {

namespace {

consteval int term(std::string_view name) {
  int at = 0;
  while (kLawTerms.at(static_cast<std::size_t>(at)).name != name) ++at;
  return at;
}

constexpr std::array kSerialWork{term("n"),         term("log n"), term("n^2"),
                                 term("n^2 log n"), term("n^3"),   term("n log log n")};
constexpr std::array kSerialWorkNLogN{term("n"),         term("n log n"), term("n^2"),
                                      term("n^2 log n"), term("n^3"),     term("n log log n")};
constexpr std::array kTaskCount{term("n"), term("n log n"), term("n^2"), term("n^3"), term("n log log n")};
constexpr std::array kNoWork{term("1"), term("n"), term("n log n"), term("n^2")};

}  // namespace

constinit const std::span<const int> kSerialWorkTerms = kSerialWork;
constinit const std::span<const int> kSerialWorkNLogNTerms = kSerialWorkNLogN;
constinit const std::span<const int> kTaskCountTerms = kTaskCount;
constinit const std::span<const int> kNoWorkTerms = kNoWork;

Eigen::RowVectorXd growth_row(std::span<const int> terms, double n) {
  Eigen::RowVectorXd row(static_cast<Eigen::Index>(terms.size()));
  for (std::size_t i = 0; i < terms.size(); ++i) row[static_cast<Eigen::Index>(i)] = law_term(terms[i], n);
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
    text += base::number_text(std::abs(value));
    if (terms[i] != "1") text += " * " + terms[i];
  }
  return text.empty() ? "0" : text;
}

}  // namespace foretask::predict
