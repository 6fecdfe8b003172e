// SPDX-License-Identifier: Apache-2.0
#include "statistics/statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <cstddef>
#include <limits>

namespace foretask::statistics {
namespace {

using boost::math::cdf;
using boost::math::complement;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kNormalMedianToSigma = 1.482602218505602;  // 1 / the normal distribution's upper quartile

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

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const double place = std::clamp(share, 0.0, 1.0) * static_cast<double>(values.size() - 1);
  const auto below = values.begin() + static_cast<std::ptrdiff_t>(place);
  std::nth_element(values.begin(), below, values.end());
  const double part = place - std::floor(place);
  if (part == 0) return *below;
  return *below + part * (*std::min_element(below + 1, values.end()) - *below);
}

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

double robust_scale(const std::vector<double>& residuals) {
  std::vector<double> sizes(residuals.size());
  std::transform(residuals.begin(), residuals.end(), sizes.begin(), [](double r) { return std::abs(r); });
  return kNormalMedianToSigma * median(std::move(sizes));
}

}  // namespace foretask::statistics
