// SPDX-License-Identifier: Apache-2.0
// What is seen of this run as it goes on: moments of it, and in the end a row for the runs to come. One thread at a
// time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "model/store/program_row.hpp"
#include "predict/progress/estimator.hpp"

namespace foretask::runtime {

// Kernels by their place (progress_kernel_names()); times in ns.
struct RunMoment {
  double elapsed = 0;
  double serial = 0;
  bool in_serial = false;
  bool has_begun = false;
  bool is_busy = false;  // a task or region is on
  double workers = 0;    // 0: not known yet
  std::vector<predict::KernelProgress> kernels;
};

class RunWatch {
 public:
  // Begins now; the process has begun at `start_ns` on CLOCK_MONOTONIC.
  explicit RunWatch(std::int64_t start_ns);

  [[nodiscard]] base::Ticks begin_ticks() const noexcept { return begin_.ticks; }

  // Reads every thread's counters, and remembers the moment for the row.
  RunMoment look();

  // How long to the next look that the row needs: ever longer, so that their number stays small.
  [[nodiscard]] std::int64_t interval_ns() const noexcept { return interval_ns_; }

  // Of the whole run, as `last` ends it. No time where it ended in a task, or had none.
  [[nodiscard]] model::ProgramRow row(const RunMoment& last) const;

 private:
  base::ClockPair begin_;
  std::int64_t start_ns_;
  double before_ = 0;  // of the process, before this began
  std::int64_t interval_ns_ = 1'000'000;
  double next_ = 0;  // elapsed time of the next moment to be remembered
  double head_ = 0;  // serial part before the first region or task
  bool begun_ = false;
  std::vector<RunMoment> moments_;
};

// The moment as an estimator takes it: kernels in the order of its forecast.
[[nodiscard]] predict::ProgressObservation observation_of(const RunMoment& moment,
                                                          const predict::ProgramForecast& forecast,
                                                          const std::vector<std::string>& names);

}  // namespace foretask::runtime
