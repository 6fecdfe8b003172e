// SPDX-License-Identifier: Apache-2.0
// HOT: the annotated tasks that the calling thread is in, and what a recording takes down of them.
#pragma once

#include <cstdint>
#include <span>

#include "foretask/dataflow.h"
#include "foretask/hook.h"

namespace foretask::runtime {

// One on a thread's stack, from its beginning to its end. Kept for the thread's next one.
struct OpenTask {
  OpenTask* outer = nullptr;
  std::uint64_t name = 0;  // in the recording; 0: it is not recorded
  bool has_children = false;
  const foretask_kernel* kernel = nullptr;  // null: it was refused
  foretask_scope scope{};                   // its time, where it is learned
};

// A new innermost task; null for want of memory, and then the next end is that of this one.
[[nodiscard]] OpenTask* push_open_task() noexcept;

// The innermost; null where there is none.
[[nodiscard]] OpenTask* open_task() noexcept;

// Takes the innermost one off. False where there is none, or the one that ends was never had; its members are valid
// until the next push.
[[nodiscard]] bool pop_open_task() noexcept;

// Into the recording. `code` creates the task; the kernel is the one told by record_next_task() before.
void record_open_task(foretask_stream* stream, OpenTask& task, const void* code,
                      std::span<const foretask_access> accesses) noexcept;
void record_end_of_task(foretask_stream* stream, OpenTask& task) noexcept;

// The innermost task, or the thread itself outside of tasks, waits for the tasks that it has created.
void wait_for_children(foretask_stream* stream) noexcept;

// The name of the innermost recorded task, 0 where there is none.
[[nodiscard]] std::uint64_t innermost_open_task() noexcept;

// The thread ends within tasks: they are over, and recorded as such where there is a stream.
void end_open_tasks(foretask_stream* stream) noexcept;

// After that: the thread's memory for tasks.
void free_open_tasks() noexcept;

}  // namespace foretask::runtime
