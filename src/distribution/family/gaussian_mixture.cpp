// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/gaussian_mixture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "distribution/family/cumulants.hpp"
#include "distribution/family/known_family.hpp"
#include "statistics/root.hpp"

namespace foretask::analysis {
namespace {

using distribution::normal_tail;

constexpr double kInverseSqrtTwoPi = 0.39894228040143267794;

double normal_density(double t) noexcept { return kInverseSqrtTwoPi * std::exp(-t * t / 2); }

}  // namespace

double GaussianMixture::cdf(double x) const noexcept {
  double sum = 0;
  for (const MixturePart& part : parts) sum += part.weight * normal_tail((part.mean - x) / part.sd);
  return sum;
}

double GaussianMixture::upper(double x) const noexcept {
  double sum = 0;
  for (const MixturePart& part : parts) sum += part.weight * normal_tail((x - part.mean) / part.sd);
  return sum;
}

double GaussianMixture::pdf(double x) const noexcept {
  double sum = 0;
  for (const MixturePart& part : parts) sum += part.weight / part.sd * normal_density((x - part.mean) / part.sd);
  return sum;
}

double GaussianMixture::quantile(double probability, double above) const noexcept {
  if (parts.empty()) return std::numeric_limits<double>::quiet_NaN();
  const bool from_below = probability <= above;  // which tail it is counted from
  const double tail = from_below ? probability : above;
  if (!(tail > 0)) return (from_below ? -1 : 1) * std::numeric_limits<double>::infinity();
  // Between the least and the largest of the parts' own quantiles, rounding aside.
  const double t = (from_below ? -1 : 1) * distribution::normal_tail_quantile(tail);
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const MixturePart& part : parts) {
    constexpr double kRounding = 1e-12;
    const double slack = kRounding * (std::abs(part.mean) + part.sd);
    low = std::min(low, part.mean + t * part.sd - slack);
    high = std::max(high, part.mean + t * part.sd + slack);
  }
  // Of the logarithm of the tail, which is nearly straight where the tail itself is exponential.
  const double wanted = std::log(tail);
  const auto off = [&](double x) { return std::log(from_below ? cdf(x) : upper(x)) - wanted; };
  return statistics::root_between(off, low, high).value_or(low);
}

Moments GaussianMixture::moments() const noexcept {
  std::vector<std::pair<double, distribution::Cumulants>> cases;
  for (const MixturePart& part : parts) cases.push_back({part.weight, {part.mean, part.sd * part.sd, 0, 0}});
  return distribution::moments_of_cumulants(distribution::mixed(cases));
}

std::size_t GaussianMixture::modes() const noexcept {
  // Looked at as finely as the narrowest part nearby needs.
  std::vector<double> points;
  constexpr int kAPart = 32;
  for (const MixturePart& part : parts)
    for (int i = -kAPart; i <= kAPart; ++i) points.push_back(part.mean + part.sd * i / 8);
  std::sort(points.begin(), points.end());
  std::size_t count = 0;
  bool rising = false;
  for (const double x : points) {
    double slope = 0;
    for (const MixturePart& part : parts) {
      const double t = (x - part.mean) / part.sd;
      slope -= part.weight * t / (part.sd * part.sd) * normal_density(t);
    }
    if (rising && slope < 0) ++count;
    // A mode that is a point of the grid has no slope there: it is counted at the next one.
    if (slope != 0) rising = slope > 0;
  }
  return count;
}

}  // namespace foretask::analysis
