// SPDX-License-Identifier: Apache-2.0
#include "predict/progress/growth.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "model/statistics.hpp"
#include "predict/growth/growth_law.hpp"
#include "predict/growth/noise_levels.hpp"
#include "predict/growth/size_levels.hpp"

namespace foretask::predict {
namespace {

using model::ProgramRow;
using model::ProgressPoint;

// Of the logarithm of a time: between two runs of one input on a quiet machine, and of a rule for n without a test.
constexpr double kRunSpread = 0.08;
constexpr double kRuleSpread = 0.05;
constexpr double kOtherWorkersSpread = 0.15;
constexpr double kGrownSpread = 0.15;
constexpr double kWidest = 1.0;
constexpr double kNinety = 1.645;

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

Grown by_law(const GrowthLaw& law, double n) {
  const GrowthLaw::Estimate estimate = law.at(n);
  return {estimate.value, std::min(kWidest, estimate.log_sd), false};
}

GrowthLaw law_of_times(const std::vector<GrowthPoint>& points) {
  std::vector<double> sizes;
  std::vector<double> values;
  for (const GrowthPoint& point : points) {
    sizes.push_back(point.n);
    values.push_back(point.value);
  }
  const SizeLevels levels(std::move(sizes), std::move(values));
  const double noise = std::max(levels.noise(1).value_or(kUsualNoise), kUsualNoise);
  std::vector<SizeLevel> of_sizes;
  for (std::size_t i = 0; i < levels.sizes().size(); ++i)
    of_sizes.push_back({levels.sizes()[i], std::exp(levels.log_levels()[i]), noise / std::sqrt(levels.samples(i))});
  return GrowthLaw::find(std::move(of_sizes), GrowthKind::kCost);
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

// Each worker has a part in it.
bool is_region(const std::string& kernel) { return kernel.ends_with(" [parallel]"); }

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
  for (const ProgramRow* row : rows) points.push_back({row->n, value(*row), std::max(1.0, value(*row))});
  return grow_time(points, n);
}

// Seconds of elapsed time for each of work, times p: above 1 where workers had nothing to do.
double idle_factor(const ProgramRow& row) { return row.work > 0 ? parallel_time(row) * row.p / row.work : 1; }

// Of the nearest n, and of those of the nearest p.
const ProgramRow* nearest(const std::vector<const ProgramRow*>& rows, double n, double p) {
  const auto distance = [n, p](const ProgramRow* row) {
    return std::pair(n > 0 ? std::abs(std::log(row->n / n)) : 0, std::abs(std::log(row->p / p)));
  };
  return *std::min_element(rows.begin(), rows.end(),
                           [&](const auto* a, const auto* b) { return distance(a) < distance(b); });
}

// Of runs of one n on p and on 2 p workers, that of the n that is nearest.
double doubling_of(const std::vector<const ProgramRow*>& rows, double n, double p) {
  double nearest_size = std::numeric_limits<double>::infinity();
  double gain = 0;
  for (const ProgramRow* one : rows) {
    const double distance = n > 0 ? std::abs(std::log(one->n / n)) : 0;
    if (one->p != p || distance >= nearest_size) continue;
    for (const ProgramRow* other : rows) {
      if (other->p != 2 * p || other->n != one->n) continue;
      nearest_size = distance;
      gain = parallel_time(*one) / parallel_time(*other);
      break;
    }
  }
  return gain;
}

// Of one of the kernel's tasks. Where it is a small part of all what disturbs it is as large as it is itself: its
// growth would be chance.
Grown grow_mean(const std::vector<const ProgramRow*>& rows, const std::string& name, double n) {
  constexpr double kSmallPart = 0.03;
  std::vector<GrowthPoint> points;
  double work = 0;
  double tasks = 0;
  double part = 0;
  for (const ProgramRow* row : rows) {
    for (const auto& kernel : row->kernels) {
      if (kernel.kernel != name || kernel.tasks <= 0) continue;
      points.push_back({row->n, kernel.work / kernel.tasks, std::max(1.0, kernel.work)});
      work += kernel.work;
      tasks += kernel.tasks;
      part += row->work > 0 ? kernel.work / row->work : 0;
    }
  }
  Grown mean = grow_time(points, n);
  if (tasks > 0 && !mean.exact && part < kSmallPart * static_cast<double>(points.size())) mean.value = work / tasks;
  return mean;
}

// The mean time of a kernel's tasks grows more evenly than its work, whose growth is mostly that of their number.
void forecast_kernels(const std::vector<const ProgramRow*>& rows, const std::string& build_id, double n, double p,
                      ProgramForecast& result) {
  const std::vector<const ProgramRow*> timed = rows_at(rows, n, p);
  std::map<std::string, std::vector<GrowthPoint>> tasks;
  for (const ProgramRow* row : rows)
    if (row->build_id == build_id)
      for (const auto& kernel : row->kernels)
        tasks[kernel.kernel].push_back({row->n, kernel.tasks / (is_region(kernel.kernel) ? row->p : 1)});
  double known = 0;
  double tasks_spread = 0;
  double work_spread = 0;
  for (auto& [name, points] : tasks) {
    // A run without the kernel had none of its tasks.
    for (const ProgramRow* row : rows) {
      const bool has =
          std::any_of(points.begin(), points.end(), [row](const auto& point) { return point.n == row->n; });
      if (row->build_id == build_id && !has) points.push_back({row->n, 0});
    }
    const Grown count = grow_tasks(points, n);
    const Grown mean = grow_mean(timed, name, n);
    KernelForecast kernel{name, std::max(0.0, std::round(count.value * (is_region(name) ? p : 1))), 0};
    kernel.work = kernel.tasks * mean.value;
    known += kernel.work;
    tasks_spread += kernel.work * count.spread;
    work_spread += kernel.work * std::hypot(count.spread, mean.spread);
    result.kernels.push_back(std::move(kernel));
  }
  if (known > 0) {
    result.tasks_spread = tasks_spread / known;
    result.time_spread = std::hypot(work_spread / known, result.time_spread);
  }
  // What no process knows by name: of kernels of another build, or beyond those that have a place.
  std::vector<double> shares;
  for (const ProgramRow* row : timed) {
    double named = 0;
    if (row->build_id == build_id)
      for (const auto& kernel : row->kernels) named += kernel.work;
    shares.push_back(row->work > 0 ? std::max(0.0, 1 - named / row->work) : 0);
  }
  const double unnamed = model::median(shares);
  std::vector<GrowthPoint> works;
  for (const ProgramRow* row : timed) works.push_back({row->n, row->work, std::max(1.0, row->work)});
  const Grown all = grow_time(works, n);
  if (known > 0 && unnamed < 0.98) {
    result.rest_work = unnamed < 0.01 ? 0 : known * unnamed / (1 - unnamed);
    result.work = known + result.rest_work;
  } else {
    result.kernels.clear();
    result.rest_work = result.work = all.value;
    result.time_spread = std::hypot(all.spread, result.time_spread);
  }
}

double time_share(const std::vector<ProgressPoint>& points, double done) {
  ProgressPoint below{0, 0};
  for (const ProgressPoint& point : points) {
    if (point.done >= done)
      return point.done > below.done
                 ? below.time + (point.time - below.time) * (done - below.done) / (point.done - below.done)
                 : point.time;
    below = point;
  }
  return below.time + (1 - below.time) * (done - below.done) / std::max(1e-9, 1 - below.done);
}

// What earlier runs on about this input took for each part, in the middle of them: what disturbed one of them is not in
// the others.
void forecast_curve(const std::vector<const ProgramRow*>& rows, double n, double p, ProgramForecast& result) {
  constexpr std::size_t kRuns = 5;
  constexpr int kPoints = 40;
  std::vector<const ProgramRow*> watched;
  for (const ProgramRow* row : rows)
    if (row->curve.size() >= 2) watched.push_back(row);
  const auto distance = [n, p](const ProgramRow* row) {
    return std::pair(std::abs(std::log(row->p / p)), n > 0 ? std::abs(std::log(row->n / n)) : 0);
  };
  std::stable_sort(watched.begin(), watched.end(),
                   [&](const auto* a, const auto* b) { return distance(a) < distance(b); });
  // Of much shorter runs the clock and the system tell more than the program.
  std::erase_if(watched, [like = watched.empty() ? nullptr : watched.front()](const ProgramRow* row) {
    return row->p != like->p || parallel_time(*row) < parallel_time(*like) / 2;
  });
  if (watched.size() > kRuns) watched.resize(kRuns);
  result.curve_runs = static_cast<double>(watched.size());
  result.curve = {{0, 0}};
  for (int i = 1; i < kPoints && !watched.empty(); ++i) {
    const double done = static_cast<double>(i) / kPoints;
    std::vector<double> times;
    for (const ProgramRow* row : watched) times.push_back(time_share(row->curve, done));
    const double time = model::median(times);
    if (time > result.curve.back().time && time < 1) result.curve.push_back({done, time});
  }
  result.curve.push_back({1, 1});
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
  return by_law(GrowthLaw::of_counts(std::move(levels)), n);
}

Grown grow_time(const std::vector<GrowthPoint>& points, double n) {
  std::vector<double> here;
  for (const GrowthPoint& point : points)
    if (point.n == n) here.push_back(point.value);
  if (!here.empty()) {
    const double middle = model::median(here);
    return {middle, spread_at(points, n, middle), true};
  }
  const std::vector<GrowthPoint> sizes = means(points);
  if (sizes.empty()) return {};
  const bool has_logarithms = n > 0 && std::all_of(sizes.begin(), sizes.end(),
                                                   [](const auto& point) { return point.n > 0 && point.value > 0; });
  if (!has_logarithms) return {sizes.back().value, kWidest, false};
  const double nearest_n = n > sizes.back().n ? sizes.back().n : (n < sizes.front().n ? sizes.front().n : n);
  const double beyond = std::abs(std::log(n / nearest_n));
  if (sizes.size() == 1) return {sizes[0].value * n / nearest_n, std::min(kWidest, beyond / 2), false};
  if (sizes.size() >= kSizesOfLaws) return by_law(law_of_times(points), n);
  const Fit fit = best_fit(sizes);
  // An error of the exponent grows with the distance.
  return {fit.at(n), std::min(kWidest, fit.error + 0.05 * beyond + 0.01), false};
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
  result.head = grow_rows(fit, n, [](const ProgramRow& row) { return row.head; }).value;
  result.serial =
      result.head + grow_rows(fit, n, [](const ProgramRow& row) { return std::max(0.0, row.serial - row.head); }).value;
  result.same_input = std::any_of(fit.begin(), fit.end(), [n](const ProgramRow* row) { return row->n == n; });
  result.time_spread = on_p ? kRunSpread : kOtherWorkersSpread;
  forecast_kernels(fit, build_id, n, p, result);
  const ProgramRow* const like = nearest(fit, n, p);
  double parallel = result.work / p * idle_factor(*like);
  // This input on as many workers: the time itself is known.
  if (on_p)
    if (const Grown time = grow_rows(timed, n, parallel_time); time.exact) parallel = time.value;
  const double share = like->work > 0 ? result.work / like->work : 0;
  result.delay = like->delay * share;
  result.no_work = like->no_work * share;
  result.span = grow_rows(fit, n, [](const ProgramRow& row) { return row.span; }).value;
  result.doubled = doubling_of(fit, n, p);
  forecast_curve(fit, n, p, result);
  if (!result.same_input) result.time_spread = std::hypot(result.time_spread, kGrownSpread);
  result.time = result.serial + parallel;
  const double factor = std::exp(kNinety * result.time_spread);
  result.low = result.serial + parallel / factor;
  result.high = result.serial + parallel * factor;
  return result;
}

}  // namespace foretask::predict
