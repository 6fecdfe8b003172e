// SPDX-License-Identifier: Apache-2.0
// HOT: where a task waits for others.
#include "created_tasks.hpp"
#include "libgomp.hpp"
#include "ompt_words.hpp"
#include "task_run.hpp"
#include "thread.hpp"

using namespace foretask::gomp;

namespace {

// The thread's task has waited for its children.
void tell_of_loose_loops(const Thread& thread) {
  if (__builtin_expect(thread.current->has_loose_loops, 0)) CreatedTasks::discard_of_creator(thread);
}

}  // namespace

FORETASK_ENTRY void GOMP_taskwait() {
  const auto real = FORETASK_NEXT(GOMP_taskwait);
  Thread* const thread = enter();
  if (thread == nullptr) return real();
  ompt_data_t* const task = thread->current->data;
  if (__builtin_expect(records_alone, 1)) {
    foretask_record_wait_begin(foretask::ompt::thread_stream, FORETASK_EVENT_WAIT_BEGIN);
    real();
    tell_of_loose_loops(*thread);
    foretask_record_wait_end(foretask::ompt::thread_stream, FORETASK_EVENT_WAIT_END, foretask::ompt::name_of(task));
    return;
  }
  tell<ompt_callback_sync_region>(ompt_sync_region_taskwait, ompt_scope_begin, nullptr, task, nullptr);
  tell<ompt_callback_sync_region_wait>(ompt_sync_region_taskwait, ompt_scope_begin, nullptr, task, nullptr);
  real();
  tell_of_loose_loops(*thread);
  tell<ompt_callback_sync_region_wait>(ompt_sync_region_taskwait, ompt_scope_end, nullptr, task, nullptr);
  tell<ompt_callback_sync_region>(ompt_sync_region_taskwait, ompt_scope_end, nullptr, task, nullptr);
}

FORETASK_ENTRY void GOMP_taskwait_depend(void** depend) {
  const auto real = FORETASK_NEXT(GOMP_taskwait_depend);
  Thread* const thread = enter();
  if (thread == nullptr) return real(depend);
  ompt_data_t wait{};
  tell<ompt_callback_task_create>(thread->current->data, nullptr, &wait, foretask::ompt::kTaskwaitFlag, 1,
                                  __builtin_return_address(0));
  tell_dependences(wait, depend);
  real(depend);
  tell<ompt_callback_task_schedule>(&wait, static_cast<ompt_task_status_t>(foretask::ompt::kTaskwaitComplete),
                                    thread->current->data);
}

// GCC 13 and newer. libgomp makes a task without a body of it.
FORETASK_ENTRY void GOMP_taskwait_depend_nowait(void** depend) {
  const auto real = FORETASK_NEXT(GOMP_taskwait_depend_nowait);
  if (const Thread* const thread = enter()) {
    ompt_data_t empty{};
    tell<ompt_callback_task_create>(thread->current->data, nullptr, &empty, foretask::ompt::kEmptyFlag, 1,
                                    __builtin_return_address(0));
    tell_dependences(empty, depend);
    tell<ompt_callback_task_schedule>(&empty, ompt_task_late_fulfill, nullptr);
  }
  real(depend);
}

FORETASK_ENTRY void GOMP_taskgroup_start() {
  const auto real = FORETASK_NEXT(GOMP_taskgroup_start);
  Thread* const thread = enter();
  if (thread == nullptr) return real();
  static_cast<void>(open_group(*thread));
  tell<ompt_callback_sync_region>(ompt_sync_region_taskgroup, ompt_scope_begin, nullptr, thread->current->data,
                                  nullptr);
  real();
}

FORETASK_ENTRY void GOMP_taskgroup_end() {
  const auto real = FORETASK_NEXT(GOMP_taskgroup_end);
  Thread* const thread = enter();
  if (thread == nullptr) return real();
  if (thread->current->leaves_region) {
    // To the listeners the thread is in the barrier at the region's end.
    real();
    return close_group(*thread, thread->current->group);
  }
  ompt_data_t* const task = thread->current->data;
  tell<ompt_callback_sync_region_wait>(ompt_sync_region_taskgroup, ompt_scope_begin, nullptr, task, nullptr);
  real();
  close_group(*thread, thread->current->group);
  tell<ompt_callback_sync_region_wait>(ompt_sync_region_taskgroup, ompt_scope_end, nullptr, task, nullptr);
  tell<ompt_callback_sync_region>(ompt_sync_region_taskgroup, ompt_scope_end, nullptr, task, nullptr);
}
