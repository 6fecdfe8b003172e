// SPDX-License-Identifier: Apache-2.0
// untied N: N untied tasks, each of which yields, makes an untied child, waits for it and yields again. The child must
// not yield: libomp then runs the parent on top of it at times, which waits for the child below it for ever.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 100;
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < n; ++i) {
#pragma omp task untied shared(done)  // parent
    {
#pragma omp taskyield
#pragma omp task untied shared(done)  // child
      {
#pragma omp atomic
        ++done;
      }
#pragma omp taskwait
#pragma omp taskyield
#pragma omp atomic
      ++done;
    }
  }
  printf("%d\n", done);
  return done == 2 * n ? 0 : 1;
}
