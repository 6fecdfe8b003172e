// SPDX-License-Identifier: Apache-2.0
// A loop whose iterations spend three parts of four in one function and one in another, after a serial part that is
// nearly all in a third. The first region starts the runtime, and with it the recorder.
#include <stdio.h>

static volatile double sink;

// Steps that each wait for the one before. In each function anew: what is inlined counts as a function of its own.
__attribute__((noinline)) static void three_parts(long steps) {
  double x = sink;
  for (long i = 0; i < 3 * steps; ++i) x = x * 0.999999 + 1e-6;
  sink = x;
}
__attribute__((noinline)) static void one_part(long steps) {
  double x = sink;
  for (long i = 0; i < steps; ++i) x = x * 0.999999 + 1e-6;
  sink = x;
}
__attribute__((noinline)) static void set_up(long steps) {
  double x = sink;
  for (long i = 0; i < steps; ++i) x = x * 0.999999 + 1e-6;
  sink = x;
}

int main(void) {
  const long steps = 8000000;
#pragma omp parallel
  sink = 1;
  set_up(20 * steps);
#pragma omp parallel for schedule(static)
  for (int i = 0; i < 16; ++i) {
    three_parts(steps);
    one_part(steps);
  }
  printf("%g\n", sink);
  return 0;
}
