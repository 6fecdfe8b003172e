/* SPDX-License-Identifier: Apache-2.0 */
/* On how many threads a parallel region runs: decided by what its runs of that size have taken on one, two, four, ...
 * threads, and on as many as are allowed.
 *
 *   foretask_kernel* axpy = foretask_kernel_define("axpy", (const char*[]){"n", "threads"}, 2);
 *   foretask_threads_run run;
 *   int threads = foretask_threads_begin(&run, axpy, (double[]){n}, 1, omp_get_max_threads());
 *   #pragma omp parallel for num_threads(threads)
 *   for (long i = 0; i < n; ++i) y[i] += a * x[i];
 *   foretask_threads_end(&run);
 *
 * The kernel's last parameter is the number of threads; the others say how large a run is. Their product is its size:
 * runs of one size should take about as long, and larger ones longer. Numbers from 0 on.
 *
 * Any runtime with threads. It is on unless FORETASK=off, whether or not the program learns. While it learns
 * (FORETASK=learn), runs are samples of their kernel, so that the next process knows them from its start.
 *
 * Any thread, also several at once and within each other. docs/threads.md says how it decides. */
#pragma once

#include "foretask/foretask.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A run of a region. The members are the library's. */
typedef struct foretask_threads_run {
  foretask_kernel* kernel; /* NULL: not timed */
  uint64_t begin_ticks;
  int max;
  int threads;
  double parameters[FORETASK_MAX_PARAMETERS];
} foretask_threads_run;

/* HOT, some 5 ns; some 80 ns where the run is timed, at most one in 50 us. Begins a run, and says on how many threads
 * it is to be: from 1 to `max`, and no more than 4095. `count`: the parameters without the number of threads. Where
 * foretask is off, and for bad arguments: `max`, or 1 where that is below 1. Begin and end it on one thread. */
FORETASK_API int foretask_threads_begin(foretask_threads_run* run, foretask_kernel* kernel, const double* parameters,
                                        size_t count, int max);

FORETASK_API void foretask_threads_end_slow(foretask_threads_run* run);

/* The region has ended. A run that fails is not ended: nothing is learned of it. */
static inline void foretask_threads_end(foretask_threads_run* run) {
  if (run && run->kernel) foretask_threads_end_slow(run);
}

/* Some 5 ns for sizes that were run often. The number of threads, at most `max`, at which a run takes least as far as
 * is known, or the fewest that take 3 % longer at most: by earlier runs, else by what is learned of the kernel by
 * samples (foretask_learn) with their number of threads. `max` where nothing is known. Nothing is timed or tried. */
FORETASK_API int foretask_threads(foretask_kernel* kernel, const double* parameters, size_t count, int max);

#ifdef __cplusplus
}
#endif
