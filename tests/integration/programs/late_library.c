// SPDX-License-Identifier: Apache-2.0
// A library with a parallel region in it, for a program that loads it late.
int make_tasks_late(int n);

int make_tasks_late(int n) {
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < n; ++i) {
#pragma omp task shared(done)  // task
    {
#pragma omp atomic
      ++done;
    }
  }
  return done;
}
