// SPDX-License-Identifier: Apache-2.0
// Explicit barriers, and those that worksharing constructs end with, each behind a task of every thread.
#include <omp.h>
#include <stdio.h>

#include "spin.h"

int main(void) {
  int done = 0;
#pragma omp parallel
  {
#pragma omp task shared(done)  // first phase
    {
      spin_ms(0.5);
#pragma omp atomic
      ++done;
    }
#pragma omp barrier
#pragma omp task shared(done)  // second phase
    {
      spin_ms(0.5);
#pragma omp atomic
      ++done;
    }
#pragma omp for
    for (int i = 0; i < 4; ++i) spin_ms(0.1);
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < 4; ++i) spin_ms(0.1);
#pragma omp single
    spin_ms(0.1);
#pragma omp task shared(done)  // third phase
    {
#pragma omp atomic
      ++done;
    }
  }
  printf("%d %d\n", done, omp_get_max_threads());
  return 0;
}
