// SPDX-License-Identifier: Apache-2.0
// How many strands run and how many are ready, integrated over the recording: work, delay and no_work of paper 000 (eq.
// 8), on a clock from which the probes' own time is taken out.
//
// A probe that costs c on a worker while R strands run slows the program's clock by c / R: work then loses c, the time
// of the R - 1 others is counted as if they had not waited, and work + delay + no_work = p * elapsed holds at every
// instant. A worker that looks for a ready strand meanwhile is as busy as one that runs: with D of them it is c / (R +
// D). A probe between two strands of a worker is taken out of its delay, and p-th of it out of the elapsed time. Where
// strands wait for a core the same holds at once: with w of R strands waiting the clock goes (R - w) / R as fast.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "foretask/analysis/run.hpp"

namespace foretask::graph {

// Time from one instant to another.
struct TimeSpan {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

class Occupancy {
 public:
  Occupancy(std::uint32_t workers, std::int64_t elapsed_ns)
      : workers_(workers), bucket_ns_(std::max<std::int64_t>(1, elapsed_ns / kBuckets + 1)), buckets_(kBuckets) {}

  void start(std::int64_t now_ns) noexcept { last_ns_ = now_ns; }

  [[nodiscard]] bool is_at(std::int64_t now_ns) const noexcept { return now_ns <= last_ns_; }
  // Brings the integrals up to `now_ns`. Call before a count changes.
  void advance(std::int64_t now_ns) noexcept {
    if (now_ns <= last_ns_) return;
    if (!is_counting_) {
      not_counted_ns_ += now_ns - last_ns_;
      last_ns_ = now_ns;
      return;
    }
    const double length = static_cast<double>(now_ns - last_ns_);
    const double part = speed();
    stood_ += length * (1 - part);
    add(length * part);
    fill_buckets(now_ns);
    last_ns_ = now_ns;
  }

  // Whether time counts from now on.
  void set_counting(bool counts) {
    if (is_counting_ && !counts) not_counted_.push_back({last_ns_, std::numeric_limits<std::int64_t>::max()});
    if (!is_counting_ && counts) not_counted_.back().end_ns = last_ns_;
    is_counting_ = counts;
  }
  [[nodiscard]] bool is_counting() const noexcept { return is_counting_; }
  // Up to the latest advance().
  [[nodiscard]] std::int64_t not_counted_ns() const noexcept { return not_counted_ns_; }
  // In order of time.
  [[nodiscard]] const std::vector<TimeSpan>& not_counted() const noexcept { return not_counted_; }

  void add_running(int change) noexcept {
    running_ += change;
    if (running_ <= 0) waiting_ = 0;  // what rounding has left
  }
  // Of the running strands, so many wait for a core: a mean, with parts of strands.
  void add_waiting(double change) noexcept { waiting_ += change; }
  void add_ready(int change) noexcept { ready_ += change; }

  // A probe of `cost_ns` in a running strand.
  void take_out_of_strand(double cost_ns) noexcept {
    if (running_ < 1 || running_ >= workers_) {
      add(-cost_ns / static_cast<double>(std::max<std::int64_t>(running_, 1)));
      return;
    }
    const std::int64_t idle = workers_ - running_;
    const std::int64_t delayed = delayed_of(idle);
    const double length = cost_ns / static_cast<double>(running_ + delayed);
    elapsed_ -= length;
    running_integral_ -= cost_ns;
    no_work_ -= length * static_cast<double>(idle - delayed);
  }
  // So much of a running strand's time was not its own, but the runtime's: the strand was ready meanwhile.
  void move_to_delay(double ns) noexcept {
    running_integral_ -= ns;
    delay_ += ns;
  }
  // Of the time of strands beyond the number of workers so much is none of theirs, and so much the run was longer.
  void leave_out_surplus(double ns, double longer_ns) noexcept {
    running_integral_ -= ns;
    oversubscribed_ -= ns + longer_ns;
    elapsed_ += longer_ns / static_cast<double>(workers_);
  }
  // Taken out of the time of a worker that runs no strand.
  struct Gap {
    double delay_ns = 0;
    double no_work_ns = 0;
    [[nodiscard]] double sum_ns() const noexcept { return delay_ns + no_work_ns; }
  };
  // A probe of `cost_ns` on a worker that runs no strand; adds it to what was taken out of its gap.
  void take_out_of_gap(double cost_ns, Gap& gap) noexcept {
    if (running_ >= workers_) return;
    Gap taken;
    (ready_ > 0 ? taken.delay_ns : taken.no_work_ns) = cost_ns;
    add_gap(taken, -1);
    gap.delay_ns += taken.delay_ns;
    gap.no_work_ns += taken.no_work_ns;
  }
  // The gap was too short for what was taken out of it.
  void give_back(const Gap& gap) noexcept { add_gap(gap, 1); }

  // The integrals as whole ns, beside the sum of the strands' durations, which are whole already. In a run of some
  // hundred microseconds rounding alone breaks the identity by more than a millionth, so what it leaves over goes to
  // no_work, else to delay; more than rounding can leave over stays, to be seen.
  struct WholeTotals {
    std::int64_t elapsed_ns;
    std::int64_t delay_ns;
    std::int64_t no_work_ns;
  };
  [[nodiscard]] WholeTotals whole_totals(std::int64_t work_ns) const noexcept;
  [[nodiscard]] double elapsed_ns() const noexcept { return elapsed_; }
  [[nodiscard]] double running_ns() const noexcept { return running_integral_; }
  [[nodiscard]] double delay_ns() const noexcept { return delay_; }
  [[nodiscard]] double no_work_ns() const noexcept { return no_work_; }
  // By so much the elapsed time is shorter for waits for a core.
  [[nodiscard]] double stood_ns() const noexcept { return stood_; }
  [[nodiscard]] double oversubscribed_ns() const noexcept { return oversubscribed_; }
  [[nodiscard]] std::int64_t running() const noexcept { return running_; }
  [[nodiscard]] std::int64_t ready() const noexcept { return ready_; }

  // Mean counts of some thousand intervals of equal length, on the recorded clock.
  [[nodiscard]] std::vector<analysis::ProfilePoint> profile(std::int64_t elapsed_ns) const;

 private:
  static constexpr std::int64_t kBuckets = 2048;
  struct Bucket {
    double running = 0;
    double ready = 0;
  };

  // Of the idle workers.
  [[nodiscard]] std::int64_t delayed_of(std::int64_t idle) const noexcept {
    return std::clamp<std::int64_t>(ready_, 0, idle);
  }
  void add(double length) noexcept {
    const std::int64_t idle = std::max<std::int64_t>(workers_ - running_, 0);
    const std::int64_t delayed = delayed_of(idle);
    elapsed_ += length;
    running_integral_ += length * static_cast<double>(running_);
    delay_ += length * static_cast<double>(delayed);
    no_work_ += length * static_cast<double>(idle - delayed);
    if (running_ > workers_) oversubscribed_ += length * static_cast<double>(running_ - workers_);
  }
  void add_gap(const Gap& gap, double sign) noexcept {
    elapsed_ += sign * gap.sum_ns() / static_cast<double>(workers_);
    delay_ += sign * gap.delay_ns;
    no_work_ += sign * gap.no_work_ns;
  }
  void fill_buckets(std::int64_t now_ns) noexcept;
  // Of the program's clock.
  [[nodiscard]] double speed() const noexcept {
    return waiting_ > 0 && running_ > 0 ? std::max(0.0, 1 - waiting_ / static_cast<double>(running_)) : 1;
  }

  std::int64_t workers_;
  std::int64_t bucket_ns_;
  std::vector<Bucket> buckets_;
  std::int64_t last_ns_ = 0;
  std::int64_t running_ = 0;
  std::int64_t ready_ = 0;
  bool is_counting_ = true;
  std::int64_t not_counted_ns_ = 0;
  std::vector<TimeSpan> not_counted_;
  double waiting_ = 0;
  double stood_ = 0;
  double elapsed_ = 0;
  double running_integral_ = 0;
  double delay_ = 0;
  double no_work_ = 0;
  double oversubscribed_ = 0;
};

}  // namespace foretask::graph
