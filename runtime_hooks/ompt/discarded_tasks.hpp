// SPDX-License-Identifier: Apache-2.0
// HOT: tasks that libomp discards because their region was cancelled. It says ompt_cancel_discarded_task, and then, on
// the same thread, that the task is complete.
#pragma once

#include <omp-tools.h>

namespace foretask::ompt {

// The calling thread has just discarded a task: its end follows.
inline constinit __attribute__((tls_model("initial-exec"))) thread_local bool is_discarding = false;

// ompt_callback_cancel.
inline void on_discarded(ompt_data_t* /*running*/, int what, const void* /*code*/) {
  if ((what & ompt_cancel_discarded_task) != 0) is_discarding = true;
}

// The status of a task's end: ompt_task_cancel if the task was discarded. Called once for each end.
inline ompt_task_status_t ending(ompt_task_status_t status) {
  if (__builtin_expect(!is_discarding, 1) || (status != ompt_task_complete && status != ompt_task_cancel))
    return status;
  is_discarding = false;
  return ompt_task_cancel;
}

}  // namespace foretask::ompt
