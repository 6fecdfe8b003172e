// SPDX-License-Identifier: Apache-2.0
// Short parallel loops, run many times: iterations of one addition, or uneven ones, with schedule(runtime); or a
// taskloop that says nothing of its tasks. Prints the microseconds that each run took. A load for scripts/tune_speed.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "sleep.hpp"

namespace {

// The later iterations take longer; the last some 100 times an addition.
double uneven(int i, int iterations) {
  double value = i;
  for (int round = 0; round < 400 * i / iterations; ++round) value = value * 0.999 + 1;
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string shape = argc > 1 ? argv[1] : "";
  const int runs = argc > 2 ? std::atoi(argv[2]) : 3000;
  const int iterations = argc > 3 ? std::atoi(argv[3]) : 16384;
  if ((shape != "even" && shape != "uneven" && shape != "taskloop") || runs < 1 || iterations < 1) {
    std::fprintf(stderr, "usage: repeated_loops even|uneven|taskloop [RUNS [ITERATIONS]]\n");
    return 2;
  }
  std::vector<double> value(static_cast<std::size_t>(iterations), 1);
  double* const values = value.data();
  const std::int64_t start_ns = examples::now_ns();
  if (shape == "taskloop") {
#pragma omp parallel
#pragma omp single
    for (int run = 0; run < runs; ++run) {
#pragma omp taskloop
      for (int i = 0; i < iterations; ++i) values[i] += 0.5;
    }
  } else if (shape == "even") {
    for (int run = 0; run < runs; ++run) {
#pragma omp parallel for schedule(runtime)
      for (int i = 0; i < iterations; ++i) values[i] += 0.5;
    }
  } else {
    for (int run = 0; run < runs; ++run) {
#pragma omp parallel for schedule(runtime)
      for (int i = 0; i < iterations; ++i) values[i] += uneven(i, iterations);
    }
  }
  double sum = 0;
  for (const double each : value) sum += each;
  std::printf("%.2f us a run, sum %g\n", 1e-3 * static_cast<double>(examples::now_ns() - start_ns) / runs, sum);
  return 0;
}
