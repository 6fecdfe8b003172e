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

#ifdef __cplusplus
extern "C" {
#endif

/* What is known of the tasks that one place in the code makes. The library's. */
typedef struct foretask_tuned_code {
  foretask_kernel* kernel; /* of their subtrees, by depth */
  int may_call;            /* they were seen to be short and not to block */
} foretask_tuned_code;

typedef struct foretask_tuned_task {
  foretask_subtree subtree; /* its size: how many tasks it is within */
  struct foretask_tuned_task* outer;
} foretask_tuned_task;

/* What a deferred task takes with it. */
typedef struct foretask_tuned_ticket {
  struct foretask_subtree_node* parent;
  foretask_tuned_code* code;
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
  task->subtree.kernel = code->kernel;
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

#ifdef __cplusplus
}
#endif
