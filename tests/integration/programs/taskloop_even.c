// SPDX-License-Identifier: Apache-2.0
// A taskloop without a word of its tasks, most of the program's work.
#include <stdio.h>

int main(void) {
  enum { kIterations = 64, kSteps = 400000 };
  static double values[kIterations];
#pragma omp parallel
#pragma omp single
#pragma omp taskloop
  for (int i = 0; i < kIterations; ++i) {
    double value = i;
    for (int step = 0; step < kSteps; ++step) value = value * 0.5 + step;
    values[i] = value;
  }
  double sum = 0;
  for (int i = 0; i < kIterations; ++i) sum += values[i];
  printf("%g\n", sum);
  return 0;
}
