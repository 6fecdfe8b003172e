// SPDX-License-Identifier: Apache-2.0
// predicted N: N named tasks, each predicted just before it is created, in waves of 20. Behind 60 of them a learner
// is waited for: on a busy machine it may get its core late. Prints how many predictions were answered.
#include <stdio.h>
#include <stdlib.h>

#include "foretask/foretask.h"
#include "foretask/openmp.h"
#include "spin.h"

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 100;
  const char* const parameters[] = {"size"};
  foretask_kernel* const step = foretask_kernel_define("step", parameters, 1);
  int answered = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < n; ++i) {
    if (i == 60) foretask_flush(10000);
    const double size = 1 + i % 2;
    foretask_prediction prediction = FORETASK_PREDICTION_INIT;
    if (foretask_predict(step, &size, 1, &prediction) == FORETASK_OK && prediction.samples > 0) ++answered;
    foretask_openmp_next_task(step, &size, 1);
#pragma omp task firstprivate(size)
    spin_ms(0.1 * size);
    if (i % 20 == 19) {
#pragma omp taskwait
    }
  }
  printf("%d\n", answered);
  return 0;
}
