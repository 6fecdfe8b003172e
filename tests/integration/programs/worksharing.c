// SPDX-License-Identifier: Apache-2.0
// Loops, sections and single constructs without a task: all of it is work of the implicit tasks. Prints that work in
// ns, as the program's own clock has it.
#include <stdio.h>

#include "spin.h"

int main(void) {
  long long spent = 0;
#pragma omp parallel reduction(+ : spent)  // region
  {
#pragma omp for schedule(static)
    for (int i = 0; i < 8; ++i) spent += spin_ms(1);
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < 8; ++i) spent += spin_ms(1);
#pragma omp for schedule(guided) nowait
    for (int i = 0; i < 8; ++i) spent += spin_ms(1);
#pragma omp sections
    {
#pragma omp section
      spent += spin_ms(1);
#pragma omp section
      spent += spin_ms(1);
    }
#pragma omp single
    spent += spin_ms(1);
#pragma omp master
    spent += spin_ms(1);
    // The others wait for what it copies.
    long long copied = 0;
#pragma omp single copyprivate(copied)
    {
      copied = spin_ms(10);
      spent += copied;
    }
    spent += copied < 0 ? spin_ms(1) : 0;
  }
  printf("%lld\n", spent);
  return 0;
}
