// SPDX-License-Identifier: Apache-2.0
// What stands behind a function that this library answers in front of libtbb.
//
// Mostly that is one libtbb, which every module sees. A plugin may bring its own with dlopen, out of this library's
// sight; another plugin another one. Then each module's calls go to the libtbb that the module sees.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>

namespace foretask::tbb {

// Modules that have a libtbb of their own; further ones are looked up at each call.
inline constexpr std::size_t kLateModules = 16;

struct NextModule {
  std::size_t number = 0;  // kLateModules: of none that is kept
  void* function = nullptr;
  bool is_for_all = false;  // the function stands behind every module's calls
};
// By its linker name, as the module sees it that `caller` lies in. Ends the process, with a line on stderr, where there
// is none: the caller could not have run without it. Takes a lock and the dynamic linker's.
[[nodiscard]] NextModule find_next_function(const char* name, const void* caller) noexcept;
// The number of the module that `caller` lies in; kLateModules where it is not known yet.
[[nodiscard]] std::size_t late_module_of(const void* caller) noexcept;

// Any thread. A load and a branch once it is known.
template <typename Function>
class NextFunction {
 public:
  explicit constexpr NextFunction(const char* name) noexcept : name_(name) {}

  [[nodiscard]] Function* get(const void* caller) noexcept {
    void* known = known_.load(std::memory_order_relaxed);
    if (!known) [[unlikely]]
      known = get_slow(caller);
    return reinterpret_cast<Function*>(known);
  }

 private:
  void* get_slow(const void* caller) noexcept {
    const std::size_t module = late_module_of(caller);
    void* const late = module < kLateModules ? late_[module].load(std::memory_order_relaxed) : nullptr;
    if (late) return late;
    const NextModule next = find_next_function(name_, caller);
    if (next.is_for_all) {
      known_.store(next.function, std::memory_order_relaxed);
    } else if (next.number < kLateModules) {
      late_[next.number].store(next.function, std::memory_order_relaxed);
    }
    return next.function;
  }

  const char* name_;
  std::atomic<void*> known_{nullptr};
  std::array<std::atomic<void*>, kLateModules> late_{};
};

}  // namespace foretask::tbb
