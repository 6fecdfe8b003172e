// SPDX-License-Identifier: Apache-2.0
// HOT: what subtrees of a kernel have taken, by size: a mean of the latest some sixteen in each sixteenth of a power of
// two. Any thread, without a lock: of two that add at once one may be lost.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "runtime/kernels/size_cells.hpp"

namespace foretask::runtime {

class WorkTable {
 public:
  // Of subtrees of this size, in ticks; 0: none was seen. `size` is one.
  [[nodiscard]] std::uint64_t mean(double size) const noexcept {
    return cells_[SizeCells::place_of(size)].load(std::memory_order_relaxed) >> kWeightBits;
  }

  void add(double size, std::uint64_t ticks) noexcept {
    std::atomic<std::uint64_t>& cell = cells_[SizeCells::place_of(size)];
    const std::uint64_t now = cell.load(std::memory_order_relaxed);
    const std::uint64_t weight = std::min((now & kWeightMask) + 1, kMemory);
    const auto mean = static_cast<std::int64_t>(now >> kWeightBits);
    const auto seen = static_cast<std::int64_t>(std::min(ticks, kMost));
    const std::int64_t next = std::max<std::int64_t>(mean + (seen - mean) / static_cast<std::int64_t>(weight), 1);
    cell.store((static_cast<std::uint64_t>(next) << kWeightBits) | weight, std::memory_order_relaxed);
  }

  // What is in a cell, for another process: 0 where nothing is.
  [[nodiscard]] std::uint64_t cell(std::size_t place) const noexcept {
    return cells_[place].load(std::memory_order_relaxed);
  }
  // A sample is worth as much as what was learned elsewhere.
  void recall(std::size_t place, std::uint64_t cell) noexcept {
    if (this->cell(place) == 0) cells_[place].store((cell & ~kWeightMask) | 1, std::memory_order_relaxed);
  }

 private:
  static constexpr std::uint64_t kMemory = 16;
  static constexpr int kWeightBits = 8;
  static constexpr std::uint64_t kWeightMask = (1U << kWeightBits) - 1;
  static constexpr std::uint64_t kMost = (std::uint64_t{1} << (63 - kWeightBits)) - 1;
  std::array<std::atomic<std::uint64_t>, SizeCells::kCells> cells_{};  // a mean, and how many samples it is of
};

}  // namespace foretask::runtime
