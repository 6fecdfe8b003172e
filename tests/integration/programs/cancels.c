// SPDX-License-Identifier: Apache-2.0
// cancels N: a taskgroup of N tasks of a millisecond, the first of which cancels it when it is done; then a task of 5
// ms. Prints how many of the N were begun. With OMP_CANCELLATION=true. cancels N forever: the others go on until they
// find their group cancelled. cancels N region: a region of N tasks of a millisecond that is cancelled 5 ms after their
// creation.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spin.h"

static int cancel_region(int n) {
  int begun = 0;
#pragma omp parallel
  {
    for (int i = 0; i < (omp_get_thread_num() == 0 ? n : 0); ++i) {
#pragma omp task shared(begun)  // discarded
      {
#pragma omp atomic
        ++begun;
        spin_ms(1);
      }
    }
    if (omp_get_thread_num() == 0) spin_ms(5);
#pragma omp cancel parallel if (omp_get_thread_num() == 0)
#pragma omp barrier
  }
  return begun;
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 40;
  const int forever = argc > 2;
  int begun = 0;
  if (forever && strcmp(argv[2], "region") == 0) {
    begun = cancel_region(n);
    printf("%d %d\n", omp_get_cancellation(), begun);
    return 0;
  }
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    {
      for (int i = 0; i < n; ++i) {
#pragma omp task shared(begun) firstprivate(i)  // search
        {
#pragma omp atomic
          ++begun;
          spin_ms(1);
          if (i == 0) {
#pragma omp cancel taskgroup
          }
          while (forever && i != 0) {
            spin_ms(0.1);
#pragma omp cancellation point taskgroup
          }
        }
      }
    }
#pragma omp task  // after
    spin_ms(5);
  }
  printf("%d %d\n", omp_get_cancellation(), begun);
  return 0;
}
