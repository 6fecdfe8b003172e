// SPDX-License-Identifier: Apache-2.0
// pool N: eight threads run N regions of three threads each, all at once: the runtime hands a team that one thread has
// given back to another.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 10;
  int done = 0;
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(8)  // outer
  {
    for (int i = 0; i < n; ++i) {
#pragma omp parallel num_threads(3)  // inner
      {
#pragma omp atomic
        ++done;
      }
    }
  }
  printf("%d\n", done);
  return 0;
}
