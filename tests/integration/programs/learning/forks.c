// SPDX-License-Identifier: Apache-2.0
// Forks while threads feed and the learner learns. Each child learns 50 samples of its own and ends by exit(); prints
// how many samples parent and children handed over.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "foretask/foretask.h"

static foretask_kernel* kernel;
static atomic_long taken;
static atomic_int done;

static void feed(long count) {
  for (long i = 0; i < count; ++i) {
    const double n = 1 + i % 10;
    taken += foretask_learn(kernel, &n, 1, 100 * n) == FORETASK_OK;
  }
}

static void* go_on(void* argument) {
  while (!done) {
    feed(20);
    foretask_flush(1000);
  }
  return argument;
}

int main(void) {
  const char* names[] = {"n"};
  kernel = foretask_kernel_define("forks", names, 1);
  feed(100);
  if (foretask_flush(10000) != FORETASK_OK) return 1;
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, go_on, NULL);
  int children = 0;
  for (int i = 0; i < 5; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      const double n = 3;
      foretask_prediction found = FORETASK_PREDICTION_INIT;
      if (foretask_predict(kernel, &n, 1, &found) != FORETASK_OK || !(found.value_ns > 299 && found.value_ns < 301))
        _exit(2);
      feed(50);
      exit(0);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) return 3;
    ++children;
    if (i == 2 && foretask_save() != FORETASK_OK) return 4;
  }
  done = 1;
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  if (foretask_flush(10000) != FORETASK_OK) return 5;
  printf("%ld\n", (long)taken + 50 * children);
  return 0;
}
