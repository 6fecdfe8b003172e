// SPDX-License-Identifier: Apache-2.0
// HOT: where a task waits for others, and what it comes after.
#include <array>

#include "created_tasks.hpp"
#include "dependences.hpp"
#include "libgomp.hpp"
#include "ompt_words.hpp"
#include "task_run.hpp"
#include "thread.hpp"

using namespace foretask::gomp;

namespace {

constexpr std::size_t kAtOnce = 16;

// By Access; OpenMP 5.2's all-memory and inoutset have no names in older headers.
constexpr std::array kKinds{ompt_dependence_type_in, ompt_dependence_type_inout, ompt_dependence_type_mutexinoutset,
                            static_cast<ompt_dependence_type_t>(7), static_cast<ompt_dependence_type_t>(35)};

// The thread's task has waited for its children.
void tell_of_loose_loops(const Thread& thread) {
  if (__builtin_expect(thread.current->has_loose_loops, 0)) CreatedTasks::discard_of_creator(thread);
}

}  // namespace

void foretask::gomp::tell_dependences(ompt_data_t& task, void** depend) {
  std::array<ompt_dependence_t, kAtOnce> list;
  std::size_t used = 0;
  const auto send = [&] {
    if (used != 0) tell<ompt_callback_dependences>(&task, list.data(), static_cast<int>(used));
    used = 0;
  };
  for_each_dependence(depend, [&](void* address, Access access) {
    list[used].variable.ptr = address;
    list[used++].dependence_type = kKinds[static_cast<std::size_t>(access)];
    if (used == kAtOnce) send();
  });
  send();
}

FORETASK_ENTRY void GOMP_taskwait() {
  const auto real = FORETASK_NEXT(GOMP_taskwait);
  Thread* const thread = enter();
  if (thread == nullptr) return real();
  if (__builtin_expect(records_alone, 1)) {
    const ompt_data_t* const task = thread->current->data;
    foretask_record_wait_begin(foretask::ompt::thread_stream, FORETASK_EVENT_WAIT_BEGIN);
    real();
    tell_of_loose_loops(*thread);
    foretask_record_wait_end(foretask::ompt::thread_stream, FORETASK_EVENT_WAIT_END, foretask::ompt::name_of(task));
    return;
  }
  begin_wait(*thread, ompt_sync_region_taskwait);
  real();
  tell_of_loose_loops(*thread);
  end_wait(*thread, ompt_sync_region_taskwait);
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
  tell<ompt_callback_sync_region_wait>(ompt_sync_region_taskgroup, ompt_scope_begin, nullptr, thread->current->data,
                                       nullptr);
  real();
  close_group(*thread, thread->current->group);
  end_wait(*thread, ompt_sync_region_taskgroup);
}
