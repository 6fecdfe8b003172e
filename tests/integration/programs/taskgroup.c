// SPDX-License-Identifier: Apache-2.0
// A taskgroup waits for descendants, a taskwait for children only.
#include <stdio.h>

#include "spin.h"

int main(void) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task  // before
    spin_ms(0.1);
#pragma omp taskgroup
    {
#pragma omp task shared(done)  // child
      {
#pragma omp task shared(done)  // grandchild
        {
          spin_ms(1);
#pragma omp atomic
          ++done;
        }
      }
    }
#pragma omp task  // after the group
    spin_ms(0.1);
#pragma omp taskwait
#pragma omp task shared(done)  // awaited child
    {
#pragma omp task shared(done)  // not awaited grandchild
      {
        spin_ms(1);
#pragma omp atomic
        ++done;
      }
    }
#pragma omp taskwait
#pragma omp task  // after the wait
    spin_ms(0.1);
  }
  printf("%d\n", done);
  return done == 2 ? 0 : 1;
}
