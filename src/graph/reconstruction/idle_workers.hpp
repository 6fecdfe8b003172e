// SPDX-License-Identifier: Apache-2.0
// HOT: what the workers that run no strand wait for, integrated over the recording as Occupancy integrates how many
// they are.
//
// Where others run strands and nothing is ready, those are to blame, each as much as the next: the integral of idle /
// running workers grows, and by so much as it grew while a strand was open that strand cost the others. What that is
// called depends on the strand.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "foretask/analysis/causes.hpp"

namespace foretask::graph {

// Of a worker, by the innermost that it is in.
enum class Idle : std::uint8_t {
  kRuns,     // a strand
  kOutside,  // in no team
  kBarrier,  // or at a region's begin or end
  kTasks,    // a wait for tasks, or between two of them
  kLock,
  kMessages  // in a call of MPI
};

class IdleWorkers {
 public:
  using Sums = std::array<double, analysis::kCauses>;

  explicit IdleWorkers(std::size_t streams) : workers_(streams) {}

  // So many threads can be on a core at once.
  void set_processors(std::uint32_t processors) noexcept {
    if (processors != 0) processors_ = processors;
  }

  // `core_wait`: the part of the time from now on in which its thread waits for a core.
  void set(std::uint32_t worker, Idle idle, double core_wait) noexcept {
    Worker& at = workers_[worker];
    if (idle == Idle::kRuns) core_wait = 0;
    if (at.idle == idle && at.core_wait == core_wait) return;
    --counts_[static_cast<std::size_t>(at.idle)];
    ++counts_[static_cast<std::size_t>(idle)];
    core_waits_ += core_wait - at.core_wait;
    at = {idle, core_wait};
  }
  // Threads of teams that have not begun yet, or not left a barrier that is open.
  void add_starting(std::int64_t change) noexcept { starting_ += change; }

  // Of `workers`, `running` ran for so long, and `ready` strands could have. Call before a count changes.
  void add(double length_ns, std::int64_t workers, std::int64_t running, std::int64_t ready) noexcept {
    std::int64_t rest = workers - running;
    if (rest <= 0 || length_ns <= 0) return;
    const auto take = [&rest](std::int64_t most) noexcept {
      const std::int64_t taken = std::clamp<std::int64_t>(most, 0, rest);
      rest -= taken;
      return static_cast<double>(taken);
    };
    add(Cause::kLocks, length_ns * take(counts_[kLock]));
    add(Cause::kBlocked, length_ns * take(counts_[kMessages]));
    const double starting = take(starting_);
    const double ready_workers = take(ready);
    // Of those that had something to do: what their threads say or, where as many run as there are processors, all.
    const double held_up =
        running >= processors_ ? starting + ready_workers : std::clamp(core_waits_, 0.0, starting + ready_workers);
    const double kept = starting + ready_workers > 0 ? 1 - held_up / (starting + ready_workers) : 1;
    add(Cause::kNoCore, length_ns * held_up);
    add(Cause::kRegionCosts, length_ns * starting * kept);
    add(Cause::kTaskCosts, length_ns * ready_workers * kept);
    if (running > 0) {
      blame_ns_ += length_ns * static_cast<double>(rest) / static_cast<double>(running);
    } else {
      add(counts_[kTasks] > 0 ? Cause::kTaskCosts : Cause::kRegionCosts, length_ns * static_cast<double>(rest));
    }
  }

  // What one strand that was open all the time would have cost the workers that waited.
  [[nodiscard]] double blame_ns() const noexcept { return blame_ns_; }
  void add(analysis::Cause cause, double ns) noexcept { sums_[static_cast<std::size_t>(cause)] += ns; }
  [[nodiscard]] const Sums& sums() const noexcept { return sums_; }
  [[nodiscard]] double sum(analysis::Cause cause) const noexcept { return sums_[static_cast<std::size_t>(cause)]; }

 private:
  using Cause = analysis::Cause;
  static constexpr std::size_t kTasks = static_cast<std::size_t>(Idle::kTasks);
  static constexpr std::size_t kLock = static_cast<std::size_t>(Idle::kLock);
  static constexpr std::size_t kMessages = static_cast<std::size_t>(Idle::kMessages);

  struct Worker {
    Idle idle = Idle::kOutside;
    double core_wait = 0;
  };

  std::vector<Worker> workers_;
  std::array<std::int64_t, kMessages + 1> counts_{};
  double core_waits_ = 0;  // of the idle ones, summed
  std::int64_t processors_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t starting_ = 0;
  double blame_ns_ = 0;
  Sums sums_{};
};

}  // namespace foretask::graph
