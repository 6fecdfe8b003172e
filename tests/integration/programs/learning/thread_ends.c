// SPDX-License-Identifier: Apache-2.0
// THREADS threads hand over SAMPLES samples each and end; the program ends as soon as they have.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "foretask/foretask.h"

static foretask_kernel* kernel;
static long samples;

static void* feed(void* argument) {
  const double n = (double)(long)argument;
  long taken = 0;
  for (long i = 0; i < samples; ++i) taken += foretask_learn(kernel, &n, 1, 100 * n) == FORETASK_OK;
  return (void*)taken;
}

int main(int argc, char** argv) {
  const int threads = argc > 1 ? atoi(argv[1]) : 4;
  samples = argc > 2 ? atol(argv[2]) : 100;
  const char* names[] = {"n"};
  kernel = foretask_kernel_define("ends", names, 1);
  pthread_t ids[64];
  for (long i = 0; i < threads; ++i) pthread_create(&ids[i], NULL, feed, (void*)(1 + i % 10));
  long taken = 0;
  for (int i = 0; i < threads; ++i) {
    void* count;
    pthread_join(ids[i], &count);
    taken += (long)count;
  }
  printf("%ld\n", taken);
  return 0;
}
