// SPDX-License-Identifier: Apache-2.0
// Follows the progress of a run through the tool interface, in front of a recorder or a learner, or alone.
#pragma once

#include <omp-tools.h>

namespace foretask::ompt {

// Callbacks of the listener behind; null: it has none. What is not among them it registers itself.
struct Listener {
  ompt_callback_parallel_begin_t parallel_begin = nullptr;
  ompt_callback_parallel_end_t parallel_end = nullptr;
  ompt_callback_implicit_task_t implicit_task = nullptr;
  ompt_callback_task_create_t task_create = nullptr;
  ompt_callback_task_schedule_t task_schedule = nullptr;
  ompt_callback_sync_region_t sync_region = nullptr;
  ompt_callback_sync_region_t sync_region_wait = nullptr;
  ompt_callback_mutex_acquire_t mutex_acquire = nullptr;
  ompt_callback_mutex_t mutex_acquired = nullptr;
  ompt_callback_work_t work = nullptr;
};

// The listener's callbacks, as they are.
void register_listener(const Listener& listener, ompt_set_callback_t set_callback);

// The same behind those that follow the progress. The listener finds its own words in the data of tasks and regions.
// Once a process.
void register_progress(const Listener& listener, ompt_set_callback_t set_callback, ompt_function_lookup_t lookup);

}  // namespace foretask::ompt
