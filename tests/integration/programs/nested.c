// SPDX-License-Identifier: Apache-2.0
// Regions in regions: each thread of the outer team forks a team of its own, whose threads make a task each. No thread
// goes on before all six have come, so that both inner teams are there at once.
#include <omp.h>
#include <sched.h>
#include <stdio.h>

#include "spin.h"

int main(void) {
  int done = 0, arrived = 0;
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)  // outer
  {
#pragma omp parallel num_threads(3)  // inner
    {
      int seen;
#pragma omp atomic
      ++arrived;
      do {
        sched_yield();
#pragma omp atomic read
        seen = arrived;
      } while (seen < 6);
#pragma omp task shared(done)  // leaf
      {
        spin_ms(0.2);
#pragma omp atomic
        ++done;
      }
    }
#pragma omp task shared(done)  // outer task
    {
#pragma omp atomic
      ++done;
    }
  }
  printf("%d\n", done);
  return done == 2 * 3 + 2 ? 0 : 1;
}
