// SPDX-License-Identifier: Apache-2.0
// HOT: with which schedule a region's loops run that leave it to the runtime. Now and then one run of the region is
// made with another one, between two with the usual one: what is compared is as near as can be, where a run is shorter
// than the one before as well.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/clock.hpp"

namespace foretask::runtime {

class TunedLoops {
 public:
  // One run at a time. False: another thread is in one.
  [[nodiscard]] bool try_begin() noexcept { return !is_running_.exchange(true, std::memory_order_acquire); }
  void end() noexcept { is_running_.store(false, std::memory_order_release); }

  // The way of the next run, one of so many; 0 is the program's own.
  [[nodiscard]] int next(int ways) noexcept {
    last_ = ways - 1;
    if (!has_loops_) return best();
    if (usual_left_ == 0 && debt_ <= 0) return tried_;
    usual_left_ = std::max(usual_left_ - 1, 0);
    return best();
  }

  // That run has taken so long, with so many iterations; 0: it had no such loops.
  void add(int way, base::Ticks ticks, std::uint64_t iterations) noexcept {
    if (!has_loops_ && iterations == 0) return;
    has_loops_ = true;
    const bool is_like =
        iterations - iterations / kLike <= iterations_ && iterations_ - iterations_ / kLike <= iterations;
    iterations_ = iterations;
    is_comparable_ = is_like && (is_comparable_ || trial_ == 0);
    if (way != best()) {
      trial_ = ticks;
      debt_ = static_cast<std::int64_t>(ticks - std::min(ticks, before_)) * kTrialShare;
      usual_left_ = 1;
      return;
    }
    debt_ -= static_cast<std::int64_t>(ticks);
    if (trial_ != 0 && is_comparable_) judge(ticks);
    if (trial_ != 0) usual_left_ = pause_;
    trial_ = 0;
    before_ = ticks;
  }

  [[nodiscard]] bool has_loops() const noexcept { return has_loops_.load(std::memory_order_relaxed); }
  [[nodiscard]] int best() const noexcept { return best_.load(std::memory_order_relaxed); }
  // An earlier process has found it.
  void recall(int way) noexcept {
    best_.store(way, std::memory_order_relaxed);
    tried_ = way == 0 ? 1 : 0;
    usual_left_ = pause_ = kMostPause;
  }

 private:
  // Numbers of iterations that differ by less than this part.
  static constexpr std::uint64_t kLike = 8;
  // Runs in the usual way before each trial: twice as many when all others have lost.
  static constexpr int kPause = 4;
  static constexpr int kMostPause = 1 << 10;
  // What trials take longer is this part of the region's time at most.
  static constexpr std::int64_t kTrialShare = 16;
  // Another way is better if it takes 3 % less, so many times running.
  static constexpr base::Ticks kBetter = 97;
  static constexpr int kWins = 2;

  void try_next() noexcept {
    do tried_ = tried_ >= last_ ? 0 : tried_ + 1;
    while (tried_ == best());
  }

  // `after`: the usual one took so long after the trial.
  void judge(base::Ticks after) noexcept {
    const bool is_better = 2 * 100 * trial_ < kBetter * (before_ + after);
    wins_ = is_better ? wins_ + 1 : 0;
    if (is_better && wins_ < kWins) return;
    if (is_better) {
      best_.store(tried_, std::memory_order_relaxed);
      wins_ = losses_ = 0;
    } else if (++losses_ >= last_) {
      losses_ = 0;
      pause_ = std::min(2 * pause_, kMostPause);
    }
    try_next();
  }

  std::atomic<bool> is_running_{false};
  std::atomic<bool> has_loops_{false};
  std::atomic<int> best_{0};
  int last_ = 0;  // way
  int tried_ = 1;
  int usual_left_ = kPause;
  int pause_ = kPause;
  std::int64_t debt_ = 0;  // so much time until the next trial
  int wins_ = 0;
  int losses_ = 0;
  std::uint64_t iterations_ = 0;  // of the latest run
  bool is_comparable_ = false;    // the trial, with the run before it
  base::Ticks before_ = 0;
  base::Ticks trial_ = 0;  // 0: the latest run was no trial
};

}  // namespace foretask::runtime
