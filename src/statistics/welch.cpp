// SPDX-License-Identifier: Apache-2.0
#include "statistics/welch.hpp"

#include <cmath>
#include <numeric>

#include "statistics/tails.hpp"

namespace foretask::statistics {
namespace {

struct MeanAndError {
  double mean = 0;
  double squared_error = 0;  // of the mean
  double freedom = 0;
};

MeanAndError mean_of(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  MeanAndError result{.mean = std::accumulate(values.begin(), values.end(), 0.0) / count, .freedom = count - 1};
  double squares = 0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  result.squared_error = squares / result.freedom / count;
  return result;
}

}  // namespace

std::optional<MeanDifference> welch_difference(std::span<const double> first, std::span<const double> second,
                                               double confidence) {
  if (first.size() < 2 || second.size() < 2) return std::nullopt;
  const MeanAndError a = mean_of(first);
  const MeanAndError b = mean_of(second);
  const double squared_error = a.squared_error + b.squared_error;
  if (!(squared_error > 0)) return std::nullopt;
  // As shares of the sum: squares of tiny numbers would be 0.
  const double a_share = a.squared_error / squared_error;
  const double b_share = b.squared_error / squared_error;
  const double freedom = 1 / (a_share * a_share / a.freedom + b_share * b_share / b.freedom);
  const double half = student_t_two_sided_quantile(confidence, freedom) * std::sqrt(squared_error);
  const double difference = b.mean - a.mean;
  return MeanDifference{difference, difference - half, difference + half, freedom};
}

}  // namespace foretask::statistics
