// SPDX-License-Identifier: Apache-2.0
// RUN(tasks): makes so many tasks. A library of its own for each name.
void RUN(int tasks);

static int done;

__attribute__((noinline)) static void step(int i) {
#pragma omp task firstprivate(i)  // step
  __atomic_fetch_add(&done, i, __ATOMIC_RELAXED);
}

void RUN(int tasks) {
  for (int i = 0; i < tasks; ++i) step(i);
#pragma omp taskwait
}
