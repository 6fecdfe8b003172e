// SPDX-License-Identifier: Apache-2.0
// faults N: N tasks, each of which touches so many new pages as nobody says. Prints ten times by how much the
// prediction for 200 page faults is longer than that for 20.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "foretask/foretask.h"
#include "foretask/openmp.h"

enum { kPage = 4096, kMost = 256 };

static void touch(int pages) {
  char* const memory =
      mmap(NULL, (size_t)kMost * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) exit(2);
  madvise(memory, (size_t)kMost * kPage, MADV_NOHUGEPAGE);
  for (int i = 0; i < pages; ++i) memory[i * kPage] = 1;
  munmap(memory, (size_t)kMost * kPage);
}

static double predicted(const foretask_kernel* kernel, double faults) {
  foretask_prediction prediction = FORETASK_PREDICTION_INIT;
  return foretask_predict(kernel, &faults, 1, &prediction) == FORETASK_OK ? prediction.value_ns : 0;
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 100;
  foretask_kernel* const kernel = foretask_kernel_define("touching", NULL, 0);
  unsigned random = 1;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < n; ++i) {
    random = random * 1103515245 + 12345;
    const int pages = 16 + (int)(random >> 16) % (kMost - 16);
    foretask_openmp_next_task(kernel, NULL, 0);
#pragma omp task firstprivate(pages)
    touch(pages);
  }
  foretask_flush(10000);
  const foretask_kernel* const counted = foretask_kernel_find("touching with perf::PAGE-FAULTS");
  const double few = predicted(counted, 20);
  printf("%d\n", few > 0 ? (int)(10 * predicted(counted, 200) / few) : 0);
  return 0;
}
