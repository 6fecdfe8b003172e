// SPDX-License-Identifier: Apache-2.0
// What `foretask compose` found, as data for its writers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "foretask/analysis/compose.hpp"

namespace foretask::report {

// The same expression with another number of copies.
struct OtherCopies {
  std::uint64_t n = 1;
  double mean = 0;
  double p90 = 0;
  std::optional<double> mean_error;
  std::optional<double> p90_error;
  bool beyond_sample = false;
  bool p90_beyond = false;  // rests on a few of the measured times at most
};

struct ComposedExpression {
  std::string expression;
  analysis::Composition result;
  bool has_recorded_times = false;  // of kernels: they are in seconds
  // The outermost operation is and(N, E) or or(N, E).
  bool first_ends = false;
  std::uint64_t copies = 0;         // N; 0: it is not
  std::vector<OtherCopies> others;  // fewest first
};

// For a reader who knows no statistics: the mean and the spread, quantiles, how they were found, and what other numbers
// of copies would give. Figures have the digits that their standard errors support.
[[nodiscard]] std::string composition_text(const ComposedExpression& composed);

// One JSON object; the keys are in docs/command_line.md. What is not a number is null.
[[nodiscard]] std::string composition_json(const ComposedExpression& composed);

// `value` to the digit that an uncertainty of `error` leaves standing: two digits of the error where it begins with 1
// or 2, else one, but at least two digits of the value; up to six where there is no error, two where the error is not
// finite. Not finite: "-".
[[nodiscard]] std::string rounded(double value, std::optional<double> error);

}  // namespace foretask::report
