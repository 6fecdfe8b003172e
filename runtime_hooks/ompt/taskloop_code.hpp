// SPDX-License-Identifier: Apache-2.0
// Which construct tasks come from where libomp (14 to 19) names a place within itself: those of a taskloop, and those
// that are the last thing in an outlined function, where optimising compilers create them by a jump instead of a call.
#pragma once

#include <omp-tools.h>

#include <cstdint>

#include "foretask/hook.h"

namespace foretask::ompt {

// Where a library lies in memory.
struct CodeRange {
  std::uintptr_t begin = 0;
  std::uintptr_t bytes = 0;
  [[nodiscard]] bool holds(const void* code) const { return reinterpret_cast<std::uintptr_t>(code) - begin < bytes; }
};
extern CodeRange runtime_code;  // libomp's; empty until find_runtime

// Once, before any callback: `lookup` is libomp's.
void find_runtime(ompt_function_lookup_t lookup);

// HOT: for each creation.
inline bool is_in_runtime(const void* code) { return runtime_code.holds(code); }

// The calling thread begins and ends to make the tasks of a taskloop. Where `code` lies in libomp the stack is unwound:
// some microseconds, which are said to be the tool's.
void enter_taskloop(foretask_stream* stream, const void* code);
void leave_taskloop();

// For a task that was created at a place within libomp.
struct Creation {
  const void* code;  // null: not known. The task is of the kernel of the task that makes it
  bool is_taskloop;
};
[[nodiscard]] Creation find_creation(const ompt_data_t* created);

// The runtime's own word for the task that the thread creates, where a layer gives its listeners others; else null.
extern thread_local const ompt_data_t* created_word;

}  // namespace foretask::ompt
