// SPDX-License-Identifier: Apache-2.0
// locks critical|lock|fortran|nest|free: both threads of a team hold what there is only one of for 2 ms, ten times.
// Prints how long the threads waited for it and how long they held it, in ns, as the program's own clock has it. free:
// nothing is ever waited for.
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "spin.h"

static omp_lock_t lock;
static omp_nest_lock_t nest_lock;

struct times {
  long long waited, held;
};

static void through_critical(struct times* times) {
  const long long from = clock_ns();
#pragma omp critical
  {
    times->waited += clock_ns() - from;
    times->held += spin_ms(2);
  }
}

static void through_lock(struct times* times) {
  const long long from = clock_ns();
  omp_set_lock(&lock);
  times->waited += clock_ns() - from;
  times->held += spin_ms(2);
  omp_unset_lock(&lock);
}

// As Fortran's programs call them.
void omp_set_lock_(omp_lock_t*);
void omp_unset_lock_(omp_lock_t*);

static void through_fortran_lock(struct times* times) {
  const long long from = clock_ns();
  omp_set_lock_(&lock);
  times->waited += clock_ns() - from;
  times->held += spin_ms(2);
  omp_unset_lock_(&lock);
}

static void through_nest_lock(struct times* times) {
  const long long from = clock_ns();
  omp_set_nest_lock(&nest_lock);
  times->waited += clock_ns() - from;
  omp_set_nest_lock(&nest_lock);
  times->held += spin_ms(2);
  omp_unset_nest_lock(&nest_lock);
  omp_unset_nest_lock(&nest_lock);
}

static void through_own_lock(struct times* times) {
  omp_lock_t own;
  omp_init_lock(&own);
  omp_set_lock(&own);
  times->held += spin_ms(2);
  omp_unset_lock(&own);
  omp_destroy_lock(&own);
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "critical";
  long long waited = 0, held = 0;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest_lock);
#pragma omp parallel reduction(+ : waited, held)  // region
  {
    struct times times = {0, 0};
    for (int i = 0; i < 10; ++i) {
      if (strcmp(mode, "critical") == 0) through_critical(&times);
      if (strcmp(mode, "lock") == 0) through_lock(&times);
      if (strcmp(mode, "fortran") == 0) through_fortran_lock(&times);
      if (strcmp(mode, "nest") == 0) through_nest_lock(&times);
      if (strcmp(mode, "free") == 0) through_own_lock(&times);
    }
    waited += times.waited;
    held += times.held;
  }
  printf("%lld %lld\n", waited, held);
  return 0;
}
