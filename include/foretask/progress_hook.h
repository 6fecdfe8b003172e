/* SPDX-License-Identifier: Apache-2.0 */
/* HOT: what a runtime's adapter calls to have a run's progress followed (FORETASK_PROGRESS=1): tasks are created, are
 * switched on and off, wait and end, and the threads' own parts in regions are tasks of another kind. Each thread
 * counts for itself, for a thread that looks now and then. Beside a recording or the learner, or alone.
 *
 * A switch and an end cost a time stamp (12 ns) and a few stores each, a creation some 5 ns and a first one of each
 * kernel some microseconds. NULL is no task: what could not be had for want of memory. */
#pragma once

#include "foretask/foretask.h"

#ifdef __cplusplus
extern "C" {
#endif

/* But for the first member the library's. */
typedef struct foretask_progress_task {
  uint64_t adapter; /* the adapter's: what another listener keeps of the task */
  uint32_t kernel;  /* its counters' place */
  uint32_t waits;   /* waits that it is in */
  uint32_t is_begun;
  struct foretask_progress_task* outer; /* implicit: what the thread ran before; else the next free one */
} foretask_progress_task;

/* 1 where the adapter is to call what follows; after foretask_hook_start(), which reads the environment. From then on
 * scopes are not counted: the runtime's tasks are. */
FORETASK_API int foretask_progress_hook_is_on(void);

/* A task that the calling thread has created; foretask_openmp_next_task() of that thread speaks of it. NULL
 * `code`: no task, and not counted. */
FORETASK_API foretask_progress_task* foretask_progress_task_create(const void* code);

/* The calling thread takes part in a region of `team_size` threads that `code` has opened. It is taken from what it
 * ran, for foretask_progress_region_leave(). NULL `code`: its initial task. */
FORETASK_API foretask_progress_task* foretask_progress_region_enter(const void* code, uint32_t team_size);
FORETASK_API void foretask_progress_region_leave(foretask_progress_task* task);

/* The calling thread leaves its running task for `to`. */
FORETASK_API void foretask_progress_task_switch(foretask_progress_task* to);

/* `task`, which the calling thread runs, is over and gone; `to` goes on. */
FORETASK_API void foretask_progress_task_end(foretask_progress_task* task, foretask_progress_task* to);

/* `task` was cancelled: it is gone, and counts as done. `to` goes on where the calling thread ran it. */
FORETASK_API void foretask_progress_task_discard(foretask_progress_task* task, foretask_progress_task* to);

/* The task that the calling thread runs begins to wait (for children, a region, a lock), or has ended it. Nests. */
FORETASK_API void foretask_progress_wait_begin(void);
FORETASK_API void foretask_progress_wait_end(void);

#ifdef __cplusplus
}
#endif
