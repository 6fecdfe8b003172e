// SPDX-License-Identifier: Apache-2.0
#include "predict/progress/growth.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "predict/growth/growth_law.hpp"
#include "predict/growth/joined_estimates.hpp"
#include "statistics/quantile.hpp"

namespace foretask::predict {
namespace {

// Of the logarithm: of a rule for n without a test, and the most that is said.
constexpr double kRuleSpread = 0.05;
// Of a run's time, relative: what others do on the machine, and where the memory lies.
constexpr double kTimeNoise = 0.05;
constexpr double kWidest = 1.0;
constexpr double kSurest = 0.003;

// From so many sizes on there are laws of growth (growth_law.hpp); fewer do not tell those apart.
constexpr std::size_t kSizesOfLaws = 4;

// value = constant + factor * n^power, neither below 0.
struct Fit {
  double constant = 0;
  double factor = 0;
  double power = 0;
  double error = std::numeric_limits<double>::infinity();  // of the logarithms, root mean square

  [[nodiscard]] double at(double n) const { return constant + factor * std::pow(n, power); }
};

double error_of(const Fit& fit, std::span<const GrowthPoint> points) {
  double squares = 0;
  double weights = 0;
  for (const GrowthPoint& point : points) {
    squares += point.weight * std::pow(std::log(std::max(1e-300, fit.at(point.n)) / point.value), 2);
    weights += point.weight;
  }
  return std::sqrt(squares / weights);
}

// A straight line through the logarithms.
Fit fit_power(std::span<const GrowthPoint> points) {
  double weights = 0;
  double x = 0;
  double y = 0;
  for (const GrowthPoint& point : points) {
    weights += point.weight;
    x += point.weight * std::log(point.n);
    y += point.weight * std::log(point.value);
  }
  x /= weights;
  y /= weights;
  double xx = 0;
  double xy = 0;
  for (const GrowthPoint& point : points) {
    xx += point.weight * (std::log(point.n) - x) * (std::log(point.n) - x);
    xy += point.weight * (std::log(point.n) - x) * (std::log(point.value) - y);
  }
  Fit fit;
  fit.power = xx > 0 ? xy / xx : 0;
  fit.factor = std::exp(y - fit.power * x);
  fit.error = error_of(fit, points);
  return fit;
}

// Least squares of the relative errors.
Fit fit_constant_and(double power, std::span<const GrowthPoint> points) {
  double aa = 0;
  double ab = 0;
  double bb = 0;
  double ay = 0;
  double by = 0;
  for (const GrowthPoint& point : points) {
    const double one = 1 / point.value;
    const double grown = std::pow(point.n, power) / point.value;
    aa += point.weight * one * one;
    ab += point.weight * one * grown;
    bb += point.weight * grown * grown;
    ay += point.weight * one;
    by += point.weight * grown;
  }
  Fit fit;
  fit.power = power;
  const double determinant = aa * bb - ab * ab;
  if (!(determinant > 1e-12 * aa * bb)) return fit;
  fit.constant = (ay * bb - by * ab) / determinant;
  fit.factor = (by * aa - ay * ab) / determinant;
  if (fit.constant < 0 || fit.factor < 0) return fit;
  fit.error = error_of(fit, points);
  return fit;
}

// A power, or where that is clearly better, what takes some time in any case.
Fit best_fit(std::span<const GrowthPoint> points) {
  Fit best = fit_power(points);
  if (points.size() < 3) return best;
  for (const double power : {1.0, 2.0, 3.0})
    if (const Fit fit = fit_constant_and(power, points); fit.error < 0.7 * best.error) best = fit;
  return best;
}

// The logarithm of a straight line's value through two points' logarithms, over n or its logarithm.
double along(bool of_log_n, const GrowthPoint& from, const GrowthPoint& to, double n) {
  const auto x = [of_log_n](double size) { return of_log_n ? std::log(size) : size; };
  const double slope = std::log(to.value / from.value) / (x(to.n) - x(from.n));
  return std::log(from.value) + slope * (x(n) - x(from.n));
}

// Of three sizes: a power of n or an exponential function, whichever says better what the largest (below the smallest:
// the smallest) is from the other two, through the two that are nearest to n.
Grown by_best_line(std::span<const GrowthPoint> points, double n) {
  const bool upwards = n > points[0].n;
  const GrowthPoint& tested = upwards ? points[2] : points[0];
  const GrowthPoint& far = upwards ? points[0] : points[1];
  const GrowthPoint& near = upwards ? points[1] : points[2];
  const auto error = [&](bool of_log_n) {
    return std::abs(along(of_log_n, far, near, tested.n) - std::log(tested.value));
  };
  const bool of_log_n = error(true) <= error(false);
  const auto distance = [n](const GrowthPoint& point) { return std::abs(std::log(point.n / n)); };
  const bool is_low = distance(points[0]) < distance(points[2]);
  const double value = std::exp(along(of_log_n, points[is_low ? 0 : 1], points[is_low ? 1 : 2], n));
  const double step = std::abs(std::log(tested.n / (upwards ? near : far).n));
  const bool is_between = n > points[0].n && n < points[2].n;
  const double scale = is_between ? 0.5 : std::max(0.5, std::min(distance(points[0]), distance(points[2])) / step);
  return {value, std::min(kWidest, error(of_log_n) * scale + 0.002), false};
}

// One point a size, in the order of sizes.
std::vector<GrowthPoint> means(const std::vector<GrowthPoint>& points) {
  std::map<double, std::pair<double, double>> sums;
  for (const GrowthPoint& point : points) {
    sums[point.n].first += point.value * point.weight;
    sums[point.n].second += point.weight;
  }
  std::vector<GrowthPoint> result;
  for (const auto& [n, sum] : sums)
    if (sum.second > 0) result.push_back({n, sum.first / sum.second, sum.second});
  return result;
}

// The law, and a rule that knows less and is disturbed by less.
Grown joined_with_rule(const GrowthLaw& law, const Grown& rule, double n) {
  const GrowthLaw::Estimate estimate = law.at(n);
  if (!std::isfinite(estimate.value) || !(estimate.value > 0) || !(rule.value > 0)) return rule;
  const LogEstimate both = joined({estimate.value, estimate.log_sd}, {rule.value, rule.spread}, kSurest);
  return {both.value, std::min(kWidest, both.log_sd), false};
}

// What was measured over less is off by more.
GrowthLaw law_of_times(const std::vector<GrowthPoint>& sizes) {
  double most = 0;
  for (const GrowthPoint& size : sizes) most = std::max(most, size.weight);
  std::vector<SizeLevel> levels;
  for (const GrowthPoint& size : sizes)
    levels.push_back(
        {.n = size.n, .value = size.value, .sd = std::min(1.0, kTimeNoise * std::sqrt(most / size.weight))});
  return GrowthLaw::find(std::move(levels), GrowthKind::kCost);
}

double spread_at(const std::vector<GrowthPoint>& points, double n, double mean) {
  double squares = 0;
  double count = 0;
  for (const GrowthPoint& point : points) {
    if (point.n != n) continue;
    squares += (point.value - mean) * (point.value - mean);
    ++count;
  }
  return count < 2 || mean <= 0 ? 0 : std::sqrt(squares / (count - 1)) / mean;
}

}  // namespace

Grown grow_tasks(const std::vector<GrowthPoint>& points, double n) {
  std::vector<GrowthPoint> sizes = means(points);
  if (sizes.empty()) return {};
  for (const GrowthPoint& point : sizes)
    if (point.n == n) return {point.value, spread_at(points, n, point.value), true};
  if (n <= 0 || sizes.front().n <= 0) return {sizes.back().value, kWidest, false};
  if (sizes.back().value <= 0 || (n < sizes.front().n && sizes.front().value <= 0))
    return {0, sizes.front().value > 0 ? kWidest : 0, false};
  // Of a kernel that only larger inputs have those tell.
  std::erase_if(sizes, [](const GrowthPoint& point) { return point.value <= 0; });
  if (sizes.size() == 1) {
    const double ratio = n / sizes[0].n;
    return {sizes[0].value * ratio, std::min(kWidest, std::abs(std::log(ratio)) / 2), false};
  }
  if (sizes.size() == 2) {
    const double power = along(true, sizes[0], sizes[1], n);
    const double exponential = along(false, sizes[0], sizes[1], n);
    return {std::exp(power), std::min(kWidest, std::abs(power - exponential) / 2 + kRuleSpread), false};
  }
  if (sizes.size() == 3) return by_best_line(sizes, n);
  std::vector<SizeLevel> levels;
  for (const GrowthPoint& size : sizes) levels.push_back({.n = size.n, .value = size.value});
  const GrowthLaw::Estimate estimate = GrowthLaw::of_counts(std::move(levels)).at(n);
  return {estimate.value, std::min(kWidest, estimate.log_sd), false};
}

Grown grow_time(const std::vector<GrowthPoint>& points, double n) {
  std::vector<double> here;
  for (const GrowthPoint& point : points)
    if (point.n == n) here.push_back(point.value);
  if (!here.empty()) {
    const double middle = statistics::median(here);
    return {middle, spread_at(points, n, middle), true};
  }
  std::vector<GrowthPoint> sizes = means(points);
  if (sizes.empty()) return {};
  // Too short to be seen where only larger inputs have it.
  if (sizes.back().value > 0) std::erase_if(sizes, [](const GrowthPoint& point) { return point.value <= 0; });
  const bool has_logarithms = n > 0 && std::all_of(sizes.begin(), sizes.end(),
                                                   [](const auto& point) { return point.n > 0 && point.value > 0; });
  if (!has_logarithms) return {sizes.back().value, kWidest, false};
  const double nearest_n = n > sizes.back().n ? sizes.back().n : (n < sizes.front().n ? sizes.front().n : n);
  const double beyond = std::abs(std::log(n / nearest_n));
  if (sizes.size() == 1) return {sizes[0].value * n / nearest_n, std::min(kWidest, beyond / 2), false};
  const Fit fit = best_fit(sizes);
  // An error of the exponent grows with the distance.
  const Grown rule{fit.at(n), std::min(kWidest, fit.error + 0.05 * beyond + 0.01), false};
  return sizes.size() < kSizesOfLaws ? rule : joined_with_rule(law_of_times(sizes), rule, n);
}

}  // namespace foretask::predict
