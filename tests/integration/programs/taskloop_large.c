// SPDX-License-Identifier: Apache-2.0
// taskloop_large N: N iterations, a task each: more than libomp makes one after the other.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  const long n = argc > 1 ? atol(argv[1]) : 1000;
  long sum = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(1) shared(sum)  // iteration
    for (long i = 0; i < n; ++i) {
#pragma omp atomic
      sum += i;
    }
#pragma omp task  // after
    sum += 0;
  }
  printf("%ld\n", sum);
  return sum == n * (n - 1) / 2 ? 0 : 1;
}
