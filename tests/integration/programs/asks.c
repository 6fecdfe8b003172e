// SPDX-License-Identifier: Apache-2.0
// asks: a loop whose iterations are loops of their own, unless they run in parallel.
#include <omp.h>
#include <stdio.h>

static int step(int n) {
  int sum = 0;
  if (omp_in_parallel()) return n;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += 1;
  return sum;
}

int main(void) {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 10; ++i) sum += step(i);
  printf("%d\n", sum);
  return 0;
}
