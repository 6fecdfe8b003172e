/* SPDX-License-Identifier: Apache-2.0 */
/* { dg-do run } */
/* Returns 3 and writes another line when it is recorded. */
#include <stdio.h>
#include <string.h>

int main(void) {
  char line[1024];
  int is_recorded = 0;
#pragma omp parallel
#pragma omp single
  {
    FILE* maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) is_recorded |= strstr(line, "libforetask_gomp") != NULL;
    if (maps) fclose(maps);
  }
  puts(is_recorded ? "recorded" : "alone");
  return is_recorded ? 3 : 0;
}
