/* SPDX-License-Identifier: Apache-2.0 */
/* HOT: how a runtime's hook lets foretask watch a run (FORETASK_PROGRESS=1). Tasks are created, switched on and off,
 * wait and end. A thread's own part in a region is a task of another kind. Each thread has its own counters; another
 * thread reads them now and then. Works with a recording, with the learner, or alone.
 *
 * A switch or an end costs a time stamp (12 ns) and a few stores. A creation costs some 5 ns, a kernel's first one some
 * us. A NULL task stands for one without memory. */
#pragma once

#include "foretask/foretask.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The library's, except for the first member. */
typedef struct foretask_progress_task {
  uint64_t adapter; /* the hook's: what another listener keeps of the task */
  uint32_t kernel;  /* place of its counters */
  uint32_t waits;   /* waits that it is in */
  uint32_t is_begun;
  struct foretask_progress_task* outer; /* an implicit task's: what the thread ran before; else the next free one */
} foretask_progress_task;

/* 1 where the hook is to call the functions below. Call it after foretask_hook_start(), which reads the environment.
 * From then on tasks are counted, and scopes are not. */
FORETASK_API int foretask_progress_hook_is_on(void);

/* The calling thread has created a task, to which its last foretask_openmp_next_task() applies. NULL `code`: not a
 * task, not counted. */
FORETASK_API foretask_progress_task* foretask_progress_task_create(const void* code);

/* The calling thread leaves what it ran, and joins a region of `team_size` threads that `code` opened.
 * foretask_progress_region_leave() takes it back. NULL `code`: the thread's initial task, in a program
 * that runs tasks on `team_size` threads. */
FORETASK_API foretask_progress_task* foretask_progress_region_enter(const void* code, uint32_t team_size);
FORETASK_API void foretask_progress_region_leave(foretask_progress_task* task);

/* The calling thread begins and ends its share of a loop, or of sections, in a region's task. A loop's progress is
 * counted in iterations: those that the thread is given are done when it asks for more, or ends its share. */
FORETASK_API void foretask_progress_share_begin(foretask_progress_task* region, const void* code, int is_sections);
FORETASK_API void foretask_progress_iterations(uint64_t count);
FORETASK_API void foretask_progress_share_end(foretask_progress_task* region);

/* The calling thread leaves its running task for `to`. */
FORETASK_API void foretask_progress_task_switch(foretask_progress_task* to);

/* The calling thread has ended and frees `task`; `to` goes on. */
FORETASK_API void foretask_progress_task_end(foretask_progress_task* task, foretask_progress_task* to);

/* `task` was cancelled, and is freed. It counts as done if it had begun. `to` goes on where the calling thread ran it.
 */
FORETASK_API void foretask_progress_task_discard(foretask_progress_task* task, foretask_progress_task* to);

/* The calling thread's running task begins and ends a wait, for children, a region or a lock. Waits may nest. */
FORETASK_API void foretask_progress_wait_begin(void);
FORETASK_API void foretask_progress_wait_end(void);

#ifdef __cplusplus
}
#endif
