// SPDX-License-Identifier: Apache-2.0
// HOT: the runtime's own function behind one of the same name in this library.
//
// It is looked up at its first call: the program may load the runtime late, or never. That call may come before this
// library's constructors, so nothing here needs one. A lookup may come back to this library, by the program's malloc()
// or by what a library does as it is loaded: then both look it up. No lock is held meanwhile.
//
// Mostly the function is in a library behind this one (RTLD_NEXT). A module that the program loads late, as Python
// does, may bring the runtime with it and keep it to itself: then it is found by the name of its file. Where several
// modules bring one each, every module's calls go to the one that the module sees. Of a function with several versions
// the newest is found, which is the one that callers are linked with today.
#pragma once

#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <span>

namespace foretask::kit {

// The runtime's files, where a module has loaded one that this library does not see; null behind the last. Each hook
// has its own.
extern const char* const runtime_files[];

// Of the runtime; null: there is none. Takes the dynamic linker's lock.
[[nodiscard]] void* find_function(const char* name) noexcept;
template <typename Function>
[[nodiscard]] Function find_function(const char* name) noexcept {
  return reinterpret_cast<Function>(find_function(name));
}

// Of whatever library of the program has it; null: none.
template <typename Function>
[[nodiscard]] Function find_anywhere(const char* name) noexcept {
  return reinterpret_cast<Function>(::dlsym(RTLD_DEFAULT, name));
}

// Modules that may have runtimes of their own; what further ones call is looked up at each call.
inline constexpr std::size_t kMostModules = 16;

// The out-of-line half of get().
[[nodiscard]] void* find_next_slow(const char* name, std::atomic<void*>& known, std::span<std::atomic<void*>> late,
                                   const void* caller) noexcept;

// Any thread. A load and a branch once it is known. Ends the process, with a line on stderr, where there is none: the
// caller could not have run without it. `Function`: a pointer to it. `kModules`: kMostModules where modules may see
// different ones, else 0.
template <typename Function, std::size_t kModules = 0>
class NextFunction {
 public:
  explicit constexpr NextFunction(const char* name) noexcept : name_(name) {}

  // `caller`: an address in the module that calls, where that matters.
  [[nodiscard]] Function get(const void* caller = nullptr) noexcept {
    void* known = known_.load(std::memory_order_relaxed);
    if (!known) [[unlikely]]
      known = get_slow(caller);
    return reinterpret_cast<Function>(known);
  }

 private:
  [[gnu::noinline]] void* get_slow(const void* caller) noexcept { return find_next_slow(name_, known_, late_, caller); }

  const char* name_;
  std::atomic<void*> known_{nullptr};
  [[no_unique_address]] std::array<std::atomic<void*>, kModules> late_{};
};

}  // namespace foretask::kit

// A function that answers in front of the runtime's. Needs foretask/foretask.h.
#define FORETASK_ENTRY extern "C" FORETASK_API

// The same of the module that the address `caller` lies in, which may have a runtime of its own.
#define FORETASK_NEXT_OF(function, caller)                                                                  \
  ([](const void* from) noexcept {                                                                          \
    static constinit foretask::kit::NextFunction<void*, foretask::kit::kMostModules> of_runtime(#function); \
    return reinterpret_cast<decltype(&(function))>(of_runtime.get(from));                                   \
  }(caller))

// The function of the runtime that has this name, within the one that answers in front of it.
#define FORETASK_NEXT(function)                                                \
  ([]() noexcept {                                                             \
    static constinit foretask::kit::NextFunction<void*> of_runtime(#function); \
    return reinterpret_cast<decltype(&(function))>(of_runtime.get());          \
  }())
