/* SPDX-License-Identifier: Apache-2.0 */
/* { dg-do run } */
/* { dg-additional-options "-DTASKS=3" } */
/* { dg-set-target-env-var OMP_SCHEDULE "static,2" } */
/* Makes tasks, and does the same with and without foretask. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < TASKS; ++i)
#pragma omp task
#pragma omp atomic
    sum += i;
  const char* schedule = getenv("OMP_SCHEDULE");
  printf("%d %s\n", sum, schedule);
  return strcmp(schedule, "static,2") != 0;
}
