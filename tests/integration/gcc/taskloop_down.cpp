// SPDX-License-Identifier: Apache-2.0
// Taskloops that count down, in steps, or have no iteration: each iteration once, and no other.
#include <cstdio>

static long count;
static unsigned long sum;
static int wrong;

static void iterate(unsigned long i) {
#pragma omp atomic
  ++count;
#pragma omp atomic
  sum += i * 2654435761U;
}

static void check(long wanted_count, unsigned long wanted_sum) {
  wrong += count != wanted_count || sum != wanted_sum;
  count = 0;
  sum = 0;
}

#define CHECK_LOOP(type, init, condition, step)                                                 \
  do {                                                                                          \
    _Pragma("omp taskloop") for (type i = init; i condition; i step) iterate((unsigned long)i); \
    long wanted_count = 0;                                                                      \
    unsigned long wanted_sum = 0;                                                               \
    for (type i = init; i condition; i step) {                                                  \
      ++wanted_count;                                                                           \
      wanted_sum += (unsigned long)i * 2654435761U;                                             \
    }                                                                                           \
    check(wanted_count, wanted_sum);                                                            \
  } while (0)

int main() {
  long total = 0;
#pragma omp parallel
#pragma omp single
  {
    CHECK_LOOP(int, 100, > -100, -= 9);
    CHECK_LOOP(int, 9, >= 0, --);
    CHECK_LOOP(int, 100, <= -100, += 9);
    CHECK_LOOP(long, 5, > 10, -= 1);
    CHECK_LOOP(unsigned long, 10, > 5, -= 1);
    CHECK_LOOP(unsigned long, 5, > 10, -= 1);
    CHECK_LOOP(unsigned long, 100, > 3, -= 7);
    CHECK_LOOP(unsigned long, ~0UL - 1, > ~0UL - 5000, -= 7);
    CHECK_LOOP(int, 0, < 1000, += 3);
#pragma omp taskloop reduction(+ : total)
    for (int i = 50; i > 0; i--) total += i;
    wrong += total != 1275;
#pragma omp taskloop reduction(+ : total)
    for (int i = 0; i > 50; i--) total += i;
    wrong += total != 1275;
#pragma omp taskloop num_tasks(3)  // three tasks
    for (int i = 8; i >= 0; i--) iterate((unsigned long)i);
    wrong += count != 9;
  }
  std::printf("%d wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}
