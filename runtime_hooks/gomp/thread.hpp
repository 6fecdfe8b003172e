// SPDX-License-Identifier: Apache-2.0
// HOT: the calling thread as OpenMP sees it: the task that it runs, and whether anybody listens. This library plays the
// runtime's side of the tool interface (OMPT): each call of the program becomes the callbacks that LLVM's libomp sends.
#pragma once

#include <omp-tools.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "listener.hpp"

namespace foretask::gomp {

// The type of an event's callback.
template <ompt_callbacks_t event>
struct CallbackOf;
#define FORETASK_CALLBACK(event, callback, number) \
  template <>                                      \
  struct CallbackOf<event> {                       \
    using Type = callback;                         \
  };
FOREACH_OMPT_EVENT(FORETASK_CALLBACK)
#undef FORETASK_CALLBACK

// Those that the listeners have registered; null: none.
inline constexpr std::size_t kEvents = 64;
extern std::array<ompt_callback_t, kEvents> callbacks;

// Nobody listens but the recorder: what it does most often needs no callback.
extern bool records_alone;

template <ompt_callbacks_t event, typename... Arguments>
void tell(Arguments... arguments) {
  const auto callback = reinterpret_cast<typename CallbackOf<event>::Type>(callbacks[event]);
  if (callback != nullptr) callback(arguments...);
}

struct TaskGroup;

// How tasks are made: outside of regions and in a final task they run at once.
enum class Made : std::uint8_t { kDeferred, kOutside, kInFinal };

// A task that a thread is in.
struct RunningTask {
  ompt_data_t* data = nullptr;   // the listeners' word
  TaskGroup* group = nullptr;    // its innermost; only kept where there is cancellation
  const void* team = nullptr;    // whose tasks it makes; only kept of implicit tasks and where there is cancellation
  Made made = Made::kDeferred;   // how its own tasks are made
  bool has_loose_loops = false;  // CreatedTasks that nobody waits for here
  bool leaves_region = false;    // a barrier has said that the region is cancelled
};

// One that libgomp keeps no word for.
struct ImplicitTask : RunningTask {
  ompt_data_t own{};
};

struct Thread {
  enum class State : std::uint8_t { kUnknown, kOff, kOn };
  State state;
  bool is_initial;
  bool is_at_region_end;  // in the barrier behind its last region: libgomp says nothing of that barrier's end
  unsigned last_team;     // threads that wait in its pool since; 0: none, or it is about to fork
  RunningTask* current;
  ImplicitTask initial;
  ImplicitTask member;  // of a team that another thread forked
};

extern constinit __attribute__((tls_model("initial-exec"))) thread_local Thread this_thread;

// The out-of-line half of enter(). The first one of a process starts the tool.
[[nodiscard]] Thread* enter_slow(bool is_worker);

// The calling thread, which need not have been seen before; null: nobody listens.
inline Thread* enter() {
  return __builtin_expect(this_thread.state == Thread::State::kOn, 1) ? &this_thread : enter_slow(false);
}
// The same where libgomp calls: a thread of its pool.
inline Thread* enter_as_worker() {
  return __builtin_expect(this_thread.state == Thread::State::kOn, 1) ? &this_thread : enter_slow(true);
}

// At a barrier, or for tasks.
inline void begin_wait(const Thread& thread, ompt_sync_region_t kind) {
  tell<ompt_callback_sync_region>(kind, ompt_scope_begin, nullptr, thread.current->data, nullptr);
  tell<ompt_callback_sync_region_wait>(kind, ompt_scope_begin, nullptr, thread.current->data, nullptr);
}
inline void end_wait(const Thread& thread, ompt_sync_region_t kind) {
  tell<ompt_callback_sync_region_wait>(kind, ompt_scope_end, nullptr, thread.current->data, nullptr);
  tell<ompt_callback_sync_region>(kind, ompt_scope_end, nullptr, thread.current->data, nullptr);
}

// A barrier of a cancelled region waits for nobody: to the listeners it is one with the barrier at the region's end.
inline void leave_barrier(const Thread& thread, ompt_sync_region_t kind, bool is_cancelled) {
  if (is_cancelled) {
    thread.current->leaves_region = true;
  } else {
    end_wait(thread, kind);
  }
}

// Around libgomp's function that waits, `real`. The thread is null where nobody listens.
template <typename Real, typename... Arguments>
auto wait_at_barrier(Thread* thread, ompt_sync_region_t kind, Real real, Arguments... arguments) {
  if (thread != nullptr) begin_wait(*thread, kind);
  if constexpr (std::is_void_v<decltype(real(arguments...))>) {
    real(arguments...);
    if (thread != nullptr) end_wait(*thread, kind);
  } else {
    const bool is_cancelled = real(arguments...);
    if (thread != nullptr) leave_barrier(*thread, kind, is_cancelled);
    return is_cancelled;
  }
}

// The thread's last region is over for it, which is only known when it does something else.
void leave_last_region(Thread& thread);

// The same for each thread that waits in its pool for its next region. They do not end with the program.
void leave_last_team(const Thread& thread);

}  // namespace foretask::gomp
