// SPDX-License-Identifier: Apache-2.0
// faults N: N tasks, each of which touches so many new pages as nobody says. Then each is predicted by its page faults.
// Prints how many of 12 predictions were near the shortest time that so many pages take.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "foretask/foretask.h"
#include "foretask/openmp.h"

enum { kPage = 4096, kMost = 256 };

static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static double touch(int pages) {
  const double begin = now_ns();
  char* const memory =
      mmap(NULL, (size_t)kMost * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) exit(2);
  madvise(memory, (size_t)kMost * kPage, MADV_NOHUGEPAGE);
  for (int i = 0; i < pages; ++i) memory[i * kPage] = 1;
  munmap(memory, (size_t)kMost * kPage);
  return now_ns() - begin;
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
  int near = 0;
  for (int pages = 20; pages <= 240; pages += 20) {
    const double faults = pages;
    foretask_prediction prediction = FORETASK_PREDICTION_INIT;
    double best = touch(pages);
    for (int i = 0; i < 8; ++i) {
      const double took = touch(pages);
      best = took < best ? took : best;
    }
    if (foretask_predict(counted, &faults, 1, &prediction) == FORETASK_OK && prediction.value_ns > 0.7 * best &&
        prediction.value_ns < 1.7 * best)
      ++near;
  }
  printf("%d of 12\n", near);
  return 0;
}
