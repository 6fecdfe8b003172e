// SPDX-License-Identifier: Apache-2.0
// many N: N tasks of 20 us each.
#include <stdio.h>
#include <stdlib.h>

#include "spin.h"

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 100;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < n; ++i) {
#pragma omp task
    spin_ms(0.02);
  }
  printf("%d tasks\n", n);
  return 0;
}
