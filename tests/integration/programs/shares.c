// SPDX-License-Identifier: Apache-2.0
// Loops that GCC's runtime hands out in chunks, of both kinds of variables, up and down, and sections. Prints how many
// iterations ran.
#include <stdio.h>

static long ran;

static void count(void) {
#pragma omp atomic
  ++ran;
}

int main(void) {
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 3)
    for (int i = 10; i < 110; i += 2) count();
#pragma omp for schedule(guided) nowait
    for (int i = 100; i > 0; --i) count();
#pragma omp for schedule(dynamic, 4)
    for (unsigned long i = 100; i > 20; i -= 8) count();
#pragma omp sections
    {
#pragma omp section
      count();
#pragma omp section
      count();
#pragma omp section
      count();
    }
  }
#pragma omp parallel for schedule(dynamic, 7)
  for (int i = 0; i < 70; ++i) count();
  printf("%ld\n", ran);
  return 0;
}
