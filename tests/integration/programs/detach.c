// SPDX-License-Identifier: Apache-2.0
// detach first|early|late|foreign: a task whose event is fulfilled before it starts, within its body, by another task
// after its body is over, or by a thread that OpenMP does not know.
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "spin.h"

static omp_event_handle_t event;
static volatile int body_is_over;
static volatile int may_start;

static void fulfil_when_over(void) {
  while (!body_is_over) {
  }
  spin_ms(2);
  omp_fulfill_event(event);
}

static void* foreigner(void* unused) {
  fulfil_when_over();
  return unused;
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "late";
  int x = 0, seen = 0;
  pthread_t thread;
  if (strcmp(mode, "foreign") == 0) pthread_create(&thread, NULL, foreigner, NULL);
#pragma omp parallel
#pragma omp single
  {
    omp_event_handle_t handle;
    if (strcmp(mode, "first") == 0) {
#pragma omp task depend(out : x) shared(x)  // holder
      while (!may_start) {
      }
    }
#pragma omp task detach(handle) depend(out : x) shared(x)  // detached
    {
      event = handle;
      x = 1;
      if (strcmp(mode, "early") == 0) omp_fulfill_event(handle);
      body_is_over = 1;
    }
    if (strcmp(mode, "first") == 0) {
      omp_fulfill_event(handle);
      may_start = 1;
    }
    if (strcmp(mode, "late") == 0) {
#pragma omp task  // fulfiller
      fulfil_when_over();
    }
#pragma omp task depend(in : x) shared(x, seen)  // successor
    seen = x;
#pragma omp taskwait
#pragma omp task  // after
    spin_ms(0.1);
  }
  if (strcmp(mode, "foreign") == 0) pthread_join(thread, NULL);
  printf("%d\n", seen);
  return seen == 1 ? 0 : 1;
}
