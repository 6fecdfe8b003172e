// SPDX-License-Identifier: Apache-2.0
// Loops over unsigned long that count down, whose chunks the runtime hands out: each iteration once, and no other.
#include <cstdio>
#include <cstdlib>

static long count;
static unsigned long sum;
static int wrong;

static void iterate(unsigned long i) {
#pragma omp atomic
  ++count;
#pragma omp atomic
  sum += i * 2654435761U;
}

#define CHECK_LOOP(clauses, init, condition, step)                                                             \
  do {                                                                                                         \
    _Pragma("omp parallel") { _Pragma(clauses) for (unsigned long i = init; i condition; i step) iterate(i); } \
    for (unsigned long i = init; i condition; i step) {                                                        \
      --count;                                                                                                 \
      sum -= i * 2654435761U;                                                                                  \
    }                                                                                                          \
    wrong += count != 0 || sum != 0;                                                                           \
    count = 0;                                                                                                 \
    sum = 0;                                                                                                   \
  } while (0)

int main(int argc, char** argv) {
  // Not known when this is compiled.
  const unsigned long n = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1000;
  const unsigned long zero = n - n;
  const unsigned long most = ~zero - 1;
  CHECK_LOOP("omp for schedule(dynamic)", n, > zero, --);
  CHECK_LOOP("omp for schedule(dynamic, 7)", n, > zero + 3, -= 3);
  CHECK_LOOP("omp for schedule(guided)", n, > zero, -= 2);
  CHECK_LOOP("omp for schedule(runtime)", n, > zero, -= 2);
  CHECK_LOOP("omp for schedule(monotonic : dynamic)", n, > zero, --);
  CHECK_LOOP("omp for schedule(monotonic : guided, 2)", n, > zero, --);
  CHECK_LOOP("omp for schedule(monotonic : runtime)", n, > zero, --);
  CHECK_LOOP("omp for schedule(dynamic) ordered", n, > zero, --);
  CHECK_LOOP("omp for schedule(guided) ordered", n, > zero, --);
  CHECK_LOOP("omp for schedule(runtime) ordered", n, > zero, --);
  CHECK_LOOP("omp for schedule(static, 2) ordered", n, > zero, --);
  CHECK_LOOP("omp for schedule(dynamic)", most, > most - n, -= 7);
  CHECK_LOOP("omp for schedule(dynamic)", zero + 5, > zero + 10, --);
  CHECK_LOOP("omp for schedule(dynamic)", zero, < n, += 7);
  // One within another, in the same thread.
#pragma omp parallel
#pragma omp for schedule(dynamic)
  for (unsigned long i = n / 100; i > zero; i--) {
    iterate(i);
#pragma omp parallel num_threads(1)
#pragma omp for schedule(dynamic)
    for (unsigned long j = i; j > zero; j--) iterate(j);
  }
  wrong += count != 10 + 55;
#pragma omp parallel
#pragma omp single
#pragma omp task  // so that there is something to record
  iterate(1);
  std::printf("%d wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}
