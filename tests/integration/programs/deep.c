// SPDX-License-Identifier: Apache-2.0
// deep N: a chain of N tasks, each of which updates what the one before it did.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 1000;
  int x = 0, in_order = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < n; ++i) {
#pragma omp task depend(inout : x) shared(x, in_order) firstprivate(i)  // link
    {
      if (x == i) ++in_order;
      ++x;
    }
  }
  printf("%d\n", in_order);
  return in_order == n ? 0 : 1;
}
