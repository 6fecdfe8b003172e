// SPDX-License-Identifier: Apache-2.0
// counts N: N tasks each that touch new pages, compute, wait for a child and sleep, and what the kernel says of their
// threads meanwhile: page faults, ns of processor, context switches, a line of three numbers. Touched are 50 pages
// each.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static long long thread_cpu_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void compute(long long ns) {
  const long long until = thread_cpu_ns() + ns;
  while (thread_cpu_ns() < until) {
  }
}

static void touch(int pages) {
  char* const memory = mmap(NULL, pages * 4096UL, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) exit(2);
  madvise(memory, pages * 4096UL, MADV_NOHUGEPAGE);
  for (int i = 0; i < pages; ++i) ((volatile char*)memory)[i * 4096] = 1;
  munmap(memory, pages * 4096UL);
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 20;
  long long faults = 0, cpu = 0, switches = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < n; ++i) {
#pragma omp task  // touch
    {
      struct rusage before, after;
      getrusage(RUSAGE_THREAD, &before);
      touch(50);
      getrusage(RUSAGE_THREAD, &after);
#pragma omp atomic
      faults += after.ru_minflt - before.ru_minflt;
    }
#pragma omp task  // compute
    {
      const long long from = thread_cpu_ns();
      compute(1000000);
      const long long used = thread_cpu_ns() - from;
#pragma omp atomic
      cpu += used;
    }
#pragma omp task  // parent
    {
#pragma omp task  // child
      compute(2000000);
#pragma omp taskwait
    }
#pragma omp task  // sleep
    {
      struct rusage before, after;
      getrusage(RUSAGE_THREAD, &before);
      usleep(2000);
      usleep(2000);
      getrusage(RUSAGE_THREAD, &after);
#pragma omp atomic
      switches += after.ru_nvcsw - before.ru_nvcsw + after.ru_nivcsw - before.ru_nivcsw;
    }
  }
  printf("%lld %lld %lld\n", faults, cpu, switches);
  return 0;
}
