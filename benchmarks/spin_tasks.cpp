// SPDX-License-Identifier: Apache-2.0
// Tasks of one length: COUNT tasks, or chunks of a loop, that each do the work of MICROSECONDS, calibrated once so that
// the work is the same however fast the clock is read. A load for record_cost.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

std::uint64_t spin(std::uint64_t rounds) {
  std::uint64_t x = 88172645463325252ULL;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  return x;
}

}  // namespace

int main(int argc, char** argv) {
  const bool is_loop = argc == 4 && std::strcmp(argv[3], "loop") == 0;
  if (argc != 3 && !is_loop) {
    std::fprintf(stderr, "usage: spin_tasks COUNT MICROSECONDS [loop]\n");
    return 2;
  }
  const int count = std::atoi(argv[1]);
  // Rounds, not time: 2.1 ns a round on the machine of docs/overhead.md.
  const auto rounds = static_cast<std::uint64_t>(std::atof(argv[2]) * 1000.0 / 2.1);
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
