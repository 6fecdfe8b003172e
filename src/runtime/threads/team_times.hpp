// SPDX-License-Identifier: Apache-2.0
// What the runs of a kernel take, by size and by number of threads; and what those take that were not seen. Any thread,
// without a lock: of two that write at once one may be lost.
//
// The numbers of threads are powers of two and the most that a caller allows. Each has a slot; those between two powers
// of two share one. The time on p threads is seen as a function of the time on one thread: straight lines between the
// nearest sizes where both are known, from what a team takes at least, and beyond all of them at the slope 1/p.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/clock.hpp"
#include "base/run_mean.hpp"
#include "runtime/kernels/size_cells.hpp"

namespace foretask::runtime {

class TeamTimes {
 public:
  static constexpr int kMostThreads = 4095;
  // No team takes less, some 1 us.
  static constexpr base::Ticks kLeastOfTeam = 2000;

  // Of a number of threads from 1 to kMostThreads.
  [[nodiscard]] static constexpr int slot_of(int threads) noexcept {
    return std::bit_width(static_cast<unsigned>(threads - 1));
  }
  // Where `most` are allowed.
  [[nodiscard]] static constexpr int threads_of(int slot, int most) noexcept { return std::min(1 << slot, most); }

  TeamTimes() = default;
  ~TeamTimes();
  TeamTimes(const TeamTimes&) = delete;
  TeamTimes& operator=(const TeamTimes&) = delete;

  [[nodiscard]] base::RunMean at(int slot, std::size_t cell) const noexcept {
    const Means* const means = slots_[static_cast<std::size_t>(slot)].load(std::memory_order_acquire);
    return means ? base::RunMean::of_bits(means->cells[cell].load(std::memory_order_relaxed)) : base::RunMean();
  }

  // Only a slot's first one allocates; it is lost where there is no memory.
  void put(int slot, std::size_t cell, base::RunMean mean) noexcept;

  // What a run in this cell takes on one thread, as seen or from what it takes on more; 0: nothing is known of the
  // cell.
  [[nodiscard]] base::Ticks serial(std::size_t cell, int most) const noexcept;

  // The same where nothing is known of the cell, from sizes beside it: time grows with the size between two of them and
  // in proportion to it beyond; 0: nothing is known at all.
  [[nodiscard]] base::Ticks guessed_serial(std::size_t cell, int most) const noexcept;

  // What a run in this cell takes on the threads of a slot, if one thread takes `serial`.
  [[nodiscard]] base::Ticks expected(int slot, int most, std::size_t cell, base::Ticks serial) const noexcept;

  // Whether it is known of a size that is at most 2^powers times as large or as small.
  [[nodiscard]] bool is_known_within(std::size_t powers, int slot, std::size_t cell) const noexcept;

 private:
  static constexpr std::size_t kSlots = std::bit_width(static_cast<unsigned>(kMostThreads - 1)) + 1;
  static constexpr std::size_t kNone = SizeCells::kCells;
  static constexpr std::size_t kWords = SizeCells::kInOrder / 64;

  using KnownBits = std::array<std::uint64_t, kWords>;
  struct Means {
    std::array<std::atomic<std::uint64_t>, SizeCells::kCells> cells{};  // RunMean::bits()
    std::array<std::atomic<std::uint64_t>, kWords> known{};             // a bit a cell, but for that of 0
  };
  // The nearest of two kinds of cells: not above, and not below; kNone: there is none.
  struct Neighbours {
    std::size_t below = kNone;
    std::size_t above = kNone;
  };
  // Points of the time on p threads as a function of that on one.
  struct Point {
    std::int64_t serial = 0;
    std::int64_t team = 0;
  };
  struct Line {
    Point first;
    Point next;              // at the same place: there is none
    std::int64_t slope = 0;  // beyond both, times 2^16

    [[nodiscard]] std::int64_t team_of(std::int64_t one) const noexcept;
    [[nodiscard]] std::int64_t serial_of(std::int64_t several) const noexcept;
  };

  [[nodiscard]] KnownBits known_of(int slot) const noexcept;
  [[nodiscard]] static Neighbours neighbours_of(const KnownBits& known, std::size_t cell) noexcept;
  [[nodiscard]] Point point_at(int slot, std::size_t cell) const noexcept;
  [[nodiscard]] Line line_of(int slot, int most, std::size_t cell) const noexcept;
  // Beyond `last`, in the cell `place`, of `known`, where there is one.
  [[nodiscard]] std::int64_t slope_of(int slot, int most, const KnownBits& known, std::size_t place) const noexcept;

  std::array<std::atomic<Means*>, kSlots> slots_{};
};

}  // namespace foretask::runtime
