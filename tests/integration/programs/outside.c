// SPDX-License-Identifier: Apache-2.0
// Tasks outside of any parallel region run at once on the only thread there is.
#include <stdio.h>

int main(void) {
  int done = 0;
  for (int i = 0; i < 10; ++i) {
#pragma omp task shared(done)  // task
    ++done;
  }
#pragma omp taskwait
  printf("%d\n", done);
  return done == 10 ? 0 : 1;
}
