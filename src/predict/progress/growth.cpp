// SPDX-License-Identifier: Apache-2.0
#include "predict/progress/growth.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <set>
#include <span>

namespace foretask::predict {
namespace {

using model::ProgramRow;
using model::ProgressPoint;

// Of the logarithm of a time: between two runs of one input on a quiet machine, and of a rule for n without a test.
constexpr double kRunSpread = 0.05;
constexpr double kRuleSpread = 0.05;
constexpr double kWidest = 1.0;
constexpr double kNinety = 1.645;

// The logarithm of a value as a polynomial, of degree 1 or 2, in n or its logarithm, through the last points.
struct Rule {
  bool of_log_n;
  std::size_t points;
};
constexpr std::array<Rule, 4> kRules{{{true, 2}, {false, 2}, {true, 3}, {false, 3}}};

double abscissa(const Rule& rule, double n) { return rule.of_log_n ? std::log(n) : n; }

// Lagrange's polynomial through the points nearest to n.
double by_rule(const Rule& rule, std::span<const GrowthPoint> points, double n) {
  std::vector<GrowthPoint> nearest(points.begin(), points.end());
  std::stable_sort(nearest.begin(), nearest.end(), [n](const GrowthPoint& a, const GrowthPoint& b) {
    return std::abs(std::log(a.n / n)) < std::abs(std::log(b.n / n));
  });
  nearest.resize(std::min(nearest.size(), rule.points));
  const double x = abscissa(rule, n);
  double result = 0;
  for (const GrowthPoint& one : nearest) {
    double weight = 1;
    for (const GrowthPoint& other : nearest)
      if (&other != &one) weight *= (x - abscissa(rule, other.n)) / (abscissa(rule, one.n) - abscissa(rule, other.n));
    result += weight * std::log(one.value);
  }
  return result;
}

Grown by_best_rule(std::span<const GrowthPoint> points, double n) {
  const bool upwards = n > points.front().n;
  const auto others = upwards ? points.first(points.size() - 1) : points.subspan(1);
  const GrowthPoint& tested = upwards ? points.back() : points.front();
  const Rule* best = nullptr;
  double best_error = std::numeric_limits<double>::infinity();
  for (const Rule& rule : kRules) {
    if (others.size() < rule.points) continue;
    const double error = std::abs(by_rule(rule, others, tested.n) - std::log(tested.value));
    // A rule with more freedom has to be clearly better.
    if (error + (rule.points > 2 ? 1e-3 : 0) >= best_error) continue;
    best = &rule;
    best_error = error;
  }
  const double step = std::abs(std::log(tested.n / (upwards ? others.back().n : others.front().n)));
  const double far = std::min(std::abs(std::log(n / points.back().n)), std::abs(std::log(n / points.front().n)));
  const bool between = n > points.front().n && n < points.back().n;
  const double scale = between ? 0.5 : std::max(0.5, far / step);
  return {std::exp(by_rule(*best, points, n)), std::min(kWidest, best_error * scale + 0.002), false};
}

// One point a size, in the order of sizes.
std::vector<GrowthPoint> means(const std::vector<GrowthPoint>& points) {
  std::map<double, std::pair<double, double>> sums;
  for (const GrowthPoint& point : points) {
    sums[point.n].first += point.value;
    sums[point.n].second += 1;
  }
  std::vector<GrowthPoint> result;
  for (const auto& [n, sum] : sums) result.push_back({n, sum.first / sum.second});
  return result;
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

std::vector<const ProgramRow*> rows_that_fit(const std::vector<ProgramRow>& rows, const std::string& build_id,
                                             const std::string& inputs, double n) {
  const auto of_input = [&](const ProgramRow& row) {
    return row.inputs == inputs && (row.n > 0) == (n > 0) && row.time > row.serial && row.p > 0;
  };
  std::vector<const ProgramRow*> same_build;
  std::vector<const ProgramRow*> others;
  for (const ProgramRow& row : rows)
    if (of_input(row)) (row.build_id == build_id ? same_build : others).push_back(&row);
  return same_build.empty() ? others : same_build;
}

double parallel_time(const ProgramRow& row) { return row.time - row.serial; }

// Those on p workers where they know as much of n as all do.
std::vector<const ProgramRow*> rows_at(const std::vector<const ProgramRow*>& rows, double n, double p) {
  std::vector<const ProgramRow*> at;
  std::set<double> sizes;
  std::set<double> all_sizes;
  for (const ProgramRow* row : rows) {
    all_sizes.insert(row->n);
    if (row->p != p) continue;
    at.push_back(row);
    sizes.insert(row->n);
  }
  const bool enough =
      sizes.count(n) != 0 || (all_sizes.count(n) == 0 && sizes.size() >= std::min<std::size_t>(2, all_sizes.size()));
  return enough ? at : rows;
}

template <typename Value>
Grown grow_rows(const std::vector<const ProgramRow*>& rows, double n, Value value) {
  std::vector<GrowthPoint> points;
  for (const ProgramRow* row : rows) points.push_back({row->n, value(*row)});
  return grow(std::move(points), n);
}

// Seconds of elapsed time for each of work, times p: above 1 where workers had nothing to do.
double idle_factor(const ProgramRow& row) { return row.work > 0 ? parallel_time(row) * row.p / row.work : 1; }

// The most telling of the earlier runs: of the nearest n, and of those of the nearest p.
const ProgramRow* nearest(const std::vector<const ProgramRow*>& rows, double n, double p, bool with_curve) {
  const ProgramRow* best = nullptr;
  std::pair<double, double> least{};
  for (const ProgramRow* row : rows) {
    if (with_curve && row->curve.size() < 2) continue;
    const double size = n > 0 ? std::abs(std::log(row->n / n)) : 0;
    const double workers = std::abs(std::log(row->p / p));
    const std::pair<double, double> distance = with_curve ? std::pair(workers, size) : std::pair(size, workers);
    if (best && distance >= least) continue;
    best = row;
    least = distance;
  }
  return best;
}

double doubling_of(const std::vector<const ProgramRow*>& rows, double n, double p) {
  double at_p = 0;
  double at_2p = 0;
  for (const double size : {n, 0.0}) {
    for (const ProgramRow* row : rows) {
      if (size > 0 && row->n != size) continue;
      // Of no row at this n the largest one that was run on both tells.
      if (row->p == p && at_p == 0) {
        for (const ProgramRow* other : rows) {
          if (other->p != 2 * p || other->n != row->n) continue;
          at_p = parallel_time(*row);
          at_2p = parallel_time(*other);
          break;
        }
      }
    }
  }
  return at_2p > 0 ? at_p / at_2p : 0;
}

void forecast_kernels(const std::vector<const ProgramRow*>& rows, const std::string& build_id, double n, double p,
                      ProgramForecast& result) {
  const std::vector<const ProgramRow*> timed = rows_at(rows, n, p);
  std::set<std::string> names;
  for (const ProgramRow* row : rows)
    if (row->build_id == build_id)
      for (const auto& kernel : row->kernels) names.insert(kernel.kernel);
  const auto member = [](const std::string& name, double model::ProgramKernelRow::*value) {
    return [name, value](const ProgramRow& row) {
      for (const auto& kernel : row.kernels)
        if (kernel.kernel == name) return kernel.*value;
      return 0.0;
    };
  };
  double known = 0;
  double spread = 0;
  for (const std::string& name : names) {
    const Grown tasks = grow_rows(rows, n, member(name, &model::ProgramKernelRow::tasks));
    const Grown work = grow_rows(timed, n, member(name, &model::ProgramKernelRow::work));
    // Tasks are whole.
    result.kernels.push_back({name, std::max(0.0, std::round(tasks.value)), work.value});
    known += work.value;
    spread += work.value * tasks.spread;
  }
  result.tasks_spread = known > 0 ? spread / known : 0;
  result.rest_work = std::max(0.0, result.work - known);
  // A hundredth is what the times' own growth makes of the sum.
  if (result.rest_work < 0.02 * result.work) result.rest_work = 0;
}

std::vector<ProgressPoint> whole_curve(const std::vector<ProgressPoint>& points) {
  std::vector<ProgressPoint> curve{{0, 0}};
  for (const ProgressPoint& point : points) {
    if (!(point.done > curve.back().done && point.time > curve.back().time && point.done < 1 && point.time < 1))
      continue;
    curve.push_back(point);
  }
  curve.push_back({1, 1});
  return curve;
}

}  // namespace

Grown grow(std::vector<GrowthPoint> points, double n) {
  const std::vector<GrowthPoint> sizes = means(points);
  if (sizes.empty()) return {};
  for (const GrowthPoint& point : sizes)
    if (point.n == n) return {point.value, spread_at(points, n, point.value), true};
  if (n <= 0 || sizes.front().n <= 0) return {sizes.back().value, kWidest, false};
  // Nothing to take a logarithm of: the nearest says.
  for (const GrowthPoint& point : sizes)
    if (point.value <= 0) return {(n > point.n ? sizes.back() : sizes.front()).value, kWidest, false};
  if (sizes.size() == 1) {
    const double ratio = n / sizes[0].n;
    return {sizes[0].value * ratio, std::min(kWidest, std::abs(std::log(ratio)) / 2), false};
  }
  if (sizes.size() == 2) {
    const double power = by_rule(kRules[0], sizes, n);
    const double exponential = by_rule(kRules[1], sizes, n);
    return {std::exp(power), std::min(kWidest, std::abs(power - exponential) / 2 + kRuleSpread), false};
  }
  return by_best_rule(sizes, n);
}

std::optional<ProgramForecast> forecast(const std::vector<ProgramRow>& rows, const std::string& build_id,
                                        const std::string& inputs, double n, double p) {
  const std::vector<const ProgramRow*> fit = rows_that_fit(rows, build_id, inputs, n);
  if (fit.empty() || p <= 0) return std::nullopt;
  const std::vector<const ProgramRow*> timed = rows_at(fit, n, p);
  const bool on_p = std::all_of(timed.begin(), timed.end(), [p](const ProgramRow* row) { return row->p == p; });
  ProgramForecast result;
  result.n = n;
  result.p = p;
  result.runs = static_cast<double>(fit.size());
  const Grown work = grow_rows(timed, n, [](const ProgramRow& row) { return row.work; });
  result.work = work.value;
  result.head = grow_rows(fit, n, [](const ProgramRow& row) { return row.head; }).value;
  const double rest_of_serial =
      grow_rows(fit, n, [](const ProgramRow& row) { return std::max(0.0, row.serial - row.head); }).value;
  result.serial = result.head + rest_of_serial;
  const ProgramRow* const like = nearest(fit, n, p, false);
  double parallel = 0;
  if (on_p) {
    const Grown time = grow_rows(timed, n, parallel_time);
    parallel = time.value;
    result.same_input = time.exact;
    result.time_spread = std::hypot(time.spread, kRunSpread);
  } else {
    parallel = result.work / p * idle_factor(*like);
    result.same_input = work.exact;
    result.time_spread = std::hypot(work.spread, 0.15);
  }
  const double share = like->work > 0 ? result.work / like->work : 0;
  result.delay = like->delay * share;
  result.no_work = like->no_work * share;
  result.span = grow_rows(fit, n, [](const ProgramRow& row) { return row.span; }).value;
  result.doubled = doubling_of(fit, n, p);
  forecast_kernels(fit, build_id, n, p, result);
  if (const ProgramRow* const watched = nearest(fit, n, p, true)) {
    result.curve = whole_curve(watched->curve);
  } else {
    result.curve = whole_curve({});
  }
  result.time = result.serial + parallel;
  const double factor = std::exp(kNinety * result.time_spread);
  result.low = result.serial + parallel / factor;
  result.high = result.serial + parallel * factor;
  return result;
}

}  // namespace foretask::predict
