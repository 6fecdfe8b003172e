// SPDX-License-Identifier: Apache-2.0
#include "construct_code.hpp"

#include "kit/next_function.hpp"

namespace foretask::ompt {

kit::Module runtime_code;
const void* (*routine_behind)(const SharedTask*) = nullptr;
std::atomic<std::ptrdiff_t> task_distance{kNoDistance};
constinit __attribute__((tls_model("initial-exec"))) thread_local const ompt_data_t* created_word = nullptr;
constinit __attribute__((tls_model("initial-exec"))) thread_local const void* forked_function = nullptr;

namespace {

// One within another where the tasks of the outer are run as they are made.
thread_local unsigned taskloops = 0;
std::atomic<bool> has_taskloops{false};

ompt_get_task_info_t get_task_info = nullptr;

const SharedTask& task_of(const ompt_data_t* word, std::ptrdiff_t distance) {
  return *reinterpret_cast<const SharedTask*>(reinterpret_cast<const char*>(word) + distance);
}

// In each version it is another one. A task begins a cache line, has a routine behind a pointer to what follows, and no
// part of it has run.
std::ptrdiff_t find_distance(const ompt_data_t* word) {
  constexpr std::ptrdiff_t kMostDistance = 256;
  constexpr std::ptrdiff_t kMostSharedBytes = 1 << 16;
  constexpr std::uintptr_t kCacheLine = 64;
  for (std::ptrdiff_t distance = sizeof(ompt_data_t); distance <= kMostDistance; distance += sizeof(void*)) {
    const SharedTask& task = task_of(word, distance);
    if (reinterpret_cast<std::uintptr_t>(&task) % kCacheLine != 0) continue;
    const std::ptrdiff_t shared = static_cast<const char*>(task.shared) - reinterpret_cast<const char*>(word);
    const bool is_behind = shared > distance && shared < distance + kMostSharedBytes;
    if ((task.shared == nullptr || is_behind) && task.part == 0 && kit::find_module(task.routine).is_code)
      return distance;
  }
  return kNoDistance;
}

// True if the running task has libomp's own routine: a part of a taskloop, which makes others.
bool is_in_part_of_taskloop(std::ptrdiff_t distance) {
  if (!has_taskloops.load(std::memory_order_relaxed)) return false;
  int flags = 0;
  ompt_data_t* word = nullptr;
  return get_task_info(0, &flags, &word, nullptr, nullptr, nullptr) == 2 && (flags & ompt_task_explicit) != 0 &&
         word != nullptr && is_in_runtime(task_of(word, distance).routine);
}

}  // namespace

void find_runtime(ompt_function_lookup_t lookup) {
  const kit::Module module = kit::find_module(reinterpret_cast<const void*>(lookup));
  if (!module.is_program) runtime_code = module;
  routine_behind = kit::find_anywhere<decltype(routine_behind)>("foretask_tune_routine");
  get_task_info = reinterpret_cast<ompt_get_task_info_t>(lookup("ompt_get_task_info"));
  task_distance.store(kUnknownDistance, std::memory_order_relaxed);
}

void enter_taskloop() {
  ++taskloops;
  has_taskloops.store(true, std::memory_order_relaxed);
}

void leave_taskloop() {
  if (taskloops != 0) --taskloops;
}

Creation find_creation_slow(const ompt_data_t* word, const void* code) {
  std::ptrdiff_t distance = task_distance.load(std::memory_order_relaxed);
  if (distance == kUnknownDistance) {
    distance = find_distance(word);
    task_distance.store(distance, std::memory_order_relaxed);
  }
  if (distance == kNoDistance) return {is_in_runtime(code) ? nullptr : code, taskloops != 0};
  const SharedTask* task = &task_of(word, distance);
  if (!is_in_runtime(code)) return {kit::code_of(routine_of(*task)), false};
  // A task that makes others of a taskloop has their pattern first in what it shares.
  const bool makes_others = is_in_runtime(task->routine);
  if (makes_others) task = *static_cast<const SharedTask* const*>(task->shared);
  return {kit::code_of(task->routine), makes_others || taskloops != 0 || is_in_part_of_taskloop(distance)};
}

}  // namespace foretask::ompt
