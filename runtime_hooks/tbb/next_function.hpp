// SPDX-License-Identifier: Apache-2.0
// What stands behind a function that this library answers in front of libtbb.
#pragma once

#include <atomic>

namespace foretask::tbb {

// By its linker name. Where libtbb came with dlopen, out of this library's sight: as the module sees it that `caller`
// lies in. Ends the process, with a line on stderr, where there is none: the caller could not have run without it.
[[nodiscard]] void* find_next_function(const char* name, const void* caller) noexcept;

// Any thread. A load and a branch once it is known.
template <typename Function>
class NextFunction {
 public:
  explicit constexpr NextFunction(const char* name) noexcept : name_(name) {}

  [[nodiscard]] Function* get(const void* caller) noexcept {
    void* known = known_.load(std::memory_order_relaxed);
    if (!known) [[unlikely]] {
      known = find_next_function(name_, caller);
      known_.store(known, std::memory_order_relaxed);
    }
    return reinterpret_cast<Function*>(known);
  }

 private:
  const char* name_;
  std::atomic<void*> known_{nullptr};
};

}  // namespace foretask::tbb
