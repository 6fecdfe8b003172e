// SPDX-License-Identifier: Apache-2.0
// pause BEFORE AFTER: makes BEFORE tasks, has OpenMP give back all that it holds, and makes AFTER tasks.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static void make_tasks(int count) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < count; ++i) {
#pragma omp task
    __asm__ volatile("");
  }
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  printf("begin\n");  // in a buffer until exit
  make_tasks(atoi(argv[1]));
  const int failed = omp_pause_resource_all(omp_pause_hard);
  if (atoi(argv[2]) > 0) make_tasks(atoi(argv[2]));
  printf("end, %d\n", failed);
  return 0;
}
