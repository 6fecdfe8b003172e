// SPDX-License-Identifier: Apache-2.0
#include "runtime/recording/open_tasks.hpp"

#include <array>
#include <cstdlib>
#include <new>

#include "runtime/recording/recorded_thread.hpp"
#include "trace/event_table.hpp"

namespace foretask::runtime {
namespace {

struct TaskStack {
  OpenTask* innermost = nullptr;
  OpenTask* free = nullptr;
  std::uint32_t lost = 0;            // innermost ones for which there was no memory
  bool thread_has_children = false;  // tasks created outside of tasks, not waited for yet
};
thread_local TaskStack stack;

void free_list(OpenTask*& list) noexcept {
  while (OpenTask* const task = list) {
    list = task->outer;
    std::free(task);
  }
}

OpenTask* take_slow() noexcept {
  // Without it the memory would be lost with the thread.
  if (!watch_thread_end()) return nullptr;
  void* const memory = std::malloc(sizeof(OpenTask));
  return memory ? new (memory) OpenTask : nullptr;
}

bool& children_of(OpenTask* task) noexcept { return task ? task->has_children : stack.thread_has_children; }

void record_accesses(foretask_stream* stream, std::span<const foretask_access> accesses) noexcept {
  std::array<std::uint32_t, 1 + 5 * FORETASK_ACCESSES_PER_EVENT> words;
  std::uint32_t used = 0;
  const auto flush = [&] {
    if (used == 0) return;
    words[0] = used;
    foretask_record_extended_(stream, FORETASK_EVENT_ACCESSES, words.data(), 1 + 5 * used);
    used = 0;
  };
  for (const foretask_access& access : accesses) {
    if (access.bytes == 0) continue;
    std::uint32_t* at = &words[1 + 5 * used];
    trace::put_u64(at, reinterpret_cast<std::uintptr_t>(access.address));
    trace::put_u64(at, access.bytes);
    *at = access.kind;
    if (++used == FORETASK_ACCESSES_PER_EVENT) flush();
  }
  flush();
}

void wait_within(foretask_stream* stream, bool& has_children) noexcept {
  if (!has_children) return;
  has_children = false;
  foretask_record_wait_begin(stream, FORETASK_EVENT_WAIT_BEGIN);
  foretask_record_wait_end(stream, FORETASK_EVENT_WAIT_END, 0);
}

}  // namespace

OpenTask* push_open_task() noexcept {
  OpenTask* task = stack.lost == 0 ? stack.free : nullptr;
  if (task) {
    stack.free = task->outer;
  } else if (stack.lost != 0 || !(task = take_slow())) {
    ++stack.lost;
    return nullptr;
  }
  task->outer = stack.innermost;
  task->name = 0;
  task->has_children = false;
  task->kernel = nullptr;
  task->scope.kernel = nullptr;
  stack.innermost = task;
  return task;
}

OpenTask* open_task() noexcept { return stack.lost == 0 ? stack.innermost : nullptr; }

bool pop_open_task() noexcept {
  if (stack.lost != 0) {
    --stack.lost;
    return false;
  }
  OpenTask* const task = stack.innermost;
  if (!task) return false;
  stack.innermost = task->outer;
  task->outer = stack.free;
  stack.free = task;
  return true;
}

std::uint64_t innermost_open_task() noexcept {
  for (const OpenTask* task = stack.innermost; task; task = task->outer)
    if (task->name != 0) return task->name;
  return 0;
}

void record_open_task(foretask_stream* stream, OpenTask& task, const void* code,
                      std::span<const foretask_access> accesses) noexcept {
  OpenTask* parent = task.outer;
  while (parent && parent->name == 0) parent = parent->outer;
  children_of(parent) = true;
  task.name = foretask_record_task_create(stream, code, FORETASK_TASK_HAS_DEPENDENCES);
  record_accesses(stream, accesses);
  foretask_record_task_switch(stream, task.name);
}

void record_end_of_task(foretask_stream* stream, OpenTask& task) noexcept {
  if (task.name == 0) return;
  wait_within(stream, task.has_children);
  foretask_record_task_end(stream, innermost_open_task());
  task.name = 0;
}

void wait_for_children(foretask_stream* stream) noexcept {
  OpenTask* task = stack.innermost;
  while (task && task->name == 0) task = task->outer;
  wait_within(stream, children_of(task));
}

void end_open_tasks(foretask_stream* stream) noexcept {
  stack.lost = 0;
  while (OpenTask* const task = open_task()) {
    static_cast<void>(pop_open_task());
    if (stream) record_end_of_task(stream, *task);
  }
}

void free_open_tasks() noexcept {
  free_list(stack.innermost);
  free_list(stack.free);
  stack = {};
}

}  // namespace foretask::runtime
