// SPDX-License-Identifier: Apache-2.0
#include "runtime/progress/run_watch.hpp"

#include <algorithm>

#include "base/region_name.hpp"
#include "runtime/progress/progress_counters.hpp"

namespace foretask::runtime {
namespace {

constexpr std::size_t kMostMoments = 128;
constexpr std::size_t kCurvePoints = 40;

}  // namespace

RunWatch::RunWatch(std::int64_t start_ns)
    : begin_(base::read_clock_pair()),
      start_ns_(start_ns != 0 ? start_ns : begin_.monotonic_ns),
      before_(static_cast<double>(begin_.monotonic_ns - start_ns_)) {}

RunMoment RunWatch::look() {
  const base::ClockPair now{base::ticks_now(), base::monotonic_ns()};
  const double ns_per_tick = 1e9 / base::ticks_per_second(begin_, now);
  RunMoment moment;
  moment.elapsed = static_cast<double>(now.monotonic_ns - start_ns_);
  moment.workers = counted_workers.load(std::memory_order_relaxed);
  moment.kernels.resize(kMostProgressKernels);
  for (const ProgressCounters* thread : all_progress_counters()) {
    for (std::size_t i = 0; i < kMostProgressKernels; ++i) {
      moment.kernels[i].started += static_cast<double>(thread->kernels[i].started.get());
      moment.kernels[i].finished += static_cast<double>(thread->kernels[i].finished.get());
      moment.kernels[i].work += static_cast<double>(thread->kernels[i].ticks.get()) * ns_per_tick;
    }
    const std::uint32_t running = thread->running.load(std::memory_order_relaxed);
    const std::uint64_t since = thread->since.load(std::memory_order_relaxed);
    if (running == 0) continue;
    if (since < now.ticks) moment.kernels[running - 1].work += static_cast<double>(now.ticks - since) * ns_per_tick;
    moment.in_serial |= running == kSerialPart + 1;
    moment.is_busy |= running != kSerialPart + 1;
  }
  moment.serial = std::min(moment.elapsed, before_ + moment.kernels[kSerialPart].work);
  for (std::size_t i = 0; i < kMostProgressKernels; ++i)
    moment.has_begun |= i != kSerialPart && moment.kernels[i].started > 0;
  // Before the first region or task, or its runtime's start, all is the serial part.
  if (!moment.has_begun) moment.serial = moment.elapsed;
  if (!moment.has_begun) moment.in_serial = true;
  if (!begun_) {
    begun_ = moment.has_begun;
    head_ = moment.serial;
  }
  // Where scopes alone tell of tasks, what was before the first of them is the serial part.
  if (begun_ && !are_tasks_counted.load(std::memory_order_relaxed)) moment.serial = head_;

  if (moment.elapsed >= next_) {
    if (moments_.size() == kMostMoments) {
      for (std::size_t i = 0; 2 * i < moments_.size(); ++i) moments_[i] = std::move(moments_[2 * i]);
      moments_.resize(kMostMoments / 2);
      interval_ns_ *= 2;
    }
    moments_.push_back(moment);
    next_ = moment.elapsed + 0.9 * static_cast<double>(interval_ns_);
  }
  return moment;
}

model::ProgramRow RunWatch::row(const RunMoment& last) const {
  model::ProgramRow row;
  if (!last.has_begun || last.is_busy || last.workers == 0) return row;
  const std::vector<std::string> names = progress_kernel_names();
  predict::ProgramForecast whole;  // as if this run had been foretold
  for (std::size_t i = 0; i < names.size(); ++i) {
    const predict::KernelProgress& kernel = last.kernels[i];
    if (i == kSerialPart || kernel.started == 0) continue;
    // Threads leave their last region when the runtime needs them again, or never.
    if (!base::is_team_name(names[i]) && kernel.finished != kernel.started) return row;
    row.work += kernel.work;
    if (i == kOtherKernels) {
      whole.rest_work = kernel.work;
      continue;
    }
    row.kernels.push_back({names[i], kernel.started, kernel.work});
    whole.kernels.push_back({names[i], kernel.started, kernel.work});
  }
  row.p = last.workers;
  row.time = last.elapsed;
  row.serial = last.serial;
  row.head = std::min(head_, last.serial);
  const double parallel = row.time - row.serial;
  if (!(parallel > 0)) return {};
  for (const RunMoment& moment : moments_) {
    if (!moment.has_begun) continue;
    const double done = predict::parallel_part_done(whole, observation_of(moment, whole, names));
    const double time = (moment.elapsed - moment.serial) / parallel;
    const double gap = 1.0 / static_cast<double>(kCurvePoints);
    if (!(done > 0 && done < 1 && time > 0 && time < 1)) continue;
    if (!row.curve.empty() && done < row.curve.back().done + gap && time < row.curve.back().time + gap) continue;
    row.curve.push_back({done, time});
  }
  return row;
}

predict::ProgressObservation observation_of(const RunMoment& moment, const predict::ProgramForecast& forecast,
                                            const std::vector<std::string>& names) {
  predict::ProgressObservation result;
  result.elapsed = moment.elapsed;
  result.serial = moment.serial;
  result.in_serial = moment.in_serial;
  result.has_begun = moment.has_begun;
  result.kernels.resize(forecast.kernels.size());
  for (std::size_t i = 0; i < names.size() && i < moment.kernels.size(); ++i) {
    if (i == kSerialPart) continue;
    const auto there = std::find_if(forecast.kernels.begin(), forecast.kernels.end(),
                                    [&](const predict::KernelForecast& kernel) { return kernel.kernel == names[i]; });
    if (there != forecast.kernels.end()) {
      result.kernels[static_cast<std::size_t>(there - forecast.kernels.begin())] = moment.kernels[i];
    } else {
      result.rest_work += moment.kernels[i].work;
    }
  }
  return result;
}

}  // namespace foretask::runtime
