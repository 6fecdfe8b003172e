// SPDX-License-Identifier: Apache-2.0
// How far a running program is, and how long it will still take, from what earlier runs say (ProgramForecast) and what
// is seen of this one. One thread. The method: docs/progress.md.
#pragma once

#include <cstddef>
#include <vector>

#include "predict/progress/course.hpp"
#include "predict/progress/forecast.hpp"
#include "statistics/running_variance.hpp"

namespace foretask::predict {

struct KernelProgress {
  double started = 0;   // tasks; of a loop, iterations
  double finished = 0;  // of those
  double work = 0;      // ns, of tasks that still run as well
};

// A moment of a run.
struct ProgressObservation {
  double elapsed = 0;                   // ns since the process's start
  double serial = 0;                    // of them in the serial part
  bool in_serial = false;               // it is in it now
  bool has_begun = false;               // a region or task was there
  std::vector<KernelProgress> kernels;  // in the order of ProgramForecast::kernels
  double rest_work = 0;                 // of other kernels
};

struct ProgressEstimate {
  double done = 0;       // part of the predicted work, the serial part's included, in [0, 1]
  double remaining = 0;  // ns
  double low = 0;        // in 90 of 100 cases it is from low ...
  double high = 0;       // ... to high
};

// Of the predicted work outside of the serial part, how much is done: tasks begun and finished, weighed by their
// kernels' times. In [0, 1].
[[nodiscard]] double parallel_part_done(const ProgramForecast& forecast, const ProgressObservation& now);

// How much faster 2 p workers would be than p, over the whole run: between `low` and `high`, from 1 to 2. `is_known` is
// false where nothing speaks of it.
struct Doubling {
  double low = 1;
  double high = 1;
  bool is_known = false;
};

// `work` and `time` are of the part outside of `serial`: this run's own, or predicted.
[[nodiscard]] Doubling doubling(const ProgramForecast& forecast, double work, double time);

class ProgressEstimator {
 public:
  explicit ProgressEstimator(ProgramForecast forecast);

  [[nodiscard]] const ProgramForecast& forecast() const noexcept { return forecast_; }

  // The moments of one run in their order.
  [[nodiscard]] ProgressEstimate observe(const ProgressObservation& now);

 private:
  void note_pace(double share, double time);
  [[nodiscard]] double pace_spread() const;

  ProgramForecast forecast_;
  Course course_;
  double parallel_ = 0;   // predicted time outside of the serial part
  double head_seen_ = 0;  // serial time when the first region or task began
  bool has_begun_ = false;
  // This run's own pace, in windows of equal shares of the time.
  double window_share_ = 0;
  double window_time_ = 0;
  statistics::RunningVariance windows_;  // logarithms of their times over the predicted ones
};

}  // namespace foretask::predict
