// SPDX-License-Identifier: Apache-2.0
// A taskwait with dependences waits for the tasks it names and for no other.
#include <stdio.h>

#include "spin.h"

int main(void) {
  int x = 0, y = 0, seen = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : x) shared(x)  // awaited
    {
      spin_ms(1);
      x = 1;
    }
#pragma omp task depend(out : y) shared(y)  // not awaited
    {
      spin_ms(1);
      y = 1;
    }
#pragma omp taskwait depend(in : x)
    seen = x;
#pragma omp task  // after
    spin_ms(0.1);
  }
  printf("%d %d\n", seen, y);
  return seen == 1 && y == 1 ? 0 : 1;
}
