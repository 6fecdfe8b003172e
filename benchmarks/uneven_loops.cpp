// SPDX-License-Identifier: Apache-2.0
// A parallel loop under OMP_SCHEDULE whose iterations sleep for uneven times, so that a run with more threads than the
// machine has cores is still a true one. A load for schedule_accuracy. Prints the loop's time in seconds.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "sleep.hpp"

namespace {

constexpr std::uint64_t kSeed = 7;

// In the mean, iterations of each shape take about as long.
double cost_ms(const std::string& shape, int i, int iterations) {
  const double place = (i + 0.5) / iterations;
  const auto index = static_cast<std::uint64_t>(i);
  if (shape == "triangular") return 1 + 18 * place;
  if (shape == "reverse") return 1 + 18 * (1 - place);
  if (shape == "lognormal") return 1 + 5.5 * std::exp(examples::random_normal(kSeed, index));
  if (shape == "bimodal") return examples::random_unit(kSeed, index) < 0.1 ? 55 : 5;
  if (shape == "block") return place >= 0.4 && place < 0.5 ? 55 : 5;
  return -1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string shape = argc > 1 ? argv[1] : "";
  const int iterations = argc > 2 ? std::atoi(argv[2]) : 256;
  if (iterations < 1 || cost_ms(shape, 0, 1) < 0) {
    std::fprintf(stderr, "usage: uneven_loops triangular|reverse|lognormal|bimodal|block [ITERATIONS]\n");
    return 2;
  }
  std::vector<std::int64_t> cost_ns;
  for (int i = 0; i < iterations; ++i) cost_ns.push_back(std::llround(1e6 * cost_ms(shape, i, iterations)));
  examples::wake_on_time();
#pragma omp parallel  // the threads are started before the clock is
  {}
  const std::int64_t start_ns = examples::now_ns();
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < iterations; ++i) examples::sleep_until(examples::now_ns() + cost_ns[static_cast<std::size_t>(i)]);
  std::printf("%.6f\n", 1e-9 * static_cast<double>(examples::now_ns() - start_ns));
  return 0;
}
