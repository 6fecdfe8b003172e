// SPDX-License-Identifier: Apache-2.0
// Acts that make tasks.
#include <omp.h>

#include "acts.h"

static void work_a_little(void) {
  for (volatile int i = 0; i < 50; ++i) continue;
}

long make_tasks(long many) {
  long done = 0;
  for (long i = 0; i < many; ++i) {
    count_task();
#pragma omp task shared(done)
    {
      work_a_little();
#pragma omp atomic
      ++done;
    }
  }
#pragma omp taskwait
  return done;
}

long run_tasks(long many) {
  long done = 0;
#pragma omp parallel
#pragma omp single
  done = make_tasks(many);
  return done;
}

long run_tasks_alone(long many) {
  long done = 0;
#pragma omp parallel num_threads(1)
  done = make_tasks(many);
  return done;
}

static void tasks(const char* first, const char* second) {
  (void)second;
  say("tasks %ld\n", run_tasks(number(first, 100)));
}

static void alone(const char* first, const char* second) {
  (void)second;
  say("alone %ld\n", run_tasks_alone(number(first, 100)));
}

static long fib_of(long n) {
  if (n < 2) return n;
  long left = 0;
  long right = 0;
  count_tasks(2);
#pragma omp task shared(left)
  left = fib_of(n - 1);
#pragma omp task shared(right)
  right = fib_of(n - 2);
#pragma omp taskwait
  return left + right;
}

static void fib(const char* first, const char* second) {
  (void)second;
  long result = 0;
#pragma omp parallel
#pragma omp single
  result = fib_of(number(first, 10));
  say("fib %ld\n", result);
}

static void chain(const char* first, const char* second) {
  (void)second;
  const long many = number(first, 50);
  long value = 0;
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < many; ++i) {
    count_task();
#pragma omp task depend(inout : value) shared(value)
    ++value;
  }
  say("chain %ld\n", value);
}

static void group(const char* first, const char* second) {
  (void)second;
  const long many = number(first, 50);
  long done = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
  for (long i = 0; i < many; ++i) {
    count_tasks(2);
#pragma omp task shared(done)
    {
#pragma omp task shared(done)
#pragma omp atomic
      ++done;
    }
  }
  say("group %ld\n", done);
}

static void regions(const char* first, const char* second) {
  (void)second;
  const long many = number(first, 20);
  long done = 0;
  for (long i = 0; i < many; ++i) {
#pragma omp parallel
#pragma omp single
#pragma omp atomic
    ++done;
  }
  say("regions %ld\n", done);
}

static void nested(const char* first, const char* second) {
  (void)second;
  const long many = number(first, 10);
  long done = 0;
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp parallel num_threads(2)
#pragma omp single
  done = make_tasks(many);
  say("nested %ld\n", done);
}

static void pause_openmp(const char* first, const char* second) {
  (void)first, (void)second;
  say("pause-openmp %d\n", omp_pause_resource_all(omp_pause_hard));
}

const struct Act kTaskActs[] = {
    {"tasks", tasks}, {"alone", alone},     {"fib", fib},       {"chain", chain},
    {"group", group}, {"regions", regions}, {"nested", nested}, {"pause-openmp", pause_openmp},
    {NULL, NULL}};
