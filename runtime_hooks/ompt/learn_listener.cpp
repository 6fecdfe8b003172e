// SPDX-License-Identifier: Apache-2.0
// HOT: the OpenMP runtime's tool interface to foretask's learner: each explicit task is timed over its own code. What
// LLVM's libomp really sends: docs/hooks_ompt.md.
#include "learn_listener.hpp"

#include "discarded_tasks.hpp"
#include "foretask/learn_hook.h"
#include "handover.hpp"
#include "ompt_words.hpp"
#include "open_loops.hpp"
#include "taskloop_code.hpp"

namespace foretask::ompt {
namespace {

foretask_learn_task* task_of(ompt_data_t* data) {
  return data ? static_cast<foretask_learn_task*>(data->ptr) : nullptr;
}

void on_task_create(ompt_data_t*, const ompt_frame_t*, ompt_data_t* created, int flags, int, const void* code) {
  created->ptr = nullptr;
  if ((flags & ompt_task_explicit) == 0 || (flags & kTaskwaitFlag) != 0) return;
  if (is_in_runtime(code)) code = find_creation(created).code;
  created->ptr = foretask_learn_task_create(code);
  handed_over(created->ptr);  // to its begin, by the runtime
}

void on_task_schedule(ompt_data_t* prior, ompt_task_status_t status, ompt_data_t* next) {
  taken_over(task_of(next));
  switch (static_cast<int>(ending(status))) {
    case ompt_task_complete:
    case ompt_task_detach: {
      foretask_learn_task* const ended = task_of(prior);
      // What a detached task's event brings later speaks of no task of ours any more.
      if (prior) prior->ptr = nullptr;
      foretask_learn_task_end(ended, task_of(next));
      return;
    }
    case ompt_task_cancel: {
      foretask_learn_task* const discarded = task_of(prior);
      if (prior) prior->ptr = nullptr;
      foretask_learn_task_discard(discarded, task_of(next));
      return;
    }
    case ompt_task_early_fulfill:
    case ompt_task_late_fulfill:
    case kTaskwaitComplete:
      return;
    default:
      if (next) foretask_learn_task_switch(task_of(prior), task_of(next));
  }
}

void on_parallel_begin(ompt_data_t*, const ompt_frame_t*, ompt_data_t* region, unsigned, int, const void* code) {
  region->ptr = const_cast<void*>(code);
}

void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t* region, ompt_data_t* task, unsigned team_size,
                      unsigned, int flags) {
  if (!task) return;
  if (endpoint == ompt_scope_begin) {
    // The teams of a teams construct begin with initial tasks as well, which have a region with code.
    const bool is_initial = !region || ((flags & ompt_task_initial) != 0 && !region->ptr);
    task->ptr = is_initial ? nullptr : foretask_learn_region_enter(region->ptr, team_size);
    return;
  }
  foretask_learn_region_leave(task_of(task));
  task->ptr = nullptr;
}

// A thread's share. Only a preloaded hook knows how many iterations it has.
void on_work(ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t* task, std::uint64_t count,
             const void* code) {
  const bool is_share = open_loops && is_loop(kind);
  if (is_share && endpoint == ompt_scope_end) foretask_learn_share_end(task_of(task), open_loops->iterations());
  on_work_unrecorded(kind, endpoint, task ? task->value : 0, count, code);
  if (is_share && endpoint == ompt_scope_begin)
    foretask_learn_share_begin(task_of(task), open_loops->code(), kind == ompt_work_sections);
}

// Of the waits of a task: for its children, its group, a barrier, a lock.
void on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t*,
                         const void*) {
  if (kind == ompt_sync_region_reduction) return;
  endpoint == ompt_scope_begin ? foretask_learn_task_wait_begin() : foretask_learn_task_wait_end();
}

void on_mutex_acquire(ompt_mutex_t kind, unsigned, unsigned, ompt_wait_id_t, const void*) {
  if (is_waited_for(kind)) foretask_learn_task_wait_begin();
}

void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t, const void*) {
  if (is_waited_for(kind)) foretask_learn_task_wait_end();
}

}  // namespace

Listener learner() {
  Listener listener;
  listener.parallel_begin = on_parallel_begin;
  listener.task_create = on_task_create;
  listener.task_schedule = on_task_schedule;
  listener.implicit_task = on_implicit_task;
  listener.sync_region_wait = on_sync_region_wait;
  listener.mutex_acquire = on_mutex_acquire;
  listener.mutex_acquired = on_mutex_acquired;
  listener.work = on_work;
  return listener;
}

}  // namespace foretask::ompt
