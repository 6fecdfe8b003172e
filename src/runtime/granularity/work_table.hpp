// SPDX-License-Identifier: Apache-2.0
// HOT: what subtrees of a kernel have taken, by size: a mean of the latest some sixteen in each sixteenth of a power of
// two. Any thread, without a lock: of two that add at once one may be lost. In integers, so that nothing is rounded in
// floating point: the program may have asked for a trap there.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace foretask::runtime {

class WorkTable {
 public:
  // Not negative, and finite.
  [[nodiscard]] static bool is_size(double size) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(size);
    return bits < kInfinity;
  }

  // Of subtrees of this size, in ticks; 0: none was seen. `size` is one.
  [[nodiscard]] std::uint64_t mean(double size) const noexcept {
    return cells_[place_of(size)].load(std::memory_order_relaxed) >> kWeightBits;
  }

  void add(double size, std::uint64_t ticks) noexcept {
    std::atomic<std::uint64_t>& cell = cells_[place_of(size)];
    const std::uint64_t now = cell.load(std::memory_order_relaxed);
    const std::uint64_t weight = std::min((now & kWeightMask) + 1, kMemory);
    const auto mean = static_cast<std::int64_t>(now >> kWeightBits);
    const auto seen = static_cast<std::int64_t>(std::min(ticks, kMost));
    const std::int64_t next = std::max<std::int64_t>(mean + (seen - mean) / static_cast<std::int64_t>(weight), 1);
    cell.store((static_cast<std::uint64_t>(next) << kWeightBits) | weight, std::memory_order_relaxed);
  }

 private:
  static constexpr std::uint64_t kInfinity = 0x7ff0'0000'0000'0000;
  static constexpr std::uint64_t kMemory = 16;
  static constexpr int kWeightBits = 8;
  static constexpr std::uint64_t kWeightMask = (1U << kWeightBits) - 1;
  static constexpr std::uint64_t kMost = (std::uint64_t{1} << (63 - kWeightBits)) - 1;
  // The last six bits of the exponent and the first four of the fraction: sizes that are 2^64 apart share a cell; the
  // last one is that of 0.
  static constexpr int kFractionBits = 4;
  static constexpr std::size_t kCells = std::size_t{64} << kFractionBits;

  [[nodiscard]] static std::size_t place_of(double size) noexcept {
    if (std::bit_cast<std::uint64_t>(size) == 0) return kCells;
    return static_cast<std::size_t>(std::bit_cast<std::uint64_t>(size) >> (52 - kFractionBits)) % kCells;
  }

  std::array<std::atomic<std::uint64_t>, kCells + 1> cells_{};  // a mean, and how many samples it is of
};

}  // namespace foretask::runtime
