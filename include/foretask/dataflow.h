/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks of a program that is not parallel yet: what each reads and writes, as a dataflow runtime would be told.
 *
 *   const foretask_access uses[] = {{a, bytes, FORETASK_IN}, {c, bytes, FORETASK_INOUT}};
 *   foretask_task_begin(update, (double[]){n}, 1, uses, 2);
 *   ... the body, as it stands in the sequential program ...
 *   foretask_task_end();
 *
 * The program runs as it is, one task after the other. Recorded (foretask record, or FORETASK=record) it leaves the
 * task graph that a dataflow runtime would have built: the code between the tasks creates them; a task comes after its
 * creation and after the earlier tasks of the same creator that touched the same bytes, where one of the two wrote
 * them. With FORETASK=learn a task's time is learned as a scope's is.
 *
 * A task that begins within another one is that one's child: it is ordered with its siblings alone, and the outer one
 * is over when its children are. Each thread's tasks are a program of their own. docs/dataflow.md has the rules.
 *
 * Any thread at any time; begin and end of a task on one thread. Off, a call costs a load and a branch; recorded, some
 * 100 ns a task and 10 ns a range, learned 50 ns. An end without a beginning is told by its status and does nothing. */
#pragma once

#include "foretask/foretask.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum foretask_access_kind {
  FORETASK_IN = 1,   /* read */
  FORETASK_OUT = 2,  /* written, whatever was there before */
  FORETASK_INOUT = 3 /* read, then written */
} foretask_access_kind;

/* A range of memory. Ranges of one task may overlap: what is both read and written is FORETASK_INOUT. A range of no
 * bytes is allowed, whatever its address, and orders nothing. */
typedef struct foretask_access {
  const void* address;
  size_t bytes;
  uint32_t kind; /* foretask_access_kind */
} foretask_access;

/* `count` may be smaller than the kernel's number of parameters: foretask_task_set() then gives the others.
 * FORETASK_BAD_ARGUMENT for a kind that there is not, a NULL address with bytes, a range beyond the last address. A
 * task that was not begun for its arguments' sake has an end all the same, which does nothing. */
FORETASK_API foretask_status foretask_task_begin(foretask_kernel* kernel, const double* parameters, size_t count,
                                                 const foretask_access* accesses, size_t access_count);

/* A parameter of the calling thread's innermost task, which only its body knows. */
FORETASK_API foretask_status foretask_task_set(size_t index, double value);

/* The calling thread's innermost task is over. FORETASK_BAD_ARGUMENT where there is none. */
FORETASK_API foretask_status foretask_task_end(void);

/* Where the dataflow program would wait: for all tasks that the calling thread's innermost task, or outside of tasks
 * the thread itself, has created. What follows comes after them. The program's end waits so, too. */
FORETASK_API foretask_status foretask_task_wait(void);

#ifdef __cplusplus
}
#endif
