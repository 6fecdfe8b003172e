/* SPDX-License-Identifier: Apache-2.0 */
/* Annotates the tasks of a sequential program: what each reads and writes, as a dataflow runtime would be told.
 *
 *   const foretask_access uses[] = {{a, bytes, FORETASK_IN}, {c, bytes, FORETASK_INOUT}};
 *   foretask_task_begin(update, (double[]){n}, 1, uses, 2);
 *   ... the body, as it stands in the sequential program ...
 *   foretask_task_end();
 *
 * The program still runs its tasks one after the other. A recording (foretask record, or FORETASK=record) holds the
 * task graph that a dataflow runtime would build. The code between the tasks creates them. A task comes after its
 * creation, and after the creator's earlier tasks that touch the same bytes, where either of the two writes. With
 * FORETASK=learn a task's time is learned like a scope's.
 *
 * A task that begins within another one is its child. It is ordered with its siblings alone, and the outer task ends
 * after its children. Each thread has a task tree of its own. docs/dataflow.md has the rules.
 *
 * Any thread at any time; a task begins and ends on one thread. Off, a call costs a load and a branch. Recording costs
 * some 100 ns a task and 10 ns a range, learning 50 ns a task. */
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

/* A range of memory. Ranges of one task may overlap: bytes read and written are FORETASK_INOUT. A range of no bytes is
 * allowed at any address, and orders nothing. */
typedef struct foretask_access {
  const void* address;
  size_t bytes;
  uint32_t kind; /* foretask_access_kind */
} foretask_access;

/* `count` may be smaller than the kernel's: foretask_task_set() gives the others. FORETASK_BAD_ARGUMENT for an unknown
 * kind, a NULL address with bytes, a range past the last address. Then no task begins, and its foretask_task_end() does
 * nothing. */
FORETASK_API foretask_status foretask_task_begin(foretask_kernel* kernel, const double* parameters, size_t count,
                                                 const foretask_access* accesses, size_t access_count);

/* Sets a parameter of the calling thread's innermost task that only its body knows. */
FORETASK_API foretask_status foretask_task_set(size_t index, double value);

/* Ends the calling thread's innermost task. FORETASK_BAD_ARGUMENT where there is none. */
FORETASK_API foretask_status foretask_task_end(void);

/* Where the dataflow program would wait for all tasks that the calling thread's innermost task has created; outside of
 * tasks, the thread itself. What follows comes after them. The program's end waits too. */
FORETASK_API foretask_status foretask_task_wait(void);

#ifdef __cplusplus
}
#endif
