/* SPDX-License-Identifier: Apache-2.0 */
/* { dg-do run } */
/* Sleeps for longer when it is recorded. */
#include <stdlib.h>
#include <time.h>

int main(void) {
  struct timespec time = {getenv("FORETASK_OUT") ? 2 : 0, 0};
#pragma omp parallel
#pragma omp single
  nanosleep(&time, NULL);
  return 0;
}
