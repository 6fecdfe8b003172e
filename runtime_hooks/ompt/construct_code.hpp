// SPDX-License-Identifier: Apache-2.0
// HOT: which kernel a task or a region is of: the function that the compiler made of its construct. libomp (14 to 19)
// says only where its creation returns to. That is in the caller where optimising compilers create by a jump, and
// within libomp for the tasks of a taskloop.
#pragma once

#include <omp-tools.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "kit/code.hpp"
#include "ompt_words.hpp"

namespace foretask::ompt {

extern kit::Module runtime_code;  // libomp's; empty until find_runtime, and where libomp is part of the program

// Once, before any callback: `lookup` is libomp's.
void find_runtime(ompt_function_lookup_t lookup);

inline bool is_in_runtime(const void* code) { return runtime_code.holds(code); }

// The part of a task that compiled code and the runtime share (kmp_task_t).
struct SharedTask {
  const void* shared;  // of what is behind; null: nothing
  const void* routine;
  std::int32_t part;
};

// libforetask_tune puts a routine of its own before the program's, and tells by this which that is. Null where it is
// not loaded.
extern const void* (*routine_behind)(const SharedTask* task);
inline const void* routine_of(const SharedTask& task) {
  return __builtin_expect(routine_behind != nullptr, 0) ? routine_behind(&task) : task.routine;
}

// How far it lies behind libomp's word for the task, in one block. Searched for at the first task. Where there is no
// libomp, or where it keeps tasks otherwise, the caller's code stands for the kernel.
inline constexpr std::ptrdiff_t kNoDistance = 0;
inline constexpr std::ptrdiff_t kUnknownDistance = -1;
extern std::atomic<std::ptrdiff_t> task_distance;

// The runtime's own word for the task that the thread creates, where a layer gives its listeners others; else null.
extern constinit __attribute__((tls_model("initial-exec"))) thread_local const ompt_data_t* created_word;

struct Creation {
  const void* code;  // null: not known. The task is of the kernel of the task that makes it
  bool is_taskloop;
};
[[nodiscard]] Creation find_creation_slow(const ompt_data_t* word, const void* code);

// For each creation, of what the callback says.
inline Creation find_creation(const ompt_data_t* created, int flags, const void* code) {
  const std::ptrdiff_t distance = task_distance.load(std::memory_order_relaxed);
  if (distance == kNoDistance || (flags & (ompt_task_explicit | kTaskwaitFlag)) != ompt_task_explicit)
    return {code, false};
  if (created_word != nullptr) created = created_word;
  if (__builtin_expect(distance == kUnknownDistance || is_in_runtime(code), 0))
    return find_creation_slow(created, code);
  const auto* const task = reinterpret_cast<const SharedTask*>(reinterpret_cast<const char*>(created) + distance);
  return {kit::code_of(routine_of(*task)), false};
}

// The calling thread begins and ends to make the tasks of a taskloop.
void enter_taskloop();
void leave_taskloop();

// The function of the region that the thread is about to fork, as a preloaded hook sees it in the program's call; else
// null.
extern constinit __attribute__((tls_model("initial-exec"))) thread_local const void* forked_function;

// Once for each region that begins, of what the callback says.
inline const void* code_of_region(const void* code) {
  const void* const function = std::exchange(forked_function, nullptr);
  return function != nullptr ? kit::code_of(function) : code;
}

}  // namespace foretask::ompt
