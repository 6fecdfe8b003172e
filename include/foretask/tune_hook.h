/* SPDX-License-Identifier: Apache-2.0 */
/* HOT: which of the program's tasks are run at once, by their creator, instead of being handed to the runtime: for a
 * runtime's hook, where FORETASK=tune. Decided as granularity.h decides it, by what subtrees of that code at that depth
 * have taken. docs/tune.md says by what rules, and what stays as the program has it.
 *
 * A hook has a foretask_tuned_task on the stack of whoever runs a task's body:
 *
 *   creation   foretask_tuned_calls()? 1: the body is run now, by the runtime's own way to run a task at once, between
 *              foretask_tuned_call() and foretask_tuned_end(). 0: what foretask_tuned_make() gives goes with the task,
 *              whose body is run between foretask_tuned_begin() and foretask_tuned_end().
 *   waits      foretask_tuned_wait() before the running task waits for its tasks.
 *
 * The thread that runs the task calls these. No function waits or throws. */
#pragma once

#include "foretask/granularity.h"
#include "foretask/threads.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is known of the tasks that one place in the code makes. The library's. */
typedef struct foretask_tuned_code {
  foretask_kernel* kernel; /* of their subtrees, by depth */
  int may_call;            /* they were seen to be short and not to block */
} foretask_tuned_code;

static inline foretask_kernel* foretask_tuned_kernel(const foretask_tuned_code* code) {
  return __atomic_load_n(&code->kernel, __ATOMIC_RELAXED);
}

typedef struct foretask_tuned_task {
  foretask_subtree subtree; /* its size: how many tasks it is within */
  struct foretask_tuned_task* outer;
} foretask_tuned_task;

/* What a deferred task takes with it. All 0 at first. */
typedef struct foretask_tuned_ticket {
  struct foretask_subtree_node* parent;
  foretask_tuned_code* code;
  void* ordered; /* foretask_tuned_order()'s; NULL: none */
  double depth;
} foretask_tuned_ticket;

/* 1 where FORETASK asks for it. Reads the environment once. */
FORETASK_API int foretask_hook_tunes(void);

/* Some ns for code that was asked for lately, some us for new code. NULL: too many places, or no memory. */
FORETASK_API foretask_tuned_code* foretask_tuned_code_at(const void* code);

/* The innermost task that the thread runs; NULL: none so far. */
extern FORETASK_API __thread foretask_tuned_task* foretask_tuned_running __attribute__((tls_model("initial-exec")));

/* 1 while the runtime has all tasks as the program makes them: the hook decides nothing, and says by
 * foretask_tuned_count() how many there were, each 64. */
extern FORETASK_API int foretask_tuned_leaves_alone;
FORETASK_API void foretask_tuned_count(unsigned tasks);

/* The task that stands for what a thread does outside of tasks. NULL where there is no memory. */
FORETASK_API foretask_tuned_task* foretask_tuned_root(void);

FORETASK_API int foretask_tuned_calls_slow(foretask_tuned_task* task, foretask_tuned_code* code);
FORETASK_API void foretask_tuned_call_slow(foretask_tuned_task* task);
FORETASK_API void foretask_tuned_end_slow(foretask_tuned_task* task);
FORETASK_API void foretask_tuned_wait_slow(foretask_tuned_task* task, int takes_up_others);

/* Whether a task that `task`, the running one, is about to make of `code` is to be run at once: 1. Some 2 ns within
 * small subtrees, else up to 20. 2: it would be, if this were no dry run; foretask_tuned_would_call() counts it where
 * it is made. */
static inline int foretask_tuned_calls(foretask_tuned_task* task, foretask_tuned_code* code) {
  if (!__atomic_load_n(&code->may_call, __ATOMIC_RELAXED)) return 0;
  return task->subtree.is_timed ? foretask_tuned_calls_slow(task, code) : 1;
}

/* Whether all tasks that it has made have ended, with all that they made. 1: a task with dependences comes after none
 * of them, and may be run at once as any other. */
FORETASK_API int foretask_tuned_has_none_open(const foretask_tuned_task* task);

/* What a task with dependences does with data: writes 0 where it only reads. */
typedef struct foretask_tuned_access {
  const void* address;
  int writes;
} foretask_tuned_access;

/* The launcher's OMP_MAX_TASK_PRIORITY. Where it is that, the hook takes the program's own priorities away, which
 * OpenMP would not look at otherwise. */
#define FORETASK_TUNED_PRIORITIES 61

/* The priority of a task with dependences that `task` makes next, before foretask_tuned_make(): by how long what comes
 * after it took where the same tasks were made before. 0: not known, a dry run, within a task, or the launcher has not
 * turned priorities on. Some 100 ns, and as many each access. */
FORETASK_API int foretask_tuned_order(foretask_tuned_task* task, const foretask_tuned_code* code,
                                      const foretask_tuned_access* accesses, unsigned count,
                                      foretask_tuned_ticket* ticket);

/* It makes one that is not, and that the ticket goes with. */
FORETASK_API void foretask_tuned_make(foretask_tuned_task* task, foretask_tuned_code* code,
                                      foretask_tuned_ticket* ticket);
/* The runtime has it: what that took is known. */
FORETASK_API void foretask_tuned_made(foretask_tuned_task* task);
FORETASK_API void foretask_tuned_would_call(void);

/* `task` begins, run at once by `parent`, the running one. */
static inline void foretask_tuned_call(foretask_tuned_task* task, foretask_tuned_task* parent,
                                       foretask_tuned_code* code) {
  task->outer = parent;
  task->subtree.kernel = foretask_tuned_kernel(code);
  task->subtree.size = parent->subtree.size + 1;
  task->subtree.is_timed = 0;
  task->subtree.has_spawned = 0;
  task->subtree.is_called = 0;
  foretask_tuned_running = task;
  if (parent->subtree.node == foretask_subtree_plain && parent->subtree.node && --parent->subtree.node->calls_left > 0)
    task->subtree.node = parent->subtree.node;
  else
    foretask_tuned_call_slow(task);
}

/* The running task yields to others: it may wait for one of them, and tasks of its place go to the runtime from now
 * on. */
FORETASK_API void foretask_tuned_yield(void);

/* `task` begins on a thread that has taken it up. */
FORETASK_API void foretask_tuned_begin(foretask_tuned_task* task, const foretask_tuned_ticket* ticket);

static inline void foretask_tuned_end(foretask_tuned_task* task) {
  foretask_tuned_running = task->outer;
  if (task->subtree.is_timed) foretask_tuned_end_slow(task);
}

/* The running task waits for tasks, from now on until it does something else. `takes_up_others`: meanwhile its thread
 * runs tasks of others, not just those that it waits for itself. */
static inline void foretask_tuned_wait(int takes_up_others) {
  foretask_tuned_task* const task = foretask_tuned_running;
  if (task && task->subtree.has_spawned) foretask_tuned_wait_slow(task, takes_up_others);
}

/* A parallel region, on the stack of the thread that opens it outside of all others. */
typedef struct foretask_tuned_region {
  struct foretask_tuned_loops* loops; /* NULL: nothing is decided on its loops */
  uint64_t begin_ticks;
  uint64_t iterations;      /* of its loops that leave their schedule to the runtime: the hook adds them up, from 0;
                             * UINT64_MAX: of bounds that runtimes may fail on */
  int way;                  /* what it runs with, in the library's count; 0: as the program has it */
  int kind, chunk;          /* the program's, of OpenMP's omp_get_schedule() */
  foretask_threads_run run; /* where a region may have fewer threads */
} foretask_tuned_region;

/* Whether a loop has asked the runtime for its schedule so far, by schedule(runtime) or auto: the hook sets it to 1. */
extern FORETASK_API int foretask_tuned_has_loop;
/* 1 where FORETASK_TUNE asks for fewer threads in regions that do not gain by more. */
extern FORETASK_API int foretask_tuned_has_region_threads;

/* The region of `code` begins: loops that ask the runtime for their schedule get the one that took it least, or one
 * that is tried. Returns on how many threads it is to run, `threads` or fewer. Some 100 ns. */
FORETASK_API int foretask_tuned_region_begin(foretask_tuned_region* region, const void* code, int threads);
FORETASK_API void foretask_tuned_region_end(foretask_tuned_region* region);
/* The program sets a schedule itself: loops that leave theirs to the runtime have it from now on. Not while the library
 * sets one. */
FORETASK_API void foretask_tuned_keep_schedule(void);
extern FORETASK_API __thread int foretask_tuned_is_setting __attribute__((tls_model("initial-exec")));
/* The same of a taskloop that waits for its tasks and does not say how many there are to be: how many; 0: as it is. */
FORETASK_API int foretask_tuned_taskloop_begin(foretask_tuned_region* region, const void* code);
/* Whether the calling thread's team runs loops with a schedule of the library's choice. */
FORETASK_API int foretask_tuned_has_schedule(void);

#ifdef __cplusplus
}
#endif
