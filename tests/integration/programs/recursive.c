// SPDX-License-Identifier: Apache-2.0
// recursive N: N tasks within each other, each waiting for its only child.
#include <stdio.h>
#include <stdlib.h>

static int descend(int n) {
  if (n == 0) return 0;
  int below = 0;
#pragma omp task shared(below)  // level
  below = descend(n - 1);
#pragma omp taskwait
  return below + 1;
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 100;
  int levels = 0;
#pragma omp parallel
#pragma omp single
  levels = descend(n);
  printf("%d\n", levels);
  return levels == n ? 0 : 1;
}
