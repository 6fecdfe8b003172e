// SPDX-License-Identifier: Apache-2.0
#include "predict/growth/extrapolation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include "predict/growth/growth_law.hpp"
#include "statistics/few_columns.hpp"
#include "statistics/quantile.hpp"
#include "statistics/straight_line.hpp"

namespace foretask::predict {
namespace {

// Of the logarithm: of a rule for n without a test, and the most that is said.
constexpr double kRuleSpread = 0.05;
constexpr double kLeastSpread = 0.002;
// Of a run's time, relative: what others do on the machine, and where the memory lies.
constexpr double kTimeNoise = 0.05;
constexpr double kWidest = 1.0;
constexpr double kSurest = 0.003;

// From so many sizes on times have laws of growth; fewer do not tell those apart.
constexpr std::size_t kSizesOfLaws = 4;

using Columns = statistics::FewColumns<2>;

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
  std::vector<double> sizes, values, weights;
  for (const GrowthPoint& point : points) {
    sizes.push_back(std::log(point.n));
    values.push_back(std::log(point.value));
    weights.push_back(point.weight);
  }
  const auto line = statistics::straight_line(sizes, values, weights);
  Fit fit{.factor = std::exp(line.at(0)), .power = line.slope};
  fit.error = error_of(fit, points);
  return fit;
}

// Least squares of the relative errors.
Fit fit_constant_and(double power, std::span<const GrowthPoint> points) {
  Columns::Design design(static_cast<Eigen::Index>(points.size()), 2);
  Eigen::VectorXd target(design.rows());
  for (Eigen::Index row = 0; row < design.rows(); ++row) {
    const GrowthPoint& point = points[static_cast<std::size_t>(row)];
    target(row) = std::sqrt(point.weight);
    design.row(row) << 1, std::pow(point.n, power);
    design.row(row) *= target(row) / point.value;
  }
  Fit fit{.power = power};
  Columns columns;
  if (!columns.solve(design, target) || columns.coefficients.minCoeff() < 0) return fit;
  fit.constant = columns.coefficients(0);
  fit.factor = columns.coefficients(1);
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
Extrapolation joined_with_rule(const GrowthLaw& law, const Extrapolation& rule, double n) {
  const LogEstimate estimate = law.at(n);
  if (!std::isfinite(estimate.value) || !(estimate.value > 0) || !(rule.value > 0)) return rule;
  const LogEstimate both = joined(estimate, {rule.value, rule.log_sd}, kSurest);
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

Extrapolation extrapolate_tasks(const std::vector<GrowthPoint>& points, double n) {
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
    // A power of n and an exponential function go through both, and nothing tells them apart.
    const std::array values{std::log(sizes[0].value), std::log(sizes[1].value)};
    const std::array logarithms{std::log(sizes[0].n), std::log(sizes[1].n)};
    const double power = statistics::straight_line(logarithms, values).at(std::log(n));
    const double exponential = statistics::straight_line(std::array{sizes[0].n, sizes[1].n}, values).at(n);
    return {std::exp(power), std::min(kWidest, std::abs(power - exponential) / 2 + kRuleSpread), false};
  }
  std::vector<SizeLevel> levels;
  for (const GrowthPoint& size : sizes) levels.push_back({.n = size.n, .value = size.value});
  const LogEstimate law = GrowthLaw::of_counts(std::move(levels)).at(n);
  return {law.value, std::min(kWidest, law.log_sd + kLeastSpread), false};
}

Extrapolation extrapolate_time(const std::vector<GrowthPoint>& points, double n) {
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
  const Extrapolation rule{fit.at(n), std::min(kWidest, fit.error + 0.05 * beyond + 0.01), false};
  return sizes.size() < kSizesOfLaws ? rule : joined_with_rule(law_of_times(sizes), rule, n);
}

}  // namespace foretask::predict
