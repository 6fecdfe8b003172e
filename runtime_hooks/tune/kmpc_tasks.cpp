// SPDX-License-Identifier: Apache-2.0
// HOT: tasks of LLVM's programs. What compiled code does where a task's if clause is false is done here.
#include "tuning.hpp"

namespace {

using namespace foretask::tune;

struct Task;
using Routine = std::int32_t (*)(std::int32_t thread, Task* task);

// The head of kmp_task_t: what compiled code and the runtime agree on.
struct Task {
  void* shared;
  Routine routine;
  std::int32_t part;  // of an untied task, the one that runs next
};

// Before what the program shares with the task, in the runtime's block.
struct alignas(16) Head {
  foretask_tuned_ticket ticket;
  Routine routine;  // the program's, while the task has ours
  bool goes_on;     // of an untied task: a further part is to be run
};

Head& head_of(const Task& task) { return *reinterpret_cast<Head*>(static_cast<char*>(task.shared) - sizeof(Head)); }

// All parts of an untied task, which may go on at once.
void run_parts(Head& head, std::int32_t thread, Task* task) {
  do {
    head.goes_on = false;
    static_cast<void>(head.routine(thread, task));
  } while (head.goes_on);
}

std::int32_t run_taken_up(std::int32_t thread, Task* task) {
  Head& head = head_of(*task);
  const Body body(head.ticket);
  run_parts(head, thread, task);
  return 0;
}

// Whether the task is to be handed to the runtime, by a function that makes one of it. `may_call`: else in any case.
bool is_handed_over(void* place, std::int32_t thread, Task* task, bool may_call) {
  if (!tunes()) return true;
  Head& head = head_of(*task);
  if (head.routine != nullptr) return true;
  foretask_tuned_task* const running = running_task();
  foretask_tuned_code* const code = running ? code_at(reinterpret_cast<const void*>(task->routine)) : nullptr;
  if (!code) return true;
  if (!may_call) {
    foretask_tuned_make(running, code, &head.ticket);
  } else if (!defers(*running, *code, head.ticket)) {
    using Begin = void (*)(void*, std::int32_t, Task*);
    static constinit foretask::kit::NextFunction<Begin> begin("__kmpc_omp_task_begin_if0");
    static constinit foretask::kit::NextFunction<Begin> complete("__kmpc_omp_task_complete_if0");
    head.routine = task->routine;
    begin.get()(place, thread, task);
    {
      const Body body(*code);
      run_parts(head, thread, task);
    }
    complete.get()(place, thread, task);
    return false;
  }
  head.routine = task->routine;
  task->routine = run_taken_up;
  return true;
}

}  // namespace

FORETASK_ENTRY Task* __kmpc_omp_task_alloc(void* place, std::int32_t thread, std::int32_t flags, std::size_t bytes,
                                           std::size_t shared_bytes, Routine routine) {
  const auto real = FORETASK_NEXT(__kmpc_omp_task_alloc);
  if (!tunes()) return real(place, thread, flags, bytes, shared_bytes, routine);
  Task* const task = real(place, thread, flags, bytes, shared_bytes + sizeof(Head), routine);
  task->shared = static_cast<char*>(task->shared) + sizeof(Head);
  head_of(*task).routine = nullptr;
  return task;
}

FORETASK_ENTRY std::int32_t __kmpc_omp_task(void* place, std::int32_t thread, Task* task) {
  // A part of an untied task that runs is no creation: whoever runs it goes on with it.
  if (task->part != 0 && tunes() && head_of(*task).routine != nullptr) {
    head_of(*task).goes_on = true;
    return 0;
  }
  return is_handed_over(place, thread, task, true) ? FORETASK_NEXT(__kmpc_omp_task)(place, thread, task) : 0;
}

FORETASK_ENTRY std::int32_t __kmpc_omp_task_with_deps(void* place, std::int32_t thread, Task* task, std::int32_t count,
                                                      void* list, std::int32_t count_no_alias, void* list_no_alias) {
  static_cast<void>(is_handed_over(place, thread, task, false));
  return FORETASK_NEXT(__kmpc_omp_task_with_deps)(place, thread, task, count, list, count_no_alias, list_no_alias);
}

FORETASK_ENTRY std::int32_t __kmpc_omp_taskwait(void* place, std::int32_t thread) {
  foretask_tuned_wait();
  return FORETASK_NEXT(__kmpc_omp_taskwait)(place, thread);
}

FORETASK_ENTRY void __kmpc_end_taskgroup(void* place, std::int32_t thread) {
  foretask_tuned_wait();
  FORETASK_NEXT(__kmpc_end_taskgroup)(place, thread);
}

FORETASK_ENTRY void __kmpc_barrier(void* place, std::int32_t thread) {
  foretask_tuned_wait();
  FORETASK_NEXT(__kmpc_barrier)(place, thread);
}
