// SPDX-License-Identifier: Apache-2.0
// fib N: every call above the leaves makes two tasks and waits for them. KIND is a clause of theirs, or nothing.
#include <stdio.h>
#include <stdlib.h>

#ifndef KIND
#define KIND
#endif

static long fib(int n) {
  if (n < 2) return n;
  long a, b;
#pragma omp task KIND shared(a)  // left
  a = fib(n - 1);
#pragma omp task KIND shared(b)  // right
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
