// SPDX-License-Identifier: Apache-2.0
// The calling thread's stream, and what the thread is in.
//
// StarPU's workers and the thread that starts them are the team of one parallel region, from starpu_init() to
// starpu_shutdown(). That thread goes on in it, and runs no tasks. A worker's part is a barrier, in which it runs
// tasks.
#pragma once

#include <atomic>
#include <cstdint>

#include "foretask/hook.h"

namespace foretask::starpu {

// What this process does: foretask_hook_start()'s answer, and whether it follows tasks. Set before StarPU has workers.
inline constinit std::atomic<int> what{FORETASK_HOOK_OFF};
inline constinit std::atomic<bool> has_followers{false};

[[nodiscard]] inline bool records() noexcept {
  return (what.load(std::memory_order_relaxed) & FORETASK_HOOK_RECORDS) != 0;
}
[[nodiscard]] inline bool learns() noexcept {
  return (what.load(std::memory_order_relaxed) & FORETASK_HOOK_LEARNS) != 0;
}
// Tasks are learned or counted.
[[nodiscard]] inline bool follows() noexcept { return has_followers.load(std::memory_order_relaxed); }

struct RecordedThread {
  foretask_stream* stream = nullptr;
  std::uint32_t bodies = 0;  // of tasks, which it runs
  std::uint32_t calls = 0;   // into StarPU that it is in: what they do in turn is StarPU's own
  bool is_worker = false;    // of StarPU: between tasks it runs nothing of the program's
  bool is_first_of_team = false;
  std::uint64_t member = 0;  // its implicit task in the team

  RecordedThread() = default;
  RecordedThread(const RecordedThread&) = delete;
  RecordedThread& operator=(const RecordedThread&) = delete;
  ~RecordedThread();

  // It runs code of the program that may wait for tasks.
  [[nodiscard]] bool may_wait() const noexcept { return stream != nullptr && !is_worker && bodies == 0 && calls == 0; }
};

// Its stream is null where nothing is recorded.
[[nodiscard]] RecordedThread& recorded_thread();

// The calling thread has started StarPU, or is about to end it. `code` called.
void begin_team(const void* code);
void end_team();

}  // namespace foretask::starpu
