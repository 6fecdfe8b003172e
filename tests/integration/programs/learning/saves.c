// SPDX-License-Identifier: Apache-2.0
// Saves over and over until it is killed; prints a line once it has done so once.
#include <stdio.h>

#include "foretask/foretask.h"

int main(void) {
  const char* names[] = {"n"};
  foretask_kernel* kernel = foretask_kernel_define("saves", names, 1);
  for (long i = 0;; ++i) {
    const double n = (double)(1 + i % 500);
    for (int j = 0; j < 10; ++j) foretask_learn(kernel, &n, 1, 100 * n);
    if (foretask_save() != FORETASK_OK) return 1;
    if (i == 0) {
      printf("saved\n");
      fflush(stdout);
    }
  }
}
