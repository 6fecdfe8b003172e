/* SPDX-License-Identifier: Apache-2.0 */
/* HOT: how a runtime's hook learns the times of tasks and loops (FORETASK=learn). A task is created, switched on and
 * off, waits, and ends. Its time is that of its own code, whatever runs in between. foretask/openmp.h gives its kernel
 * and parameters; else its kernel is the code that created it. A thread's share of a loop is a sample of the loop.
 *
 * The thread that runs a task calls these. A switch costs a time stamp (12 ns) and a few operations. A creation costs
 * some 20 ns, a kernel's first one some us. NULL stands for a thread's own code, and for a task without memory. */
#pragma once

#include "foretask/foretask.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct foretask_learn_task foretask_learn_task;

/* The calling thread has created a task, to which its last foretask_openmp_next_task() applies. NULL when learning is
 * off. */
FORETASK_API foretask_learn_task* foretask_learn_task_create(const void* code);

/* The calling thread leaves `from` and runs `to`. */
FORETASK_API void foretask_learn_task_switch(foretask_learn_task* from, foretask_learn_task* to);

/* The calling thread has ended `from`: it is learned, unless a parameter is missing, and freed. `to` goes on. */
FORETASK_API void foretask_learn_task_end(foretask_learn_task* from, foretask_learn_task* to);

/* `task` was cancelled: it is freed, not learned. `to` goes on where the calling thread ran it. */
FORETASK_API void foretask_learn_task_discard(foretask_learn_task* task, foretask_learn_task* to);

/* The calling thread joins a region of `team_size` threads that `code` opened, and leaves it. Its own part is a task.
 * It is learned where no task and no loop was ever seen in the region: it may be a loop that calls no runtime. */
FORETASK_API foretask_learn_task* foretask_learn_region_enter(const void* code, uint32_t team_size);
FORETASK_API void foretask_learn_region_leave(foretask_learn_task* task);

/* The calling thread begins its share of a loop, or of sections, in its own part of a region; it ends the share, of
 * which it ran `iterations`. One without iterations is not learned. */
FORETASK_API void foretask_learn_share_begin(foretask_learn_task* region, const void* code, int is_sections);
FORETASK_API void foretask_learn_share_end(foretask_learn_task* region, uint64_t iterations);

/* The calling thread's running task begins and ends a wait, for children or a lock. Waits may nest. */
FORETASK_API void foretask_learn_task_wait_begin(void);
FORETASK_API void foretask_learn_task_wait_end(void);

#ifdef __cplusplus
}
#endif
