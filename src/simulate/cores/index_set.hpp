// SPDX-License-Identifier: Apache-2.0
// HOT: a set of integers below a limit that gives its smallest: one bit an integer, and above it levels of bits that
// say which words hold any. An operation touches at most one word a level, four levels for 16 million integers.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/huge_pages.hpp"

namespace foretask::simulate {

class IndexSet {
 public:
  explicit IndexSet(std::size_t limit) {
    std::array<std::size_t, kMostLevels> words{};
    std::size_t all = 0;
    for (std::size_t count = limit; depth_ == 0 || count > 1; ++depth_) {
      count = std::max<std::size_t>((count + 63) / 64, 1);
      words[depth_] = count;
      all += count;
    }
    words_ = base::PagedVector<std::uint64_t>(all);
    std::uint64_t* begin = words_.data();
    for (std::size_t level = 0; level < depth_; begin += words[level++]) levels_[level] = begin;
  }

  [[nodiscard]] bool empty() const noexcept { return levels_[depth_ - 1][0] == 0; }

  void insert(std::uint32_t index) noexcept {
    std::size_t at = index;
    for (std::size_t level = 0; level < depth_; ++level) {
      std::uint64_t& word = levels_[level][at / 64];
      const bool was_empty = word == 0;
      word |= std::uint64_t{1} << at % 64;
      if (!was_empty) return;
      at /= 64;
    }
  }

  // The smallest; the set must not be empty.
  [[nodiscard]] std::uint32_t first() const noexcept {
    std::size_t at = 0;
    for (std::size_t level = depth_; level-- > 0;) {
      at = 64 * at + static_cast<std::size_t>(std::countr_zero(levels_[level][at]));
    }
    return static_cast<std::uint32_t>(at);
  }

  // Takes the smallest; the set must not be empty.
  std::uint32_t pop() noexcept {
    const std::uint32_t smallest = first();
    std::size_t at = smallest;
    for (std::size_t level = 0; level < depth_; ++level) {
      std::uint64_t& word = levels_[level][at / 64];
      word &= word - 1;  // every level's lowest bit is the one on the way to the smallest
      if (word != 0) break;
      at /= 64;
    }
    return smallest;
  }

 private:
  static constexpr std::size_t kMostLevels = 6;  // 64^6 is past any 32-bit integer

  base::PagedVector<std::uint64_t> words_;
  std::array<std::uint64_t*, kMostLevels> levels_{};  // finest first
  std::size_t depth_ = 0;
};

}  // namespace foretask::simulate
