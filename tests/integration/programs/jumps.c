// SPDX-License-Identifier: Apache-2.0
// Tasks that are made at the very end of a region, and of a task. Optimising compilers make them by a jump into the
// runtime, which then does not see from where.
#include <stdio.h>

static void count(int* done) { __atomic_fetch_add(done, 1, __ATOMIC_RELAXED); }

int main(void) {
  int done = 0;
#pragma omp parallel num_threads(2)  // region
  {
#pragma omp task shared(done)  // outer
    {
      count(&done);
#pragma omp task shared(done)  // inner
      count(&done);
    }
  }
  printf("%d\n", done);
  return 0;
}
