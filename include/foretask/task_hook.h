/* SPDX-License-Identifier: Apache-2.0 */
/* HOT: how a runtime's hook tells the lives of tasks to what follows them in this process: the learner, for which a
 * task is a sample of its kernel's time, and the progress of the run, which counts tasks by kernel. A recording is told
 * the same beside it by hook.h, whose appends are inline.
 *
 * A task is created, switched on and off, waits, and ends. Its time is that of its own code, whatever runs in between.
 * A thread's own part in a region is a task of another kind, and its share of a loop there one of a third. Kernel and
 * parameters are those that foretask/openmp.h gave; else the kernel is the code that created the task.
 *
 * The thread that runs a task calls these. A switch or an end costs a time stamp (12 ns) and a few stores; a creation
 * some 20 ns, a kernel's first one some us. No function waits or throws. NULL stands for a thread's own code, and for a
 * task without memory. */
#pragma once

#include "foretask/foretask.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The library's, but for its first member. */
typedef struct foretask_hook_task {
  uint64_t name; /* the hook's: the task's id in a recording; 0 at first */
} foretask_hook_task;

/* Instead of code: a region that no construct of the program has opened. */
#define FORETASK_HOOK_NO_CODE ((const void*)1)

/* 1 where tasks are followed: the hook is to call the functions below. After foretask_hook_start(), which reads the
 * environment. From then on tasks are counted, and scopes are not. */
FORETASK_API int foretask_hook_follows_tasks(void);

/* The calling thread has created a task, to which its last foretask_openmp_next_task() applies. NULL `code`: no task of
 * the program's, neither learned nor counted. NULL where there is no memory. */
FORETASK_API foretask_hook_task* foretask_hook_task_create(const void* code);

/* The same of a task of `kernel` with `count` values of its parameters: all that it has, or foretask_openmp_set() gives
 * the rest. */
FORETASK_API foretask_hook_task* foretask_hook_task_create_of(foretask_kernel* kernel, const double* parameters,
                                                              size_t count);

/* Parameter `index` of the running task is `value`, for what follows tasks alone: foretask_openmp_set() tells a
 * recording as well. */
FORETASK_API void foretask_hook_set_parameter(size_t index, double value);

/* The calling thread leaves its running task for `to`, which starts or goes on. */
FORETASK_API void foretask_hook_task_switch(foretask_hook_task* to);

/* The calling thread has ended `task`: it is learned, unless a parameter is missing, counted and freed. `to` goes on.
 */
FORETASK_API void foretask_hook_task_end(foretask_hook_task* task, foretask_hook_task* to);

/* Its body has ended, its event is not fulfilled yet: learned and counted, and freed by foretask_hook_task_discard().
 */
FORETASK_API void foretask_hook_task_detach(foretask_hook_task* task, foretask_hook_task* to);

/* `task` was cancelled: it is freed, not learned, and counts as done if it had begun. `to` goes on where the calling
 * thread ran it. */
FORETASK_API void foretask_hook_task_discard(foretask_hook_task* task, foretask_hook_task* to);

/* The calling thread leaves what it ran and joins a region of `team_size` threads that `code` opened;
 * foretask_hook_region_leave() takes it back. NULL `code`: the thread's initial task, in a program that runs tasks on
 * `team_size` threads. A region's part is learned where no task and no loop was ever seen in the region: it may be a
 * loop that calls no runtime. */
FORETASK_API foretask_hook_task* foretask_hook_region_enter(const void* code, uint32_t team_size);
FORETASK_API void foretask_hook_region_leave(foretask_hook_task* task);

/* The calling thread begins its share of a loop, or of sections, in its own part of a region; it ends the share, of
 * which it ran `iterations`. One without iterations is not learned. The progress counts those that the thread is given:
 * they are done when it asks for more, or ends its share. */
FORETASK_API void foretask_hook_share_begin(foretask_hook_task* region, const void* code, int is_sections);
FORETASK_API void foretask_hook_share_iterations(uint64_t count);
FORETASK_API void foretask_hook_share_end(foretask_hook_task* region, uint64_t iterations);

/* The calling thread's running task begins and ends a wait, for children, a region or a lock. Waits may nest. */
FORETASK_API void foretask_hook_wait_begin(void);
FORETASK_API void foretask_hook_wait_end(void);

#ifdef __cplusplus
}
#endif
