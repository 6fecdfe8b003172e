// SPDX-License-Identifier: Apache-2.0
// Tasks that their parent runs at once and waits for: if(0), and those within final ones. Prints for how long they ran,
// in ns: none of it can be in parallel.
#include <stdio.h>

#include "spin.h"

int main(void) {
  long long spent = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 5; ++i) {
#pragma omp task if (0) shared(spent)  // undeferred
      spent += spin_ms(2);
    }
#pragma omp task final(1) shared(spent)  // final
    {
      for (int i = 0; i < 5; ++i) {
#pragma omp task shared(spent)  // included
        spent += spin_ms(2);
      }
#pragma omp task mergeable shared(spent)  // merged
      spent += spin_ms(2);
    }
  }
  printf("%lld\n", spent);
  return 0;
}
