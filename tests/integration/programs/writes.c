// SPDX-License-Identifier: Apache-2.0
// writes N: text and bytes to standard output and standard error from within tasks, in a fixed order.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 100;
  int x = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < n; ++i) {
#pragma omp task depend(inout : x) firstprivate(i)
    { fprintf(i % 3 == 0 ? stderr : stdout, "line %d %c%c\n", i, 1 + i % 31, 128 + i % 128); }
  }
  return 5;
}
