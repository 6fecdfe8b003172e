// SPDX-License-Identifier: Apache-2.0
// Memory of its own cache lines, for what many read: something else's writes beside it would be theirs to wait for.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace foretask::predict {

// Two lines, as processors fetch them in pairs.
inline constexpr std::size_t kOwnLines = 128;

template <typename T>
struct OwnLinesAllocator {
  using value_type = T;

  OwnLinesAllocator() = default;
  template <typename U>
  OwnLinesAllocator(const OwnLinesAllocator<U>&) noexcept {}  // NOLINT: an allocator converts

  [[nodiscard]] T* allocate(std::size_t count) {
    const std::size_t lines = (count * sizeof(T) + kOwnLines - 1) / kOwnLines;
    return static_cast<T*>(::operator new (lines* kOwnLines, std::align_val_t{kOwnLines}));
  }
  void deallocate(T* memory, std::size_t /*count*/) noexcept {
    ::operator delete (memory, std::align_val_t{kOwnLines});
  }

  bool operator==(const OwnLinesAllocator&) const = default;
};

template <typename T>
using OwnLinesVector = std::vector<T, OwnLinesAllocator<T>>;

}  // namespace foretask::predict
