/* SPDX-License-Identifier: Apache-2.0 */
/* Names and parameters for OpenMP tasks: of the next one that this thread creates, and of the running one.
 *
 *   foretask_openmp_next_task(gemm, (double[]){m, n, k}, 3);
 *   #pragma omp task
 *   { ... foretask_openmp_set(3, interactions); ... }
 *
 * Recorded or learned where foretask hooks into the OpenMP runtime (foretask record, or FORETASK=learn with
 * OMP_TOOL_LIBRARIES naming foretask's hook): then a task's time is that of its own strands, without those of tasks
 * that run in its waits. Elsewhere the calls do nothing; some nanoseconds each. */
#pragma once

#include "foretask/foretask.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The next task that the calling thread creates is one of `kernel`. `count` may be smaller than the kernel's:
 * foretask_openmp_set() then gives the others. */
FORETASK_API foretask_status foretask_openmp_next_task(foretask_kernel* kernel, const double* parameters, size_t count);

/* A parameter of the task that the calling thread runs, which only its body knows. */
FORETASK_API foretask_status foretask_openmp_set(size_t index, double value);

#ifdef __cplusplus
}
#endif
