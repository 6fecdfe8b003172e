// SPDX-License-Identifier: Apache-2.0
// HOT: how many threads a kernel's runs get, by size. decision(): some loads. Any thread, without a lock.
//
// A size is settled when no other number of threads is expected to take less than the best one that was seen. Once in a
// while a settled size tries its neighbours again: the slots above and below the best one in turn.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/clock.hpp"
#include "runtime/kernels/size_cells.hpp"
#include "runtime/threads/team_times.hpp"

namespace foretask::runtime {

class TeamTable {
 public:
  static constexpr int kMostThreads = TeamTimes::kMostThreads;
  // A run that takes as long is timed, and of shorter ones one as often as that.
  static constexpr base::Ticks kTimedEach = 1 << 17;
  // Runs that only find something out take this part of a size's time at most, but for the first ones of all sizes
  // near.
  static constexpr std::int64_t kTrialShare = 128;
  // A trial on more threads than usual counts as so much in the end, some 0.2 ms: those that it wakes up spin for as
  // long beside the next runs. The first trials count as what they take, and each further one twice as much.
  static constexpr base::Ticks kTrialInTheEnd = 1 << 19;

  struct Decision {
    int threads = 0;
    int most = 0;  // of those that were allowed; 0: none is made
    base::Ticks ticks = 0;
  };

  // The latest one for this size, for which SizeCells::is_size() holds, here and below.
  [[nodiscard]] Decision decision(double size) const noexcept { return decision_of(SizeCells::place_of(size)); }

  // Whether something was seen of this size, or promised.
  [[nodiscard]] bool is_new(double size, int most) const noexcept;

  // The number of threads for a run that will be timed, from 1 to `most`, which is from 1 to kMostThreads, here and
  // below; `most` where nothing is known.
  [[nodiscard]] int choose(double size, int most) noexcept;

  // A run on as many threads has taken so long.
  void add(double size, int most, int threads, base::Ticks ticks) noexcept;

  // As if it had been seen.
  void promise(double size, int threads, base::Ticks ticks) noexcept;

  // What is best as far as is known; 0: nothing is.
  [[nodiscard]] int best(double size, int most) const noexcept;

 private:
  // Where nothing disturbs a run by as much as it takes, as when threads wake up.
  static constexpr base::Ticks kLong = 1 << 21;
  // What was seen tells of sizes so many powers of two away; more of what is clearly slower.
  static constexpr std::size_t kNear = 1;
  static constexpr std::size_t kNearIfSlow = 4;
  static constexpr int kThreadBits = 12;
  static constexpr int kNoSlot = -1;

  struct Cell {
    std::atomic<std::uint64_t> decision{0};  // ticks, threads, most
    std::atomic<std::int64_t> earned{0};     // ticks that trials may take, times kTrialShare
    std::atomic<std::uint32_t> trials{0};    // of what was found out already
  };

  [[nodiscard]] Decision decision_of(std::size_t cell) const noexcept {
    const std::uint64_t bits = cells_[cell].decision.load(std::memory_order_relaxed);
    constexpr std::uint64_t kMask = kMostThreads;
    return {.threads = static_cast<int>(bits >> kThreadBits & kMask),
            .most = static_cast<int>(bits & kMask),
            .ticks = bits >> (2 * kThreadBits)};
  }
  void decide(std::size_t cell, int slot, int most) noexcept;
  void put_on_trial(std::size_t cell, int slot, int most) noexcept;
  [[nodiscard]] base::Ticks expected(std::size_t cell, int slot, int most) const noexcept;
  // The fewest threads whose time is close to the least, of those that are known; kNoSlot.
  [[nodiscard]] int best_known(std::size_t cell, int most) const noexcept;
  [[nodiscard]] int slot_on_trial(std::size_t cell, int most) const noexcept;
  // The same of what is expected where nothing is known of the size.
  [[nodiscard]] int best_guess(std::size_t cell, int most) const noexcept;
  // What is expected to take less than the best one; kNoSlot: nothing else does.
  [[nodiscard]] int promising(std::size_t cell, int most, int best) const noexcept;
  // The slot above or below the best one, if no size near has shown what it takes; kNoSlot.
  [[nodiscard]] int unheard_of(std::size_t cell, int most, int best) const noexcept;
  // What this run may find out; kNoSlot: nothing.
  [[nodiscard]] int to_find_out(std::size_t cell, const Decision& now) noexcept;
  // The slot above or below, from 0 to `last`, which is above 0: one that was not seen, else each in turn.
  [[nodiscard]] int neighbour_of(std::size_t cell, int slot, int last) const noexcept;
  // What is counted for a trial in this slot, where `usual` is the one that is decided on.
  [[nodiscard]] std::int64_t cost_of_trial(std::size_t cell, int slot, int usual, base::Ticks ticks) const noexcept;

  TeamTimes times_;
  std::array<Cell, SizeCells::kCells> cells_{};
};

}  // namespace foretask::runtime
