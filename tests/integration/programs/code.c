// SPDX-License-Identifier: Apache-2.0
// Tasks that are the last thing in a function, where optimising compilers make them by a jump: load and store from 12
// calls each, big and little 40 times from one call, by a table. copied is inlined three times. Each of two libraries
// has a function of one name: 3 and 5 tasks. Prints how many tasks ran.
#include <stdio.h>

void run_first(int tasks);
void run_second(int tasks);

static int done;
static void count(void) { __atomic_fetch_add(&done, 1, __ATOMIC_RELAXED); }

__attribute__((noinline)) static void load(int i) {
#pragma omp task firstprivate(i)  // load
  if (i >= 0) count();
}
__attribute__((noinline)) static void store(int i) {
#pragma omp task firstprivate(i)  // store
  if (i >= 0) count();
}
static void big(int i) {
#pragma omp task firstprivate(i)  // big
  if (i >= 0) count();
}
static void little(int i) {
#pragma omp task firstprivate(i) untied  // little
  {
    count();
#pragma omp taskyield
    if (i < 0) count();
  }
}
__attribute__((always_inline)) static inline void copied(int i) {
#pragma omp task firstprivate(i)  // copied
  if (i >= 0) count();
}

static void (*volatile table[])(int) = {big, little};

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    load(0), store(0), load(1), store(1), load(2), store(2), load(3), store(3), load(4), store(4), load(5), store(5);
    for (int i = 6; i < 12; ++i) {
      load(i);
      store(i);
    }
    for (int i = 0; i < 80; ++i) table[i % 2](i);
    copied(1);
    copied(2);
    copied(3);
#pragma omp taskwait
    run_first(3);
    run_second(5);
  }
  printf("%d\n", done);
  return 0;
}
