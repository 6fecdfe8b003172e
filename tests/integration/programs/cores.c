// SPDX-License-Identifier: Apache-2.0
// cores KIND: "sleeps" sleeps for 200 ms before its region, "bodies" for 2 ms in each of 40 iterations; "works" has
// each of its threads do the same work, some 50 ms, and prints the ns that one of them was on a core for it.
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "spin.h"

static volatile double result;

static void work(void) {
  double sum = 1;
  for (int i = 0; i < 40000000; ++i) sum = sum * 1.0000001 + 1e-9;
  result = sum;
}

int main(int argc, char** argv) {
  const char* const kind = argc > 1 ? argv[1] : "";
  long long first_ns = 0;
  if (strcmp(kind, "bodies") == 0) {
#pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < 40; ++i) usleep(2000);
  } else {
    if (strcmp(kind, "sleeps") == 0) usleep(200000);
#pragma omp parallel  // region
    {
      const long long from = on_core_ns();
      work();
      if (omp_get_thread_num() == 0) first_ns = on_core_ns() - from;
    }
  }
  printf("%lld\n", first_ns);
  return 0;
}
