// SPDX-License-Identifier: Apache-2.0
// one_thread N: N tasks of 1 ms in a team of one. Prints whether the C library takes the process for one with a single
// thread, before and after, and how many threads the system says it has.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/single_threaded.h>

#include "spin.h"

static int threads_of_process(void) {
  int count = 0;
  DIR* const folder = opendir("/proc/self/task");
  for (const struct dirent* entry; (entry = readdir(folder)) != NULL;) count += entry->d_name[0] != '.';
  closedir(folder);
  return count;
}

static void make_tasks(int count) {
#pragma omp parallel num_threads(1)
#pragma omp single
  for (int i = 0; i < count; ++i) {
#pragma omp task
    spin_ms(1);
  }
}

int main(int argc, char** argv) {
  make_tasks(1);
  const int before = __libc_single_threaded;
  make_tasks(argc > 1 ? atoi(argv[1]) : 1);
  printf("%d %d %d\n", before, __libc_single_threaded, threads_of_process());
  return 0;
}
