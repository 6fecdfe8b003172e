// SPDX-License-Identifier: Apache-2.0
// shapes NAME: tasks of a known length in a known shape. Prints in ns, as its own clock and the shape have them, the
// work, the span, and what of both is outside of the region.
//   flat   8 independent tasks of 5 ms                          span: the longest
//   chain  8 tasks of 5 ms, each after the one before           span: their sum
//   fork   a task makes two children, waits, goes on for 5 ms   span: the part before, the longer child, the rest
//   phase  4 tasks, a barrier, 4 tasks                          span: the longest of each phase
//   serial 10 ms of serial code, 4 tasks of 5 ms, 10 ms         span: the serial parts and the longest task
#include <stdio.h>
#include <string.h>

#include "spin.h"

static long long spent[8];

static long long sum(int from, int to) {
  long long total = 0;
  for (int i = from; i < to; ++i) total += spent[i];
  return total;
}

static long long longest(int from, int to) {
  long long most = 0;
  for (int i = from; i < to; ++i) most = spent[i] > most ? spent[i] : most;
  return most;
}

static void make_tasks(int from, int to) {
  for (int i = from; i < to; ++i) {
#pragma omp task firstprivate(i)  // flat
    spent[i] = spin_ms(5);
  }
}

static void make_chain(void) {
  int x = 0;
  for (int i = 0; i < 8; ++i) {
#pragma omp task firstprivate(i) depend(inout : x)  // link
    spent[i] = spin_ms(5);
  }
#pragma omp taskwait
}

static void make_fork(void) {
#pragma omp task  // parent
  {
    spent[0] = spin_ms(5);
#pragma omp task  // left
    spent[1] = spin_ms(5);
#pragma omp task  // right
    spent[2] = spin_ms(15);
#pragma omp taskwait
    spent[3] = spin_ms(5);
  }
}

int main(int argc, char** argv) {
  const char* shape = argc > 1 ? argv[1] : "flat";
  long long span = 0;
  const int is_serial = strcmp(shape, "serial") == 0;
  if (is_serial) spent[4] = spin_ms(10);
#pragma omp parallel
  {
#pragma omp single
    {
      if (strcmp(shape, "flat") == 0) make_tasks(0, 8);
      if (strcmp(shape, "chain") == 0) make_chain();
      if (strcmp(shape, "fork") == 0) make_fork();
      if (strcmp(shape, "phase") == 0 || is_serial) make_tasks(0, 4);
    }
#pragma omp single
    if (strcmp(shape, "phase") == 0) make_tasks(4, 8);
  }
  if (is_serial) spent[5] = spin_ms(10);
  if (strcmp(shape, "flat") == 0) span = longest(0, 8);
  if (strcmp(shape, "chain") == 0) span = sum(0, 8);
  if (strcmp(shape, "fork") == 0) span = spent[0] + longest(1, 3) + spent[3];
  if (strcmp(shape, "phase") == 0) span = longest(0, 4) + longest(4, 8);
  if (is_serial) span = longest(0, 4) + spent[4] + spent[5];
  printf("%lld %lld %lld\n", sum(0, 8), span, is_serial ? spent[4] + spent[5] : 0);
  return 0;
}
