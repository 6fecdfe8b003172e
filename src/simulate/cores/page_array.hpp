// SPDX-License-Identifier: Apache-2.0
// An array of a fixed size that begins as zeros, for the replay's large tables: those are walked at random, so that
// the kernel is asked to back them by huge pages, which saves most of the address translation.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace foretask::simulate {

// Throws std::bad_alloc. A null pointer for no bytes.
[[nodiscard]] void* allocate_zeroed(std::size_t bytes);
void deallocate(void* memory, std::size_t bytes) noexcept;

template <typename T>
class PageArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  PageArray() = default;
  explicit PageArray(std::size_t size) : data_(static_cast<T*>(allocate_zeroed(size * sizeof(T)))), size_(size) {}
  PageArray(PageArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  PageArray& operator=(PageArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~PageArray() { deallocate(data_, size_ * sizeof(T)); }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] T* data() noexcept { return data_; }
  [[nodiscard]] const T* data() const noexcept { return data_; }
  T& operator[](std::size_t index) noexcept { return data_[index]; }
  const T& operator[](std::size_t index) const noexcept { return data_[index]; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace foretask::simulate
