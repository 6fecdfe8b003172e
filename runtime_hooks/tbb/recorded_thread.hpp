// SPDX-License-Identifier: Apache-2.0
// The calling thread's stream, and what the thread is in.
//
// The thread that comes to TBB first and libtbb's workers are the team of one parallel region, from that thread's first
// call to the program's end. It goes on in the region, as the program's serial part. A worker's part is a barrier, in
// which it runs tasks. Other threads of the program are threads of their own. Where the first thread ends before the
// program, the region does; the next call from another one begins a new region.
#pragma once

#include <atomic>
#include <cstdint>

#include "abi.hpp"
#include "foretask/hook.h"

namespace foretask::tbb {

class LoopPart;

// A task that the thread runs, or what is below all tasks.
struct Frame {
  Frame* outer = nullptr;
  std::uint64_t name = 0;            // the task's id in the recording; 0: below all tasks
  const Context* context = nullptr;  // that the task belongs to
  Context* group = nullptr;          // whose tasks the group gathers that was begun in this frame
  const Context* joined = nullptr;   // a new task of this context is a member of the innermost group that is open here
  LoopPart* part = nullptr;          // that the task runs, where its class tells
  bool is_loose = false;
  bool runs = true;  // false: it waits, and what happens on the thread is not its doing

  void set_runs(bool does) noexcept {
    runs = does;
    find_joined();
  }
  void set_group(Context* begun) noexcept {
    group = begun;
    find_joined();
  }

 private:
  void find_joined() noexcept { joined = !runs ? nullptr : group ? group : is_loose ? nullptr : context; }
};

// Trivial: initial-exec thread-local memory of this preloaded library.
struct RecordedThread {
  foretask_stream* stream = nullptr;  // null where nothing is recorded
  Frame* top = nullptr;
  Frame base;
  std::uint64_t member = 0;  // its implicit task in a team; 0: it is in none
  std::uint64_t region = 0;  // that team's
  bool is_known = false;
  bool is_main = false;  // the program's first
  bool is_worker = false;
  bool is_first_of_team = false;
  Frame between;  // where a task is suspended: what is below the tasks that run meanwhile

  // Below tasks whose stack is not known.
  [[nodiscard]] Frame* below() noexcept { return is_worker ? &base : &between; }
};

extern constinit thread_local RecordedThread recorded_thread __attribute__((tls_model("initial-exec")));

// Whether a task was ever suspended: stacks of tasks may go from thread to thread then. Whoever comes back from libtbb
// says which task goes on, and nobody takes the one around an ended task for the one that does.
inline constinit std::atomic<bool> has_moves{false};
[[nodiscard]] inline bool moves() noexcept { return has_moves.load(std::memory_order_relaxed); }
inline void note_moves() noexcept {
  if (!has_moves.exchange(true)) foretask_stop_counting_slow();
}
// The frame goes on, on the calling thread.
void go_on(RecordedThread& thread, Frame& frame) noexcept;

// What the process does. Decided by the first call into TBB.
enum class Mode : int { kUndecided, kOff, kRecords };
extern std::atomic<Mode> current_mode;
[[nodiscard]] inline Mode mode() noexcept { return current_mode.load(std::memory_order_relaxed); }
// The parallel region that is open; 0: none. Acquire where a worker joins it: what its first thread has recorded comes
// before.
extern std::atomic<std::uint64_t> team_region;

// The out-of-line halves of the functions below.
[[nodiscard]] RecordedThread* calling_thread_slow(const void* caller) noexcept;
[[nodiscard]] RecordedThread* running_thread_slow() noexcept;

// The calling thread, in a call from the program: its first one begins its part. Null where nothing is recorded, and
// the first time that is asked decides. `caller`: in the module that calls.
[[nodiscard]] inline RecordedThread* calling_thread(const void* caller) noexcept {
  if (mode() == Mode::kRecords && recorded_thread.stream && team_region.load(std::memory_order_relaxed) != 0) [[likely]]
    return &recorded_thread;
  return calling_thread_slow(caller);
}
// The calling thread, on which libtbb runs a task. Null where nothing is recorded.
[[nodiscard]] inline RecordedThread* running_thread() noexcept {
  RecordedThread& thread = recorded_thread;
  if (mode() == Mode::kRecords && thread.stream &&
      (!thread.is_worker || thread.top != &thread.base ||
       (thread.member != 0 && team_region.load(std::memory_order_acquire) == thread.region))) [[likely]]
    return &thread;
  return running_thread_slow();
}
// The calling thread after a call that may have come back on another thread. Null where nothing is recorded. Only in a
// function that is never inlined: there the compiler has kept no address of thread-local memory over the call.
[[nodiscard]] inline RecordedThread* thread_here() noexcept {
  return mode() == Mode::kRecords && recorded_thread.stream ? &recorded_thread : nullptr;
}
// The same for any function; a call.
[[nodiscard]] RecordedThread* thread_now() noexcept;

// The most threads that the arena can have, where it is the most of any so far.
void note_arena(const Arena* arena, const void* caller) noexcept;
// There may be so many threads.
void note_threads(std::uint32_t threads) noexcept;

// The program ends on this thread.
void end_program() noexcept;

}  // namespace foretask::tbb
