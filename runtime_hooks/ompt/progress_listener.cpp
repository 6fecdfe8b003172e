// SPDX-License-Identifier: Apache-2.0
// HOT: the OpenMP runtime's tool interface to what follows a run's progress. What LLVM's libomp really sends:
// docs/hooks_ompt.md.
#include "progress_listener.hpp"

#include <cstdlib>

#include "discarded_tasks.hpp"
#include "foretask/progress_hook.h"
#include "handover.hpp"
#include "ompt_words.hpp"
#include "open_loops.hpp"
#include "taskloop_code.hpp"

namespace foretask::ompt {
namespace {

Listener behind;

// What the runtime keeps of a region for us, until the region's end.
struct Region {
  ompt_data_t listener;
  const void* code;
};

foretask_progress_task* task_of(const ompt_data_t* data) {
  return data ? static_cast<foretask_progress_task*>(data->ptr) : nullptr;
}

// The listener's own word of a task or region; one that holds nothing where there is none of ours.
ompt_data_t* nobodys_word() {
  static thread_local ompt_data_t word;
  word.value = 0;
  return &word;
}
static_assert(sizeof(ompt_data_t) == sizeof(foretask_progress_task::adapter));
ompt_data_t* word_of_task(const ompt_data_t* data) {
  if (!data) return nullptr;
  foretask_progress_task* const task = task_of(data);
  return task ? reinterpret_cast<ompt_data_t*>(&task->adapter) : nobodys_word();
}
ompt_data_t* word_of_region(const ompt_data_t* data) {
  if (!data) return nullptr;
  auto* const region = static_cast<Region*>(data->ptr);
  return region ? &region->listener : nobodys_word();
}

void on_parallel_begin(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* region, unsigned requested, int flags,
                       const void* code) {
  auto* const made = static_cast<Region*>(std::malloc(sizeof(Region)));
  region->ptr = made;
  if (made) *made = {ompt_data_t{}, code};
  foretask_progress_wait_begin();
  if (behind.parallel_begin)
    behind.parallel_begin(word_of_task(task), frame, word_of_region(region), requested, flags, code);
}

void on_parallel_end(ompt_data_t* region, ompt_data_t* task, int flags, const void* code) {
  if (behind.parallel_end) behind.parallel_end(word_of_region(region), word_of_task(task), flags, code);
  foretask_progress_wait_end();
  if (!region) return;
  std::free(region->ptr);
  region->ptr = nullptr;
}

void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t* region, ompt_data_t* task, unsigned team_size,
                      unsigned index, int flags) {
  if (endpoint == ompt_scope_begin) {
    const auto* const of = region ? static_cast<const Region*>(region->ptr) : nullptr;
    // A region that no construct of the program has opened has no code: its own description tells it from others.
    task->ptr = foretask_progress_region_enter(!of ? nullptr : (of->code ? of->code : &behind), team_size);
    if (behind.implicit_task)
      behind.implicit_task(endpoint, word_of_region(region), word_of_task(task), team_size, index, flags);
    return;
  }
  if (behind.implicit_task)
    behind.implicit_task(endpoint, word_of_region(region), word_of_task(task), team_size, index, flags);
  foretask_progress_region_leave(task_of(task));
  if (task) task->ptr = nullptr;
}

void on_task_create(ompt_data_t* parent, const ompt_frame_t* frame, ompt_data_t* created, int flags,
                    int has_dependences, const void* code) {
  const void* counted = code;
  if (is_in_runtime(code) && (flags & kTaskwaitFlag) == 0) {
    const Creation creation = find_creation(created);
    if (creation.is_taskloop) flags |= kTaskloopFlag;
    if (creation.code != nullptr) counted = creation.code;
    code = creation.code;
  }
  if ((flags & (kTaskwaitFlag | kEmptyFlag)) != 0) {
    created->ptr = foretask_progress_task_create(nullptr);
  } else if ((flags & ompt_task_explicit) != 0) {
    created->ptr = foretask_progress_task_create(counted);
  } else {
    created->ptr = nullptr;
  }
  if (behind.task_create)
    behind.task_create(word_of_task(parent), frame, word_of_task(created), flags, has_dependences, code);
  handed_over(created->ptr);  // to its begin, by the runtime
  if ((flags & kTaskwaitFlag) != 0) foretask_progress_wait_begin();
}

void on_task_schedule(ompt_data_t* prior, ompt_task_status_t status, ompt_data_t* next) {
  taken_over(task_of(next));
  status = ending(status);
  if (behind.task_schedule) behind.task_schedule(word_of_task(prior), status, word_of_task(next));
  switch (static_cast<int>(status)) {
    case ompt_task_complete:
      foretask_progress_task_end(task_of(prior), task_of(next));
      if (prior) prior->ptr = nullptr;
      return;
    case ompt_task_cancel:
      foretask_progress_task_discard(task_of(prior), task_of(next));
      if (prior) prior->ptr = nullptr;
      return;
    case ompt_task_early_fulfill:
      return;
    case ompt_task_late_fulfill:
      // Its body was over before: ompt_task_detach.
      foretask_progress_task_discard(task_of(prior), nullptr);
      if (prior) prior->ptr = nullptr;
      return;
    case kTaskwaitComplete:
      foretask_progress_wait_end();
      foretask_progress_task_discard(task_of(prior), nullptr);
      if (prior) prior->ptr = nullptr;
      return;
    default:
      if (next) foretask_progress_task_switch(task_of(next));
  }
}

ompt_get_task_info_t get_task_info = nullptr;
ompt_get_parallel_info_t get_parallel_info = nullptr;
bool sees_calls = false;

// An even part of the loop's iterations, where their chunks are not seen: the threads' parts add up to all.
std::uint64_t even_part(std::uint64_t count) {
  int thread = 0;
  int threads = 1;
  get_task_info(0, nullptr, nullptr, nullptr, nullptr, &thread);
  get_parallel_info(0, nullptr, &threads);
  const auto of = static_cast<std::uint64_t>(threads > 0 ? threads : 1);
  return count / of + (static_cast<std::uint64_t>(thread) < count % of ? 1 : 0);
}

void on_work(ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* region, ompt_data_t* task,
             std::uint64_t count, const void* code) {
  const bool is_share = open_loops && is_loop(kind);
  if (is_share && endpoint == ompt_scope_end) foretask_progress_share_end(task_of(task));
  if (behind.work) {
    behind.work(kind, endpoint, word_of_region(region), word_of_task(task), count, code);
  } else {
    on_work_unrecorded(kind, endpoint, task ? task->value : 0, count, code);
  }
  if (!is_share || endpoint != ompt_scope_begin) return;
  foretask_progress_share_begin(task_of(task), open_loops->code(), kind == ompt_work_sections);
  if (!sees_calls) foretask_progress_iterations(even_part(count));
}

void on_sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* region, ompt_data_t* task,
                    const void* code) {
  behind.sync_region(kind, endpoint, word_of_region(region), word_of_task(task), code);
}

void on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t* region,
                         ompt_data_t* task, const void* code) {
  if (behind.sync_region_wait)
    behind.sync_region_wait(kind, endpoint, word_of_region(region), word_of_task(task), code);
  if (kind == ompt_sync_region_reduction) return;
  endpoint == ompt_scope_begin ? foretask_progress_wait_begin() : foretask_progress_wait_end();
}

void on_mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned implementation, ompt_wait_id_t lock,
                      const void* code) {
  if (behind.mutex_acquire) behind.mutex_acquire(kind, hint, implementation, lock, code);
  if (is_waited_for(kind)) foretask_progress_wait_begin();
}

void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t lock, const void* code) {
  if (is_waited_for(kind)) foretask_progress_wait_end();
  if (behind.mutex_acquired) behind.mutex_acquired(kind, lock, code);
}

}  // namespace

void register_listener(const Listener& listener, ompt_set_callback_t set_callback) {
  const auto on = [set_callback](ompt_callbacks_t event, auto* callback) {
    if (callback) set_callback(event, reinterpret_cast<ompt_callback_t>(callback));
  };
  on(ompt_callback_parallel_begin, listener.parallel_begin);
  on(ompt_callback_parallel_end, listener.parallel_end);
  on(ompt_callback_implicit_task, listener.implicit_task);
  on(ompt_callback_task_create, listener.task_create);
  on(ompt_callback_task_schedule, listener.task_schedule);
  on(ompt_callback_sync_region, listener.sync_region);
  on(ompt_callback_sync_region_wait, listener.sync_region_wait);
  on(ompt_callback_mutex_acquire, listener.mutex_acquire);
  on(ompt_callback_mutex_acquired, listener.mutex_acquired);
  on(ompt_callback_work, listener.work);
}

void register_progress(const Listener& listener, ompt_set_callback_t set_callback, ompt_function_lookup_t lookup) {
  behind = listener;
  get_task_info = reinterpret_cast<ompt_get_task_info_t>(lookup("ompt_get_task_info"));
  get_parallel_info = reinterpret_cast<ompt_get_parallel_info_t>(lookup("ompt_get_parallel_info"));
  sees_calls = sees_loop_calls() || !get_task_info || !get_parallel_info;
  follows_iterations = true;
  Listener front;
  front.parallel_begin = on_parallel_begin;
  front.parallel_end = on_parallel_end;
  front.implicit_task = on_implicit_task;
  front.task_create = on_task_create;
  front.task_schedule = on_task_schedule;
  front.sync_region = listener.sync_region ? on_sync_region : nullptr;
  front.sync_region_wait = on_sync_region_wait;
  front.mutex_acquire = on_mutex_acquire;
  front.mutex_acquired = on_mutex_acquired;
  front.work = on_work;
  register_listener(front, set_callback);
}

}  // namespace foretask::ompt
