// SPDX-License-Identifier: Apache-2.0
// Heat in a square plate: two static loops a step, the sum of what changes in one of them. Every iteration costs the
// same.
#include "common.hpp"

namespace {

// A corner of value 1 in cos(x) cos(y) form: a mode of the discrete Laplacian, which each step multiplies by the same
// factor.
double mode(long i, long j, long n) {
  const double step = 3.14159265358979323846 / static_cast<double>(n - 1);
  return std::sin(step * static_cast<double>(i)) * std::sin(step * static_cast<double>(j));
}

double factor(long n) { return 0.5 * (1 + std::cos(3.14159265358979323846 / static_cast<double>(n - 1))); }

void relax(const std::vector<double>& from, std::vector<double>& to, long n) {
#pragma omp for schedule(static)
  for (long i = 1; i < n - 1; ++i)
    for (long j = 1; j < n - 1; ++j) {
      const double sides = from[(i - 1) * n + j] + from[(i + 1) * n + j] + from[i * n + j - 1] + from[i * n + j + 1];
      to[i * n + j] = 0.5 * from[i * n + j] + 0.125 * sides;
    }
}

bool run_steps(long n, long steps, examples::Run& run) {
  std::vector<double> heat(n * n);
  for (long i = 0; i < n; ++i)
    for (long j = 0; j < n; ++j) heat[i * n + j] = mode(i, j, n);
  std::vector<double> expected = heat;
  for (double& value : expected) value *= std::pow(factor(n), static_cast<double>(2 * steps));
  std::vector<double> next = heat;
#pragma omp parallel num_threads(run.threads)
  {
#pragma omp barrier
#pragma omp master
    run.start();
    for (long step = 0; step < steps; ++step) {
      relax(heat, next, n);
      relax(next, heat, n);
    }
  }
  run.stop();
  return examples::nearly_equal(heat, expected, 1e-10);
}

}  // namespace

int main(int argc, char** argv) {
  long n = 1000;
  long steps = 100;
  examples::Arguments arguments("stencil", "heat in a plate, static loops");
  arguments.number("-n", "points a side", n, 3, 20'000);
  arguments.number("-s", "pairs of steps", steps, 1, 1'000'000);
  arguments.parse(argc, argv);
  return arguments.repeat(n, [&](examples::Run& run) { return run_steps(n, steps, run); });
}
