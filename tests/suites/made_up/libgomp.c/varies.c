/* SPDX-License-Identifier: Apache-2.0 */
/* { dg-do run } */
/* Writes another number in each run. */
#include <stdio.h>
#include <unistd.h>

int main(void) {
#pragma omp parallel
#pragma omp single
  printf("%d\n", (int)getpid());
  return 0;
}
