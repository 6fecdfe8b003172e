// SPDX-License-Identifier: Apache-2.0
#include "statistics/tails.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

#include "statistics/running_variance.hpp"

namespace foretask::statistics {
namespace {

using boost::math::cdf;
using boost::math::complement;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

}  // namespace

double student_t_two_sided(double t, double freedom) {
  if (std::isnan(t) || !(freedom >= 1)) return kNone;
  if (std::isinf(t)) return 0;
  return std::min(1.0, 2 * cdf(complement(boost::math::students_t(freedom), std::abs(t))));
}

double student_t_two_sided_quantile(double confidence, double freedom) {
  if (!(freedom >= 1)) return kNone;
  return quantile(complement(boost::math::students_t(freedom), (1 - confidence) / 2));
}

double chi_squared_tail(double x, double freedom) {
  if (std::isnan(x) || !(freedom >= 1)) return kNone;
  if (x <= 0) return 1;
  return std::isinf(x) ? 0 : cdf(complement(boost::math::chi_squared(freedom), x));
}

double f_tail(double x, double freedom_above, double freedom_below) {
  if (std::isnan(x) || !(freedom_above >= 1) || !(freedom_below >= 1)) return kNone;
  if (x <= 0) return 1;
  return std::isinf(x) ? 0 : cdf(complement(boost::math::fisher_f(freedom_above, freedom_below), x));
}

double binomial_lower_tail(double successes, double trials, double chance) {
  return cdf(boost::math::binomial(trials, chance), successes);
}

std::optional<MeanDifference> welch_difference(std::span<const double> first, std::span<const double> second,
                                               double confidence) {
  if (first.size() < 2 || second.size() < 2) return std::nullopt;
  const RunningVariance a(first);
  const RunningVariance b(second);
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
