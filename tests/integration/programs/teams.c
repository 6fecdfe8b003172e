// SPDX-License-Identifier: Apache-2.0
// Two teams, in each a region in which one thread makes ten tasks. Prints how many teams there were, and threads in
// them.
#include <omp.h>
#include <stdio.h>

int main(void) {
  int teams = 0, threads = 0;
#pragma omp teams num_teams(2)  // teams
  {
#pragma omp parallel num_threads(2)  // region
    {
      __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED);
#pragma omp single
      for (int i = 0; i < 10; ++i) {
#pragma omp task  // task
        __asm__ volatile("");
      }
    }
    __atomic_fetch_add(&teams, 1, __ATOMIC_RELAXED);
  }
  printf("%d %d\n", teams, threads);
  return 0;
}
