// SPDX-License-Identifier: Apache-2.0
// Work of foretask's own on one of the program's threads, set aside from what is the program's. Any thread; 20 us a
// call.
#pragma once

#include <exception>
#include <memory>
#include <type_traits>

namespace foretask::base {

// Whose file descriptors the work has.
enum class Descriptors { kOwn, kProgram };

namespace detail {
[[nodiscard]] bool run_aside(void (*work)(void*), void* argument, Descriptors descriptors) noexcept;
}

// Calls `work()` and waits for it. It runs as the calling thread, with its thread-local variables, but
// - on a stack of its own (512 KiB): the program's may be a few KiB;
// - with file descriptors of its own, none at first: one that was opened here is never one that the program may meet,
//   close or replace, and the program's are out of reach. kProgram: with the program's, as the threads that it starts;
// - in the standard floating-point environment: the program may have asked for traps;
// - with the program's signals held back: no handler of its interrupts a lock that is held here;
// - and is not cancelled.
// A call within `work` just calls. What is open when `work` returns is closed. `errno` stays as it was.
// False where nothing was called: the system gives no memory or no thread, or this process is a child that was made
// without the C library's knowledge (_Fork, clone) and has nothing but a copy of the parent's state.
// `work` throws nothing. A thread that it starts has its descriptors: start_quiet_thread() is called outside of it.
template <typename Work>
[[nodiscard]] bool run_aside(Work&& work, Descriptors descriptors = Descriptors::kOwn) noexcept {
  using Type = std::remove_reference_t<Work>;
  return detail::run_aside([](void* argument) { (*static_cast<Type*>(argument))(); },
                           const_cast<void*>(static_cast<const void*>(std::addressof(work))), descriptors);
}

// The same for work that may throw: `failed` is called there with what the exception says. Nothing happens where
// nothing was called.
template <typename Work, typename Failed>
void try_aside(Work&& work, Failed&& failed) noexcept {
  static_cast<void>(run_aside([&] {
    try {
      work();
    } catch (const std::exception& problem) {
      failed(problem.what());
    }
  }));
}
template <typename Work>
void try_aside(Work&& work) noexcept {
  try_aside(work, [](const char* /*problem*/) {});
}

// Whether the caller is in such work.
[[nodiscard]] bool is_aside() noexcept;

}  // namespace foretask::base
