// SPDX-License-Identifier: Apache-2.0
// What a short piece of code takes: the least of several rounds, which other programs disturbed least.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>

namespace foretask::benchmarks {

// In ns, of one of `times` in a round.
template <typename Work>
double least_ns(int rounds, int times, const Work& work) {
  double least = INFINITY;
  for (int round = 0; round < rounds; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < times; ++i) work();
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
    least = std::min(least, time.count() / times);
  }
  return least;
}

}  // namespace foretask::benchmarks
