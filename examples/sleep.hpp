// SPDX-License-Identifier: Apache-2.0
// Sleeping instead of computing, so that a run with more threads than the machine has cores is still a true one: a
// sleeping task needs no core.
#pragma once

#include <sys/prctl.h>

#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <numbers>

#include "common.hpp"

namespace examples {

// Sleeps end within a microsecond or so of their deadline instead of 50. For the calling thread and those that it
// starts from then on.
inline void wake_on_time() { prctl(PR_SET_TIMERSLACK, 1); }

// steady_clock is CLOCK_MONOTONIC, so that its reading serves as the deadline.
inline void sleep_until(std::int64_t deadline_ns) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const timespec deadline = {static_cast<time_t>(deadline_ns / kSecond), static_cast<long>(deadline_ns % kSecond)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, nullptr) == EINTR) continue;
}

// Number `index` of the seed's standard normal distribution.
inline double random_normal(std::uint64_t seed, std::uint64_t index) {
  const double exponential = -std::log(1 - random_unit(seed, 2 * index));
  return std::sqrt(2 * exponential) * std::cos(2 * std::numbers::pi * random_unit(seed, 2 * index + 1));
}

// A program whose serial pieces can sleep as long as they would have computed, the tasks, waits and cut-offs being the
// same. sleep(): any thread; the rest: the main thread.
class SleepingBodies {
 public:
  void add_options(Arguments& arguments) {
    arguments.number("--sleep", "ns to sleep for a basic operation instead of doing it; prints slept=S, not ok",
                     unit_ns_, 0, 1'000'000'000);
    arguments.number("--spread", "with --sleep: standard deviation of a sleep in per cent, lognormal", spread_, 0, 200);
    arguments.number("--seed", "with --sleep: of the spread", seed_, 0, 1'000'000'000);
  }

  // Before the threads are started.
  void prepare() {
    const double variance = static_cast<double>(spread_ * spread_) * 1e-4;
    log_spread_ = std::sqrt(std::log1p(variance));
    if (on()) wake_on_time();
  }

  [[nodiscard]] bool on() const { return unit_ns_ > 0; }

  // For a piece of so many basic operations, counted from `start_ns`. The piece that begins as the k-th draws number k
  // of the seed: on one thread, two runs sleep alike.
  void sleep(double operations, std::int64_t start_ns = now_ns()) {
    double duration_ns = operations * static_cast<double>(unit_ns_);
    if (spread_ > 0) {
      const double normal = random_normal(static_cast<std::uint64_t>(seed_), pieces_.fetch_add(1));
      duration_ns *= std::exp(log_spread_ * normal - log_spread_ * log_spread_ / 2);
    }
    const std::int64_t rounded_ns = std::llround(duration_ns);
    slept_ns_.fetch_add(rounded_ns);
    sleep_until(start_ns + rounded_ns);
  }

  // Instead of a check of the result, which was not computed: whether the sleeps can have been in the run's time. Tells
  // the run how long they were, and begins anew.
  bool fit_into(Run& run) {
    run.slept_ns = slept_ns_.exchange(0);
    return run.slept_ns <= run.threads * (run.stop_ns - run.start_ns);
  }

 private:
  long unit_ns_ = 0;
  long spread_ = 0;
  long seed_ = 1;
  double log_spread_ = 0;
  std::atomic<std::uint64_t> pieces_ = 0;
  std::atomic<std::int64_t> slept_ns_ = 0;
};

}  // namespace examples
