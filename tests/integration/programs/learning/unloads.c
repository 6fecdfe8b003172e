// SPDX-License-Identifier: Apache-2.0
// Loads libforetask (argument 1), uses it from a thread that lives on, unloads it, and does so twice more.
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#include "foretask/foretask.h"

static sem_t used, go_on;
static void* library;
static foretask_kernel* kernel;
static long taken;

static void* find(const char* name) {
  void* const function = dlsym(library, name);
  if (!function) {
    printf("%s\n", dlerror());
    exit(1);
  }
  return function;
}

static void* use(void* argument) {
  foretask_status (*learn)(foretask_kernel*, const double*, size_t, double);
  foretask_status (*predict)(const foretask_kernel*, const double*, size_t, foretask_prediction*);
  *(void**)&learn = find("foretask_learn");
  *(void**)&predict = find("foretask_predict");
  for (int i = 0; i < 100; ++i) {
    const double n = 1 + i % 10;
    foretask_prediction found = FORETASK_PREDICTION_INIT;
    predict(kernel, &n, 1, &found);
    taken += learn(kernel, &n, 1, 100 * n) == FORETASK_OK;
  }
  sem_post(&used);
  // The thread's own affairs, while the library goes; then its end.
  sem_wait(&go_on);
  return argument;
}

int main(int argc, char** argv) {
  if (argc < 2) return 1;
  sem_init(&used, 0, 0);
  sem_init(&go_on, 0, 0);
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) {
    library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      printf("%s\n", dlerror());
      return 1;
    }
    foretask_kernel* (*define)(const char*, const char* const*, size_t);
    foretask_status (*start)(void);
    *(void**)&define = find("foretask_kernel_define");
    *(void**)&start = find("foretask_learning_start");
    if (start() != FORETASK_OK) return 2;
    const char* names[] = {"n"};
    kernel = define("unloads", names, 1);
    pthread_create(&threads[i], NULL, use, NULL);
    sem_wait(&used);
    dlclose(library);
    printf("unloaded: %s\n", dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) ? "no" : "yes");
  }
  for (int i = 0; i < 3; ++i) sem_post(&go_on);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  printf("%ld\n", taken);
  return 0;
}
