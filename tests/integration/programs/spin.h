/* SPDX-License-Identifier: Apache-2.0 */
/* Work of a known length for the programs that the tests record. */
#pragma once

#include <time.h>

static inline long long clock_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* Of the calling thread. */
static inline long long on_core_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* Keeps a processor busy for `ms` of the thread's own time; returns how long it really was, in ns. A loaded machine may
 * take the processor away meanwhile: that is no work, and the recording is not to show it. */
static inline long long spin_ms(double ms) {
  const long long from = on_core_ns();
  long long spent;
  do spent = on_core_ns() - from;
  while (spent < (long long)(ms * 1e6));
  return spent;
}
