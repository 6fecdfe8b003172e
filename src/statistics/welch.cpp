// SPDX-License-Identifier: Apache-2.0
#include "statistics/welch.hpp"

#include <cmath>

#include "statistics/running_variance.hpp"
#include "statistics/tails.hpp"

namespace foretask::statistics {
namespace {

RunningVariance variance_of(std::span<const double> values) {
  RunningVariance variance;
  for (const double value : values) variance.add(value);
  return variance;
}

}  // namespace

std::optional<MeanDifference> welch_difference(std::span<const double> first, std::span<const double> second,
                                               double confidence) {
  if (first.size() < 2 || second.size() < 2) return std::nullopt;
  const RunningVariance a = variance_of(first);
  const RunningVariance b = variance_of(second);
  // Of the means.
  const double a_error = a.variance() / a.count();
  const double b_error = b.variance() / b.count();
  const double squared_error = a_error + b_error;
  if (!(squared_error > 0)) return std::nullopt;
  // As shares of the sum: squares of tiny numbers would be 0.
  const double a_share = a_error / squared_error;
  const double b_share = b_error / squared_error;
  const double freedom = 1 / (a_share * a_share / (a.count() - 1) + b_share * b_share / (b.count() - 1));
  const double half = student_t_two_sided_quantile(confidence, freedom) * std::sqrt(squared_error);
  const double difference = b.mean() - a.mean();
  return MeanDifference{difference, difference - half, difference + half, freedom};
}

}  // namespace foretask::statistics
