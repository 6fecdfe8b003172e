// SPDX-License-Identifier: Apache-2.0
// HOT: what a thread needs to decide on the tasks that it makes, whichever OpenMP runtime it is on.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "foretask/tune_hook.h"
#include "kit/code.hpp"
#include "kit/next_function.hpp"

namespace foretask::tune {

struct Thread {
  struct Known {
    const void* code;
    foretask_tuned_code* what;
  };
  // Below it more than half of the stack is used; null: not known yet.
  const char* half_of_stack;
  const char* end_of_stack;
  int locks;                       // that it holds, critical sections as well
  unsigned counted;                // tasks that were left alone
  foretask_tuned_region* region;   // that it has opened; null: none, or nothing is decided in it
  foretask_tuned_region taskloop;  // that it is about to wait for; without loops: none
  std::array<Known, 8> known;
};
extern constinit __attribute__((tls_model("initial-exec"))) thread_local Thread this_thread;

enum class State : std::uint8_t { kUnknown, kOff, kOn };
extern std::atomic<State> state;
[[nodiscard]] bool tunes_slow() noexcept;

// True where FORETASK=tune, and the program cannot cancel.
inline bool tunes() noexcept {
  const State now = state.load(std::memory_order_relaxed);
  return now == State::kUnknown ? tunes_slow() : now == State::kOn;
}

inline constexpr unsigned kCountedEach = 64;

// Whether the runtime has all tasks for the time being.
inline bool leaves_alone() noexcept { return __atomic_load_n(&foretask_tuned_leaves_alone, __ATOMIC_RELAXED) != 0; }

// A task was made meanwhile.
inline void count_left_alone() noexcept {
  if (++this_thread.counted % kCountedEach == 0) foretask_tuned_count(kCountedEach);
}

// The task that the thread is in; null: nothing is decided in it, or nowhere for the time being.
inline foretask_tuned_task* running_task() noexcept {
  if (__builtin_expect(leaves_alone(), 0)) return nullptr;
  foretask_tuned_task* const task = foretask_tuned_running;
  if (__builtin_expect(!task, 0)) return foretask_tuned_root();
  return task->subtree.node ? task : nullptr;
}

// Tasks were made of which the library knows nothing: what they make may look as if it were made outside of tasks, and
// a task with dependences may come after them.
extern std::atomic<bool> has_others;
inline void see_other() noexcept {
  if (!has_others.load(std::memory_order_relaxed)) has_others.store(true, std::memory_order_relaxed);
}

// Whether a task with dependences that `creator` makes now waits for no other.
inline bool comes_after_none(const foretask_tuned_task& creator) noexcept {
  return !has_others.load(std::memory_order_relaxed) && foretask_tuned_has_none_open(&creator) != 0;
}

// Whether the program's own priorities mean nothing without the launcher.
[[nodiscard]] bool drops_priorities() noexcept;

[[nodiscard]] foretask_tuned_code* code_slow(const void* code, Thread::Known& place) noexcept;

// Null: nothing is known of it.
inline foretask_tuned_code* code_at(const void* code) noexcept {
  Thread::Known& place = this_thread.known[(reinterpret_cast<std::uintptr_t>(code) >> 4) % this_thread.known.size()];
  return __builtin_expect(place.code == code, 1) ? place.what : code_slow(code, place);
}

void find_stack_slow() noexcept;

// Whether there is room for more bodies within bodies.
inline bool has_stack() noexcept {
  if (__builtin_expect(!this_thread.half_of_stack, 0)) find_stack_slow();
  // Also where the program has put a stack of its own in its place.
  const auto* const frame = static_cast<const char*>(__builtin_frame_address(0));
  return frame > this_thread.half_of_stack && frame < this_thread.end_of_stack;
}

// Whether the next task of `code` is run at once: foretask_tuned_calls().
inline int calls(foretask_tuned_task& running, foretask_tuned_code& code) noexcept {
  return this_thread.locks == 0 && has_stack() ? foretask_tuned_calls(&running, &code) : 0;
}

// A task's body.
class Body {
 public:
  // Taken up by the calling thread.
  explicit Body(const foretask_tuned_ticket& ticket) noexcept { foretask_tuned_begin(&task_, &ticket); }
  // Run at once by its creator.
  Body(foretask_tuned_task& creator, foretask_tuned_code& code) noexcept {
    foretask_tuned_call(&task_, &creator, &code);
  }
  ~Body() { foretask_tuned_end(&task_); }
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;

 private:
  foretask_tuned_task task_;
};

}  // namespace foretask::tune
