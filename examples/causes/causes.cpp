// SPDX-License-Identifier: Apache-2.0
// One thing at a time that keeps two cores from being twice as fast as one: causes NAME [WORK]. Each function is the
// whole of a case; `foretask report` names it. docs/causes.md goes through them.
#include <omp.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

volatile double sink;

// So many square roots, one after another: some 5 ns each, in registers.
double compute(std::int64_t steps, double x = 2) {
  for (std::int64_t i = 0; i < steps; ++i) x = std::sqrt(x + static_cast<double>(i & 7));
  return x;
}

// Nothing is lost.
void clean(std::int64_t work) {
#pragma omp parallel for schedule(dynamic, 1)
  for (int i = 0; i < 200; ++i) sink = compute(work / 200, i);
}

// A third of the work is outside of the region.
void serial(std::int64_t work) {
  sink = compute(work / 3);
#pragma omp parallel for schedule(dynamic, 1)
  for (int i = 0; i < 200; ++i) sink = compute(2 * work / 600, i);
}

// A chain of tasks, each of which needs the one before.
void critical_path(std::int64_t work) {
  double chain = 2;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 200; ++i) {
#pragma omp task depend(inout : chain)
    chain = compute(work / 200, chain);
  }
  sink = chain;
}

// The later an iteration, the more it takes, and the last thread has the last ones.
void imbalance(std::int64_t work) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < 200; ++i) sink = compute(work / 20000 * i, i);
}

std::int64_t fib(int n) {
  if (n < 2) return n;
  std::int64_t a = 0;
  std::int64_t b = 0;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

// A task for each addition.
void task_costs(std::int64_t work) {
#pragma omp parallel
#pragma omp single
  sink = static_cast<double>(fib(work > 10'000'000 ? 26 : 22));
}

// A region for each microsecond.
void region_costs(std::int64_t work) {
  double values[64] = {};
  for (std::int64_t i = 0; i < work / 1000; ++i) {
#pragma omp parallel for schedule(static)
    for (int k = 0; k < 64; ++k) values[k] += compute(2, k);
  }
  sink = values[1];
}

// All of the work is done while a lock is held.
void locks(std::int64_t work) {
  double sum = 0;
#pragma omp parallel for schedule(static)
  for (int i = 0; i < 2000; ++i) {
#pragma omp critical
    sum += compute(work / 2000, i);
  }
  sink = sum;
}

// All threads add to one number: its cache line goes from core to core.
void slower_work(std::int64_t work) {
  long hits = 0;
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < work / 4; ++i) {
#pragma omp atomic
    ++hits;
  }
  sink = static_cast<double>(hits);
}

// What it waits for is no core's: a slow disk, a server.
void blocked(std::int64_t work) {
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < 40; ++i) {
    usleep(static_cast<useconds_t>(work / 16000));
    sink = compute(work / 160, i);
  }
}

struct Case {
  const char* name;
  void (*run)(std::int64_t work);
};

constexpr Case kCases[] = {{"clean", clean},         {"serial", serial},           {"critical_path", critical_path},
                           {"imbalance", imbalance}, {"task_costs", task_costs},   {"region_costs", region_costs},
                           {"locks", locks},         {"slower_work", slower_work}, {"blocked", blocked}};

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t work = argc > 2 ? std::atoll(argv[2]) : 30'000'000;
  for (const Case& one : kCases) {
    if (argc < 2 || std::strcmp(argv[1], one.name) != 0) continue;
    const double begin = omp_get_wtime();
    one.run(work);
    std::printf("%s threads=%d seconds=%.3f\n", one.name, omp_get_max_threads(), omp_get_wtime() - begin);
    return 0;
  }
  std::fprintf(stderr, "causes NAME [WORK]: NAME is one of");
  for (const Case& one : kCases) std::fprintf(stderr, " %s", one.name);
  std::fprintf(stderr, "\n");
  return 2;
}
