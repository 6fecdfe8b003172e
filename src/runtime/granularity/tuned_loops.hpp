// SPDX-License-Identifier: Apache-2.0
// HOT: in which of several ways a region's loops, or a taskloop's tasks, are divided. Now and then one run is made in
// another way, between two in the usual one, and compared with both: runs that get shorter from one to the next mislead
// nobody. Runs that differ in their iterations are not compared.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

#include "base/clock.hpp"

namespace foretask::runtime {

class TunedLoops {
 public:
  // One run at a time. False: another thread is in one.
  [[nodiscard]] bool try_begin() noexcept { return !is_running_.exchange(true, std::memory_order_acquire); }
  void end() noexcept { is_running_.store(false, std::memory_order_release); }

  // The way of the next run, one of so many, on so many threads; 0 is the program's own. `may_try(way, ticks,
  // iterations)` says whether a trial costs little where a run in the usual way took so long.
  template <typename MayTry>
  [[nodiscard]] int next(int ways, int threads, MayTry may_try) noexcept {
    last_ = ways - 1;
    if (threads != threads_) begin_anew(threads);
    if (!has_loops() || is_left_alone_) return best();
    if (usual_left_ > 0 || debt_ > 0) {
      usual_left_ = std::max(usual_left_ - 1, 0);
      return best();
    }
    if (may_try(tried_, before_, iterations_)) return tried_;
    lose();
    return best();
  }

  // That run has taken so long, with so many iterations; 0: it had no such loops; kStrange: it is left alone from now
  // on.
  void add(int way, base::Ticks ticks, std::uint64_t iterations) noexcept {
    if (!has_loops() && iterations == 0) return;
    has_loops_.store(true, std::memory_order_relaxed);
    is_left_alone_ = is_left_alone_ || iterations == kStrange;
    if (is_left_alone_) return begin_anew(0);
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
    const bool is_other = trial_ == 0 && before_ != 0 && ticks > std::max(kOther * before_, kLeastOther);
    trial_ = 0;
    others_ = is_other ? others_ + 1 : 0;
    // One may have been held up. After several what was found out was of something else.
    if (others_ < kOthers && is_other) return;
    before_ = ticks;
    if (is_other && best() != 0) begin_anew(threads_);
  }

  [[nodiscard]] bool has_loops() const noexcept { return has_loops_.load(std::memory_order_relaxed); }
  [[nodiscard]] int best() const noexcept { return best_.load(std::memory_order_relaxed); }
  // The best way, and on how many threads it is. In a run, this and the next.
  [[nodiscard]] std::pair<std::size_t, std::uint64_t> found() const noexcept { return {best(), threads_}; }
  [[nodiscard]] base::Ticks ticks() const noexcept { return before_; }  // of the latest run in the usual way
  // An earlier process has found it, on so many threads, where a run took so long.
  void recall(int way, int threads, base::Ticks ticks) noexcept {
    recalled_ = way;
    recalled_threads_ = threads;
    recalled_ticks_ = ticks;
  }

  static constexpr std::uint64_t kStrange = UINT64_MAX;

 private:
  // Numbers of iterations that differ by less than this part.
  static constexpr std::uint64_t kLike = 8;
  // Runs in the usual way before each trial: twice as many when all others have lost.
  static constexpr int kPause = 4;
  static constexpr int kMostPause = 1 << 10;
  // Runs are something else where so many take so many times as long as the last one, and as long as that matters.
  static constexpr base::Ticks kOther = 4;
  static constexpr base::Ticks kLeastOther = 50'000;
  static constexpr int kOthers = 2;
  // What a trial takes longer is this part of the time until the next one at most.
  static constexpr std::int64_t kTrialShare = 16;
  // Another way is better if it takes 3 % less, so many times running.
  static constexpr base::Ticks kBetter = 97;
  static constexpr int kWins = 2;

  void begin_anew(int threads) noexcept {
    const bool is_recalled = threads == recalled_threads_ && std::exchange(recalled_threads_, 0) != 0;
    threads_ = threads;
    best_.store(is_recalled ? recalled_ : 0, std::memory_order_relaxed);
    before_ = is_recalled ? recalled_ticks_ : 0;
    trial_ = 0;
    debt_ = 0;
    wins_ = losses_ = others_ = 0;
    usual_left_ = pause_ = kPause;
    tried_ = 0;
    try_next();
  }

  void lose() noexcept {
    wins_ = 0;
    if (++losses_ >= last_) {
      losses_ = 0;
      pause_ = std::min(2 * pause_, kMostPause);
    }
    try_next();
    usual_left_ = pause_;
  }

  void try_next() noexcept {
    do tried_ = tried_ >= last_ ? 0 : tried_ + 1;
    while (tried_ == best());
  }

  // `after`: the usual one took so long after the trial.
  void judge(base::Ticks after) noexcept {
    if (2 * 100 * trial_ >= kBetter * (before_ + after)) return lose();
    if (++wins_ < kWins) return;
    best_.store(tried_, std::memory_order_relaxed);
    wins_ = losses_ = 0;
    try_next();
  }

  std::atomic<bool> is_running_{false};
  std::atomic<bool> has_loops_{false};
  std::atomic<int> best_{0};
  int last_ = 0;  // way
  int threads_ = 0;
  int recalled_ = 0;
  int recalled_threads_ = 0;
  base::Ticks recalled_ticks_ = 0;
  bool is_left_alone_ = false;
  int tried_ = 1;
  int usual_left_ = kPause;
  int pause_ = kPause;
  std::int64_t debt_ = 0;  // so much time until the next trial
  int others_ = 0;
  int wins_ = 0;
  int losses_ = 0;
  std::uint64_t iterations_ = 0;  // of the latest run
  bool is_comparable_ = false;    // the trial, with the run before it
  base::Ticks before_ = 0;
  base::Ticks trial_ = 0;  // 0: the latest run was no trial
};

}  // namespace foretask::runtime
