// SPDX-License-Identifier: Apache-2.0
// team N: every thread of the team makes N tasks.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 5;
  int done = 0, threads = 0;
#pragma omp parallel  // region
  {
#pragma omp master
    threads = omp_get_num_threads();
    for (int i = 0; i < n; ++i) {
#pragma omp task shared(done)  // task
      {
#pragma omp atomic
        ++done;
      }
    }
  }
  printf("%d %d\n", threads, done);
  return done == threads * n ? 0 : 1;
}
