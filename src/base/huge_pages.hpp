// SPDX-License-Identifier: Apache-2.0
// Large arrays on large pages: filling gigabytes 4 KiB at a time is a third of an analysis' time.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <vector>

namespace foretask::base {

inline constexpr std::size_t kHugePage = std::size_t{2} << 20;

// Reserves room for `count` entries and asks for large pages for it. Only a wish: where the system has none nothing
// changes.
template <typename T>
void reserve_on_huge_pages(std::vector<T>& vector, std::size_t count) {
  vector.reserve(count);
  const auto begin = reinterpret_cast<std::uintptr_t>(vector.data());
  const std::uintptr_t first = (begin + kHugePage - 1) / kHugePage * kHugePage;
  const std::uintptr_t last = (begin + vector.capacity() * sizeof(T)) / kHugePage * kHugePage;
  if (first < last) (void)madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

// For tables that are walked at random: those of several large pages begin at the boundary of one.
template <typename T>
struct HugePageAllocator {
  using value_type = T;
  HugePageAllocator() = default;
  template <typename Other>
  HugePageAllocator(const HugePageAllocator<Other>& /*other*/) noexcept {}

  [[nodiscard]] T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    const bool is_large = bytes >= 2 * kHugePage;
    const std::size_t whole = (bytes + kHugePage - 1) / kHugePage * kHugePage;
    void* const memory = is_large ? std::aligned_alloc(kHugePage, whole) : std::malloc(bytes);
    if (memory == nullptr) throw std::bad_alloc();
    if (is_large) (void)madvise(memory, whole, MADV_HUGEPAGE);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t /*count*/) noexcept { std::free(memory); }
  bool operator==(const HugePageAllocator& /*other*/) const noexcept { return true; }
};

template <typename T>
using PagedVector = std::vector<T, HugePageAllocator<T>>;

}  // namespace foretask::base
