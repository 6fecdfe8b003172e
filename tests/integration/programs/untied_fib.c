// SPDX-License-Identifier: Apache-2.0
// untied_fib N: every call above the leaves makes two untied tasks and waits for them. Clang makes two parts of each.
#include <stdio.h>
#include <stdlib.h>

static long fib(int n) {
  if (n < 2) return n;
  long a, b;
#pragma omp task untied shared(a)  // left
  a = fib(n - 1);
#pragma omp task untied shared(b)  // right
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 20;
  long result = 0;
#pragma omp parallel
#pragma omp single
  result = fib(n);
  printf("fib(%d) = %ld\n", n, result);
  return 0;
}
