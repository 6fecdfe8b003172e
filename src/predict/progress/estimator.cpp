// SPDX-License-Identifier: Apache-2.0
#include "predict/progress/estimator.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include "base/region_name.hpp"

namespace foretask::predict {
namespace {

constexpr double kNinety = 1.645;
// A window is so much of the predicted time.
constexpr double kWindow = 0.02;
// What a window's pace is off by, where this run has not shown yet; it counts as so many windows.
constexpr double kWindowSpread = 0.10;
constexpr double kPriorWindows = 5;
// What neither the pace nor the forecast tells: the program's phases differ from those of the earlier run.
constexpr double kShapeSpread = 0.04;
constexpr double kShapeSpreadGrown = 0.07;
constexpr double kSerialSpread = 0.10;
constexpr double kSerialSpreadGrown = 0.25;
constexpr double kLeast = 1e6;  // ns
// Of a kernel with so many tasks this run's own mean time counts, beside the forecast's as if that were of so many of
// them.
constexpr double kManyTasks = 20;
constexpr double kTrust = 0.5;
constexpr double kTrustGrown = 0.02;
constexpr double kLeastTrust = 5;

// Half of what has begun and not ended.
double tasks_done(const KernelProgress& now) { return (now.started + now.finished) / 2; }

// This run's times over the forecast's, of the tasks that were there: they may all be longer, which is no part done.
double pace_of_tasks(const ProgramForecast& forecast, const ProgressObservation& now) {
  double own = 0;
  double foretold = 0;
  for (std::size_t i = 0; i < forecast.kernels.size() && i < now.kernels.size(); ++i) {
    const KernelForecast& kernel = forecast.kernels[i];
    if (kernel.tasks < kManyTasks || now.kernels[i].finished < 1) continue;
    own += now.kernels[i].work;
    foretold += kernel.work / kernel.tasks * tasks_done(now.kernels[i]);
  }
  return own > 0 && foretold > 0 ? own / foretold : 1;
}

}  // namespace

double parallel_part_done(const ProgramForecast& forecast, const ProgressObservation& now) {
  const double pace = pace_of_tasks(forecast, now);
  double done = std::min(now.rest_work, forecast.rest_work * pace);
  double all = forecast.rest_work * pace;
  bool regions_over = now.in_serial && now.has_begun;
  bool has_regions = false;
  for (std::size_t i = 0; i < forecast.kernels.size() && i < now.kernels.size(); ++i) {
    const KernelForecast& kernel = forecast.kernels[i];
    const KernelProgress& seen = now.kernels[i];
    // More tasks than predicted: there are at least so many.
    const double tasks = std::max({kernel.tasks, seen.started, 1.0});
    double mean = kernel.work / std::max(1.0, kernel.tasks) * pace;
    if (tasks >= kManyTasks) {
      const double known = (forecast.same_input ? kTrust : kTrustGrown) * tasks + kLeastTrust;
      // Of what has begun and not ended nobody knows how far it is. That may be much: iterations begin by blocks.
      const double sure = seen.started > 0 ? seen.finished / seen.started : 0;
      mean = (mean * known + sure * seen.work) / (known + sure * tasks_done(seen));
    }
    const double work = tasks * mean;
    done += work * std::clamp(work > 0 ? seen.work / work : 0.0, seen.finished / tasks, seen.started / tasks);
    all += work;
    if (base::is_region_name(kernel.kernel)) {
      has_regions = true;
      regions_over = regions_over && seen.started >= kernel.tasks;
    }
  }
  if (has_regions && regions_over) return 1;
  return all > 0 ? std::clamp(done / all, 0.0, 1.0) : 0;
}

Doubling doubling(const ProgramForecast& forecast, double work, double time) {
  const double p = forecast.p;
  const double serial = forecast.serial;
  const double all = serial + time;
  if (!(time > 0) || !(work > 0)) return {};
  // Times outside of the serial part on 2 p workers, at the best and at the worst. What a worker is delayed stays: it
  // does not become less by more workers.
  double best = 0;
  double worst = time;
  const bool delay_is_known = forecast.delay + forecast.no_work > 0;
  const double known_delay = forecast.delay / p;
  if (forecast.doubled > 0) {
    const double twice = serial + time / forecast.doubled;
    best = twice / 1.05 - serial;
    worst = twice * 1.05 - serial;
  } else if (forecast.span > 0) {
    // Work law and span law; Brent: work / p + span is passed by delay alone. The serial part is in the span, and in
    // neither of the others.
    const double span = std::max(0.0, forecast.span - serial);
    const double least = std::max(0.0, time - (work / p + span));
    const double most = std::max(least, time - std::max(work / p, span));
    const double delay = std::clamp(known_delay, least, most);
    best = std::max(work / (2 * p), span) + (delay_is_known ? delay : least);
    worst = work / (2 * p) + span + (delay_is_known ? delay : most);
  } else if (p > 1) {
    // Without the span: what the workers had no work, p time - work - delay, is at the best halved with the rest, at
    // the worst each of the others has none as long as each of these has: no_work = (p - 1) f span.
    const double delay = std::min(known_delay, std::max(0.0, time - work / p));
    const double no_work = std::max(0.0, p * (time - delay) - work);
    best = delay + (time - delay) / 2;
    worst = delay + (work + no_work * (2 * p - 1) / (p - 1)) / (2 * p);
  } else {
    return {};
  }
  Doubling result{.is_known = true};
  result.high = std::clamp(all / (serial + best), 1.0, 2.0);
  result.low = std::clamp(all / (serial + worst), 1.0, result.high);
  return result;
}

ProgressEstimator::ProgressEstimator(ProgramForecast forecast)
    : forecast_(std::move(forecast)),
      course_(forecast_.curve, forecast_.curve_runs, std::max(1.0, forecast_.time - forecast_.serial)),
      parallel_(std::max(1.0, forecast_.time - forecast_.serial)) {}

void ProgressEstimator::note_pace(double share, double time) {
  if (share - window_share_ < kWindow) return;
  windows_.add(std::log(std::max(1.0, time - window_time_) / ((share - window_share_) * parallel_)));
  window_share_ = share;
  window_time_ = time;
}

double ProgressEstimator::pace_spread() const {
  return std::sqrt((windows_.squares() + kPriorWindows * kWindowSpread * kWindowSpread) /
                   (std::max(0.0, windows_.count() - 1) + kPriorWindows));
}

ProgressEstimate ProgressEstimator::observe(const ProgressObservation& now) {
  if (!has_begun_) {
    head_seen_ = now.serial;
    has_begun_ = now.has_begun;
  }
  const double done = parallel_part_done(forecast_, now);
  const double time = std::max(0.0, now.elapsed - now.serial);
  course_.note(done, time);
  const double share = course_.time_share(done);
  note_pace(share, time);

  // Outside of the serial part: the predicted time, corrected by this run's own pace as far as it has shown.
  const double window = pace_spread();
  const double seen = std::max(0.25, share / kWindow);
  const double left = std::max(1.0, (1 - share) / kWindow);
  const double prior = forecast_.time_spread * forecast_.time_spread;
  const double own = window * window / seen;
  const double weight = prior / (prior + own);
  const double ratio = share > 0.005 ? std::log(std::max(time, 1.0) / (share * parallel_)) : 0;
  const double pace = std::exp(weight * std::clamp(ratio, -3.0, 3.0));
  const double parallel = parallel_ * pace * (1 - share);
  const double shape = forecast_.same_input ? kShapeSpread : kShapeSpreadGrown;
  const double miscount = done < 1 ? forecast_.tasks_spread / (1 - done) : 0;
  const double spread = std::sqrt(prior * own / (prior + own) + window * window / left + shape * shape +
                                  std::min(1.0, miscount * miscount));

  // The serial part: what is left of the head, and of what follows it, at the pace of the head.
  const double head = std::max(0.0, has_begun_ ? 0.0 : forecast_.head - now.serial);
  const double serial_pace = has_begun_ && forecast_.head > 0 && head_seen_ > 0
                                 ? std::sqrt(std::clamp(head_seen_ / forecast_.head, 0.5, 2.0))
                                 : 1;
  const double after = std::max(0.0, (forecast_.serial - forecast_.head) * serial_pace -
                                         std::max(0.0, now.serial - head_seen_) * (has_begun_ ? 1 : 0));

  ProgressEstimate result;
  const double serial_done = has_begun_
                                 ? std::min(forecast_.serial, forecast_.head + std::max(0.0, now.serial - head_seen_))
                                 : std::min(forecast_.head, now.serial);
  const double all = forecast_.serial + forecast_.work;
  result.done = all > 0 ? std::clamp((serial_done + done * forecast_.work) / all, 0.0, 1.0) : 0;
  result.remaining = head + parallel + after;
  const double deviation = std::hypot(
      parallel * spread, (head + after) * (forecast_.same_input ? kSerialSpread : kSerialSpreadGrown), kLeast);
  result.low = std::max(0.0, result.remaining - kNinety * deviation);
  result.high = result.remaining + kNinety * deviation;
  return result;
}

}  // namespace foretask::predict
