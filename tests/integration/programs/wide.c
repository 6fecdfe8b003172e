// SPDX-License-Identifier: Apache-2.0
// wide N: one task makes N children and waits for them.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 1000;
  int done = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < n; ++i) {
#pragma omp task shared(done)  // child
      {
#pragma omp atomic
        ++done;
      }
    }
#pragma omp taskwait
  }
  printf("%d\n", done);
  return done == n ? 0 : 1;
}
