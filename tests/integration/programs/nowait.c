// SPDX-License-Identifier: Apache-2.0
// taskwait depend(inout : x, y) nowait between tasks on x and y, as GCC 13 calls its runtime for it.
#include <stddef.h>

#include "spin.h"

void GOMP_taskwait_depend_nowait(void** depend);

int main(void) {
  int x = 0, y = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : x) shared(x)  // writer of x
    x = 1;
#pragma omp task depend(out : y) shared(y)  // writer of y
    y = 1;
    // Two addresses, both of those that write.
    void* depend[] = {(void*)(size_t)2, (void*)(size_t)2, &x, &y};
    GOMP_taskwait_depend_nowait(depend);
#pragma omp task depend(in : y) shared(y)  // reader of y
    spin_ms(y);
#pragma omp task shared(x)  // free
    spin_ms(x);
  }
  return 0;
}
