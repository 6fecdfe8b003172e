// SPDX-License-Identifier: Apache-2.0
// Tasks of one length: COUNT tasks, or chunks of a loop, that each do the work of MICROSECONDS. A load for
// record_cost.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "spin.hpp"

using foretask::benchmarks::spin;

int main(int argc, char** argv) {
  const bool is_loop = argc == 4 && std::strcmp(argv[3], "loop") == 0;
  if (argc != 3 && !is_loop) {
    std::fprintf(stderr, "usage: spin_tasks COUNT MICROSECONDS [loop]\n");
    return 2;
  }
  const int count = std::atoi(argv[1]);
  const std::uint64_t rounds = foretask::benchmarks::spin_rounds(std::atof(argv[2]));
  std::uint64_t sum = 0;
  const auto begin = std::chrono::steady_clock::now();
  if (is_loop) {
#pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < count; ++i) {
      const std::uint64_t value = spin(rounds);
      if (value == 0) sum = value;
    }
  }
#pragma omp parallel if (!is_loop)
#pragma omp single
  for (int i = 0; i < (is_loop ? 0 : count); ++i) {
#pragma omp task shared(sum)
    {
      const std::uint64_t value = spin(rounds);
      if (value == 0) sum = value;
    }
  }
  const std::chrono::duration<double, std::micro> spent = std::chrono::steady_clock::now() - begin;
  std::printf("%d tasks, %.2f us a task, %llu\n", count, spent.count() / count, static_cast<unsigned long long>(sum));
  return 0;
}
