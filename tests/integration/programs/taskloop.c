// SPDX-License-Identifier: Apache-2.0
// Taskloops: as many tasks as num_tasks says, or as the grain size makes.
#include <stdio.h>

int main(void) {
  long sum = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop num_tasks(7) shared(sum)  // seven tasks
    for (int i = 0; i < 100; ++i) {
#pragma omp atomic
      sum += i;
    }
#pragma omp taskloop grainsize(20) shared(sum)  // grains of twenty
    for (int i = 0; i < 100; ++i) {
#pragma omp atomic
      sum += i;
    }
#pragma omp taskloop nogroup num_tasks(3) shared(sum)  // no group
    for (int i = 0; i < 100; ++i) {
#pragma omp atomic
      sum += i;
    }
  }
  printf("%ld\n", sum);
  return sum == 3 * 4950 ? 0 : 1;
}
