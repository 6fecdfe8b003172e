// SPDX-License-Identifier: Apache-2.0
// What a program that was compiled for a device calls: a library that has the function, and a program
// (TARGET_PROGRAM) that calls it and makes a task.
#include <stdio.h>

int __tgt_target_kernel(void);

#ifdef TARGET_PROGRAM
int main(void) {
#pragma omp parallel
#pragma omp single
#pragma omp task
  printf("%d\n", __tgt_target_kernel());
  return 0;
}
#else
int __tgt_target_kernel(void) { return 0; }
#endif
