// SPDX-License-Identifier: Apache-2.0
// Says something of itself before its first oneTBB task: a time that it has measured. Then a loop of 8 tasks.
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include <atomic>
#include <cstdio>

#include "foretask/foretask.hpp"

int main() {
  const foretask::Kernel kernel("read", {"bytes"});
  static_cast<void>(kernel.learn(1000.0, 4096));
  std::atomic<int> bodies{0};
  tbb::parallel_for(
      tbb::blocked_range<int>(0, 8, 1), [&](const tbb::blocked_range<int>&) { ++bodies; }, tbb::simple_partitioner());
  std::printf("%d\n", bodies.load());
  return 0;
}
