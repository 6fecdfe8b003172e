// SPDX-License-Identifier: Apache-2.0
// HOT: which cell of a table a size belongs to: one for each sixteenth of a power of two, in the order of the sizes
// from 2^-16 to 2^48, and one for 0. Sizes that are 2^64 apart share a cell. In integers, so that nothing is rounded in
// floating point: the program may have asked for a trap there.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace foretask::runtime {

struct SizeCells {
  static constexpr std::size_t kAPower = 16;  // in a power of two
  static constexpr std::size_t kInOrder = 64 * kAPower;
  static constexpr std::size_t kCells = kInOrder + 1;  // the last one is that of 0

  // Not negative, and finite.
  [[nodiscard]] static bool is_size(double size) noexcept {
    constexpr std::uint64_t kInfinity = 0x7ff0'0000'0000'0000;
    return std::bit_cast<std::uint64_t>(size) < kInfinity;
  }

  // `size` is one.
  [[nodiscard]] static std::size_t place_of(double size) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(size);
    if (bits == 0) return kInOrder;
    // The exponent and the first four bits of the fraction. 2^-16's exponent is 1023 - 16.
    constexpr std::uint64_t kFirst = (1023 - 16) * kAPower;
    return static_cast<std::size_t>((bits >> 48) - kFirst) % kInOrder;
  }
};

}  // namespace foretask::runtime
