// SPDX-License-Identifier: Apache-2.0
// HOT: tasks of LLVM's programs. What compiled code does where a task's if clause is false is done here.
#include <utility>

#include "kit/handover.hpp"
#include "tuning.hpp"

struct Task;

extern "C" {
void __kmpc_omp_task_begin_if0(void* place, std::int32_t thread, struct Task* task);
void __kmpc_omp_task_complete_if0(void* place, std::int32_t thread, struct Task* task);
void __kmpc_omp_wait_deps(void* place, std::int32_t thread, std::int32_t count, void* list, std::int32_t count_no_alias,
                          void* list_no_alias);
}

namespace {

using namespace foretask::tune;

using Routine = std::int32_t (*)(std::int32_t thread, Task* task);

}  // namespace

// The head of kmp_task_t: what compiled code and the runtime agree on.
struct Task {
  void* shared;
  Routine routine;
  std::int32_t part;  // of an untied task, the one that runs next
};

namespace {

// Before what the program shares with the task, in the runtime's block, which is aligned to eight bytes.
struct Head {
  foretask_tuned_ticket ticket;
  foretask_tuned_code* code;  // null: nothing is decided
  Routine routine;            // the program's, once it has been made
  bool is_called;
  bool would_be_called;  // if this were no dry run
  bool goes_on;          // of an untied task: a further part is to be run
  // That it is one of this library's: others come from the runtime itself, and are copies that it has made.
  std::uintptr_t mark;
};
static_assert(sizeof(Head) % 16 == 0);

// Bits of a task's flags. Others are of final, detached and helping tasks.
enum TaskFlag : std::int32_t { kTied = 1, kDestructors = 8, kPriority = 32 };
constexpr std::int32_t kAnyTask = kTied | kDestructors | kPriority;

std::uintptr_t mark_of(const Task& task) { return reinterpret_cast<std::uintptr_t>(&task) ^ 0xf0e7a5c7u; }

// Null: it is none of this library's.
Head* head_of(const Task& task) {
  if (task.shared == nullptr) return nullptr;
  auto* const head = reinterpret_cast<Head*>(static_cast<char*>(task.shared) - sizeof(Head));
  return head->mark == mark_of(task) ? head : nullptr;
}

// All parts of an untied task, which may go on at once.
void run_parts(Head& head, std::int32_t thread, Task* task) {
  do {
    head.goes_on = false;
    static_cast<void>(head.routine(thread, task));
  } while (head.goes_on);
}

std::int32_t run_taken_up(std::int32_t thread, Task* task) {
  foretask::taken_over(task);
  Head& head = *head_of(*task);
  const Body body(head.ticket);
  run_parts(head, thread, task);
  return 0;
}

// The task is handed to the runtime next. Returns its creator; null where nothing is decided.
foretask_tuned_task* make(Task& task, Head& head) {
  if (leaves_alone()) count_left_alone();
  if (head.code == nullptr || head.routine != nullptr) return nullptr;
  foretask_tuned_task* const running = running_task();
  if (running == nullptr && !head.is_called) return nullptr;
  // One that was to be run at once is a tied one to the runtime by now: its parts have to be run in one piece.
  head.ticket = {nullptr, head.code, nullptr, 0};
  if (running != nullptr) foretask_tuned_make(running, head.code, &head.ticket);
  if (head.would_be_called) foretask_tuned_would_call();
  head.routine = std::exchange(task.routine, run_taken_up);
  foretask::handed_over(&task);
  return running;
}

// At once.
void run_called(const void* caller, void* place, std::int32_t thread, Task& task, Head& head) {
  head.routine = task.routine;
  FORETASK_NEXT_OF(__kmpc_omp_task_begin_if0, caller)(place, thread, &task);
  {
    const Body body(*foretask_tuned_running, *head.code);
    run_parts(head, thread, &task);
  }
  FORETASK_NEXT_OF(__kmpc_omp_task_complete_if0, caller)(place, thread, &task);
}

}  // namespace

// Decides: a task that is to be run at once is a tied one to the runtime, which forgets what an untied one that is run
// at once was within.
FORETASK_ENTRY Task* __kmpc_omp_task_alloc(void* place, std::int32_t thread, std::int32_t flags, std::size_t bytes,
                                           std::size_t shared_bytes, Routine routine) {
  const auto real = FORETASK_NEXT_OF(__kmpc_omp_task_alloc, __builtin_return_address(0));
  if (!tunes()) return real(place, thread, flags, bytes, shared_bytes, routine);
  // As a program on GCC's runtime may start one on this one.
  if ((flags & kPriority) != 0 && drops_priorities()) flags &= ~kPriority;
  foretask_tuned_task* const running = (flags & ~kAnyTask) == 0 ? running_task() : nullptr;
  foretask_tuned_code* const code = running ? code_at(reinterpret_cast<const void*>(routine)) : nullptr;
  if (code == nullptr) see_other();
  const int decision = code != nullptr ? calls(*running, *code) : 0;
  Task* const task =
      real(place, thread, decision == 1 ? flags | kTied : flags, bytes, shared_bytes + sizeof(Head), routine);
  Head& head = *static_cast<Head*>(task->shared);
  task->shared = static_cast<char*>(task->shared) + sizeof(Head);
  head.code = code;
  head.routine = nullptr;
  head.is_called = decision == 1;
  head.would_be_called = decision == 2;
  head.mark = mark_of(*task);
  return task;
}

FORETASK_ENTRY std::int32_t __kmpc_omp_task(void* place, std::int32_t thread, Task* task) {
  const void* const caller = __builtin_return_address(0);
  const auto real = FORETASK_NEXT_OF(__kmpc_omp_task, caller);
  Head* const head = tunes() ? head_of(*task) : nullptr;
  if (head == nullptr) return real(place, thread, task);
  if (task->part != 0 && (head->routine != nullptr || head->is_called)) {
    // A part of an untied task that runs is no creation: whoever runs it goes on with it. Without a routine compiled
    // code runs the task itself, as its if clause is false.
    if (head->routine != nullptr) {
      head->goes_on = true;
    } else {
      head->routine = task->routine;
      run_parts(*head, thread, task);
    }
    return 0;
  }
  if (task->part != 0) return real(place, thread, task);
  if (!head->is_called) {
    foretask_tuned_task* const creator = make(*task, *head);
    const std::int32_t result = real(place, thread, task);
    if (creator) foretask_tuned_made(creator);
    return result;
  }
  run_called(caller, place, thread, *task, *head);
  return 0;
}

FORETASK_ENTRY std::int32_t __kmpc_omp_task_with_deps(void* place, std::int32_t thread, Task* task, std::int32_t count,
                                                      void* list, std::int32_t count_no_alias, void* list_no_alias) {
  const void* const caller = __builtin_return_address(0);
  const auto real = FORETASK_NEXT_OF(__kmpc_omp_task_with_deps, caller);
  Head* const head = tunes() && task->part == 0 ? head_of(*task) : nullptr;
  if (head == nullptr) return real(place, thread, task, count, list, count_no_alias, list_no_alias);
  if (head->is_called && comes_after_none(*foretask_tuned_running)) {
    // Tasks of which this library knows nothing may be open.
    FORETASK_NEXT_OF(__kmpc_omp_wait_deps, caller)(place, thread, count, list, count_no_alias, list_no_alias);
    run_called(caller, place, thread, *task, *head);
    return 0;
  }
  head->would_be_called = false;
  static_cast<void>(make(*task, *head));
  return real(place, thread, task, count, list, count_no_alias, list_no_alias);
}

FORETASK_ENTRY std::int32_t __kmpc_omp_taskwait(void* place, std::int32_t thread) {
  foretask_tuned_wait(1);
  return FORETASK_NEXT_OF(__kmpc_omp_taskwait, __builtin_return_address(0))(place, thread);
}

FORETASK_ENTRY void __kmpc_end_taskgroup(void* place, std::int32_t thread) {
  foretask_tuned_wait(1);
  const auto real = FORETASK_NEXT_OF(__kmpc_end_taskgroup, __builtin_return_address(0));
  if (__builtin_expect(this_thread.taskloop.loops == nullptr, 1)) return real(place, thread);
  foretask_tuned_region taskloop = this_thread.taskloop;
  // Meanwhile the thread may run others.
  this_thread.taskloop.loops = nullptr;
  real(place, thread);
  foretask_tuned_region_end(&taskloop);
}

FORETASK_ENTRY std::int32_t __kmpc_omp_taskyield(void* place, std::int32_t thread, std::int32_t end_part) {
  foretask_tuned_yield();
  return FORETASK_NEXT_OF(__kmpc_omp_taskyield, __builtin_return_address(0))(place, thread, end_part);
}

FORETASK_ENTRY void __kmpc_barrier(void* place, std::int32_t thread) {
  foretask_tuned_wait(1);
  FORETASK_NEXT_OF(__kmpc_barrier, __builtin_return_address(0))(place, thread);
}

// For the hook that records: the program's routine of a task.
FORETASK_ENTRY Routine foretask_tune_routine(const Task* task) {
  const Head* const head = task->routine == run_taken_up ? head_of(*task) : nullptr;
  return head != nullptr ? head->routine : task->routine;
}
