// SPDX-License-Identifier: Apache-2.0
// taskyield N: N tasks that let others run in their middle.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 500;
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < n; ++i) {
#pragma omp task shared(done)  // task
    {
#pragma omp taskyield
#pragma omp atomic
      ++done;
    }
  }
  printf("%d\n", done);
  return done == n ? 0 : 1;
}
