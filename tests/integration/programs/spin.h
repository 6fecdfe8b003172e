/* SPDX-License-Identifier: Apache-2.0 */
/* Work of a known length for the programs that the tests record. */
#pragma once

#include <time.h>

static inline long long clock_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* Keeps a processor busy for `ms` of clock time; returns how long it really was, in ns: a loaded machine may take the
 * processor away meanwhile, and the recording is to show that time as well. */
static inline long long spin_ms(double ms) {
  const long long from = clock_ns();
  const long long until = from + (long long)(ms * 1e6);
  long long now;
  do now = clock_ns();
  while (now < until);
  return now - from;
}
