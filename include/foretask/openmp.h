/* SPDX-License-Identifier: Apache-2.0 */
/* Names and parameters for OpenMP tasks: for the next task that this thread creates, and for the running one.
 *
 *   foretask_openmp_next_task(gemm, (double[]){m, n, k}, 3);
 *   #pragma omp task
 *   { ... foretask_openmp_set(3, interactions); ... }
 *
 * Works where foretask hooks into the OpenMP runtime: foretask record, or FORETASK=learn with OMP_TOOL_LIBRARIES set to
 * foretask's hook. A task's time is that of its own strands, without tasks that run in its waits. Elsewhere the calls
 * do nothing. Any thread; some ns each. */
#pragma once

#include "foretask/foretask.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The next task that the calling thread creates is one of `kernel`. `count` may be smaller than the kernel's:
 * foretask_openmp_set() gives the others. A loop of oneTBB's is named by naming what its call creates: if the kernel's
 * only parameter is `iterations` and `count` is 0, all tasks of the loop are of that kernel, and are given it. */
FORETASK_API foretask_status foretask_openmp_next_task(foretask_kernel* kernel, const double* parameters, size_t count);

/* Sets a parameter of the calling thread's running task that only its body knows. */
FORETASK_API foretask_status foretask_openmp_set(size_t index, double value);

#ifdef __cplusplus
}
#endif
