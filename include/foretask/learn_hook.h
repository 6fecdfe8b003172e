/* SPDX-License-Identifier: Apache-2.0 */
/* HOT: what a runtime's adapter calls to learn the times of its tasks (FORETASK=learn): a task is created, is switched
 * on and off as often as the runtime likes, waits, and ends; its time is that of its own code alone, whatever runs in
 * between. Its kernel and parameters are those of foretask/openmp.h, else the code that created it is the kernel.
 *
 * A task is switched by the thread that runs it; a switch costs a time stamp (12 ns) and a few operations, a creation
 * some 20 ns and a first one of each kernel some microseconds. NULL is no task: threads' own code, and what could not
 * be had for want of memory. */
#pragma once

#include "foretask/foretask.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct foretask_learn_task foretask_learn_task;

/* A task that the calling thread has created; foretask_openmp_next_task() of that thread speaks of it. NULL when
 * nothing is learned. */
FORETASK_API foretask_learn_task* foretask_learn_task_create(const void* code);

/* The calling thread leaves `from` and runs `to`. */
FORETASK_API void foretask_learn_task_switch(foretask_learn_task* from, foretask_learn_task* to);

/* `from`, which the calling thread runs, is over, and is learned; `to` goes on. `from` is gone after it. */
FORETASK_API void foretask_learn_task_end(foretask_learn_task* from, foretask_learn_task* to);

/* `task` was cancelled: it is gone, and not learned. `to` goes on where the calling thread ran it. */
FORETASK_API void foretask_learn_task_discard(foretask_learn_task* task, foretask_learn_task* to);

/* The task that the calling thread runs begins to wait (for children, a lock), or has ended it. May be nested. */
FORETASK_API void foretask_learn_task_wait_begin(void);
FORETASK_API void foretask_learn_task_wait_end(void);

#ifdef __cplusplus
}
#endif
