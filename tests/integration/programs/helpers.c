// SPDX-License-Identifier: Apache-2.0
// helpers COUNT N: COUNT threads of the program's own, one after the other, each make N tasks of 0.2 ms in a team of
// one; then the first thread does so itself.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "spin.h"

static int n = 2;

static void* work(void* unused) {
#pragma omp parallel num_threads(1)
#pragma omp single
  for (int i = 0; i < n; ++i) {
#pragma omp task  // task
    spin_ms(0.2);
  }
  return unused;
}

int main(int argc, char** argv) {
  const int count = argc > 1 ? atoi(argv[1]) : 1;
  if (argc > 2) n = atoi(argv[2]);
  for (int i = 0; i < count; ++i) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
  }
  work(NULL);
  printf("%d\n", (count + 1) * n);
  return 0;
}
