// SPDX-License-Identifier: Apache-2.0
#include "predict/progress/forecast.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "base/region_name.hpp"
#include "predict/growth/extrapolation.hpp"
#include "predict/progress/course.hpp"
#include "statistics/quantile.hpp"

namespace foretask::predict {
namespace {

using model::ProgramRow;

// Of the logarithm of a time: between two runs of one input on a quiet machine, on other numbers of workers, and of
// another input.
constexpr double kRunSpread = 0.08;
constexpr double kOtherWorkersSpread = 0.15;
constexpr double kGrownSpread = 0.15;
constexpr double kNinety = 1.645;
// Two sizes do not tell how time grows: a power of n and an exponential function go through both.
constexpr std::size_t kFewestSizes = 3;

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
Extrapolation extrapolate_rows(const std::vector<const ProgramRow*>& rows, double n, Value value) {
  std::vector<GrowthPoint> points;
  for (const ProgramRow* row : rows) points.push_back({row->n, value(*row), std::max(1.0, value(*row))});
  return extrapolate_time(points, n);
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
Extrapolation extrapolate_mean(const std::vector<const ProgramRow*>& rows, const std::string& name, double n) {
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
  Extrapolation mean = extrapolate_time(points, n);
  if (tasks > 0 && !mean.is_recorded && part < kSmallPart * static_cast<double>(points.size()))
    mean.value = work / tasks;
  return mean;
}

// The mean time of a kernel's tasks grows more evenly than its work, whose growth is mostly that of their number.
void forecast_kernels(const std::vector<const ProgramRow*>& rows, const std::string& build_id, double n, double p,
                      ProgramForecast& result) {
  const std::vector<const ProgramRow*> timed = rows_at(rows, n, p);
  std::map<std::string, std::vector<GrowthPoint>> tasks;
  for (const ProgramRow* row : rows)
    // Each thread has a part of a region; a loop's iterations are as many on any number of threads.
    if (row->build_id == build_id)
      for (const auto& kernel : row->kernels)
        tasks[kernel.kernel].push_back({row->n, kernel.tasks / (base::is_region_name(kernel.kernel) ? row->p : 1)});
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
    const Extrapolation count = extrapolate_tasks(points, n);
    const Extrapolation mean = extrapolate_mean(timed, name, n);
    KernelForecast kernel{name, std::max(0.0, std::round(count.value * (base::is_region_name(name) ? p : 1))), 0};
    kernel.work = kernel.tasks * mean.value;
    known += kernel.work;
    tasks_spread += kernel.work * count.log_sd;
    work_spread += kernel.work * std::hypot(count.log_sd, mean.log_sd);
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
  const double unnamed = statistics::median(shares);
  const Extrapolation all = extrapolate_rows(timed, n, [](const ProgramRow& row) { return row.work; });
  if (known > 0 && unnamed < 0.98) {
    result.rest_work = unnamed < 0.01 ? 0 : known * unnamed / (1 - unnamed);
    result.work = known + result.rest_work;
  } else {
    result.kernels.clear();
    result.rest_work = result.work = all.value;
    result.time_spread = std::hypot(all.log_sd, result.time_spread);
  }
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
    for (const ProgramRow* row : watched) times.push_back(share_at(row->curve, done));
    const double time = statistics::median(times);
    if (time > result.curve.back().time && time < 1) result.curve.push_back({done, time});
  }
  result.curve.push_back({1, 1});
}

// Of the rows that say something of them: a run that was watched alone does not.
void add_idleness(const std::vector<const ProgramRow*>& rows, double n, double p, ProgramForecast& result) {
  std::vector<const ProgramRow*> known;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(known),
               [](const ProgramRow* row) { return row->delay + row->no_work > 0 && row->work > 0; });
  if (!known.empty()) {
    const ProgramRow* const like = nearest(known, n, p);
    result.delay = like->delay / like->work * result.work;
    result.no_work = like->no_work / like->work * result.work;
  }
  known.clear();
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(known),
               [](const ProgramRow* row) { return row->span > 0; });
  if (!known.empty()) result.span = extrapolate_rows(known, n, [](const ProgramRow& row) { return row.span; }).value;
}

}  // namespace

std::optional<ProgramForecast> forecast(const std::vector<ProgramRow>& rows, const std::string& build_id,
                                        const std::string& inputs, double n, double p) {
  const std::vector<const ProgramRow*> fit = rows_that_fit(rows, build_id, inputs, n);
  if (fit.empty() || p <= 0) return std::nullopt;
  std::set<double> sizes;
  for (const ProgramRow* row : fit) sizes.insert(row->n);
  if (sizes.count(n) == 0 && sizes.size() < kFewestSizes) return std::nullopt;
  const std::vector<const ProgramRow*> timed = rows_at(fit, n, p);
  const bool on_p = std::all_of(timed.begin(), timed.end(), [p](const ProgramRow* row) { return row->p == p; });
  ProgramForecast result;
  result.n = n;
  result.p = p;
  result.runs = static_cast<double>(fit.size());
  result.head = extrapolate_rows(fit, n, [](const ProgramRow& row) { return row.head; }).value;
  result.serial = result.head + extrapolate_rows(fit, n, [](const ProgramRow& row) {
                                  return std::max(0.0, row.serial - row.head);
                                }).value;
  result.same_input = std::any_of(fit.begin(), fit.end(), [n](const ProgramRow* row) { return row->n == n; });
  result.time_spread = on_p ? kRunSpread : kOtherWorkersSpread;
  forecast_kernels(fit, build_id, n, p, result);
  const ProgramRow* const like = nearest(fit, n, p);
  double parallel = result.work / p * idle_factor(*like);
  // This input on as many workers: the time itself is known.
  if (on_p)
    if (const Extrapolation time = extrapolate_rows(timed, n, parallel_time); time.is_recorded) parallel = time.value;
  add_idleness(fit, n, p, result);
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
