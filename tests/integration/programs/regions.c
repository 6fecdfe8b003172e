// SPDX-License-Identifier: Apache-2.0
// regions N: N regions one after the other with serial code between them; their teams grow and shrink. Every thread of
// every region makes a task.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "spin.h"

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 10;
  int done = 0;
  for (int i = 0; i < n; ++i) {
#pragma omp parallel num_threads(1 + i % 4)  // region
    {
#pragma omp task shared(done)  // task
      {
#pragma omp atomic
        ++done;
      }
    }
    spin_ms(0.1);
  }
  printf("%d\n", done);
  return 0;
}
