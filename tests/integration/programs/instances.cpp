// SPDX-License-Identifier: Apache-2.0
// Two instances of a template, with 7 and 9 tasks, and two regions at the ends of functions.
static int done;

template <typename Number>
static void instance(Number number) {
#pragma omp task firstprivate(number)  // instance
  __atomic_fetch_add(&done, static_cast<int>(number), __ATOMIC_RELAXED);
}

__attribute__((noinline)) static void first_region() {
#pragma omp parallel  // first region
  __atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
}
__attribute__((noinline)) static void second_region() {
#pragma omp parallel  // second region
  __atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
}

int main() {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 7; ++i) instance(i);
    for (int i = 0; i < 9; ++i) instance(0.5 + i);
  }
  for (int i = 0; i < 4; ++i) {
    first_region();
    second_region();
  }
  return done < 0 ? 1 : 0;
}
