// SPDX-License-Identifier: Apache-2.0
// One law of growth, fitted. Const and thread safe.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "predict/growth/growth_terms.hpp"
#include "statistics/few_columns.hpp"

namespace foretask::predict {

struct GrowthForm {
  static constexpr int kMostTerms = 3;
  using Fit = statistics::FewColumns<kMostTerms>;

  enum class Kind {
    kSum,             // of terms, each relative to its value at `scale`
    kPower,           // exp of a sum of exponents, times a factor
    kOffsetPower,     // c0 + c1 (n / scale)^c2
    kOffsetExponent,  // c0 + c1 exp(c2 (n - scale))
    kTasks            // c0 tasks / those at the scale, and a constant c1 or not
  };

  // Of the logarithm of its value, without a misfit.
  struct Estimate {
    double log_value = 0;
    double log_sd = 0;
  };

  Kind kind = Kind::kSum;
  double scale = 1;               // the largest n
  double tasks = 0;               // there, of kTasks
  std::vector<int> terms;         // of kSum numbers of kLawTerms, of kPower exponents
  Factor factor = Factor::kNone;  // of kPower
  Fit fit;                        // coefficients and their covariance
  double misfit = 0;              // beside the levels' own deviation (size_misfit.hpp)
  std::vector<double> pull;       // of the levels' residuals on the misfit elsewhere
  double score = 0;               // -2 log of its weight, but for a constant
  double weight = 0;              // in the average

  [[nodiscard]] std::size_t parameters() const { return static_cast<std::size_t>(fit.coefficients.size()); }

  // `counted`: for kTasks, the tasks at n over those at the scale.
  [[nodiscard]] Estimate at(double n, const Estimate& counted) const;
  [[nodiscard]] std::string text() const;
};

}  // namespace foretask::predict
