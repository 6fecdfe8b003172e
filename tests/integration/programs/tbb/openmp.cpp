// SPDX-License-Identifier: Apache-2.0
// A region of OpenMP with 10 tasks, then a loop of oneTBB with 16 iterations: openmp.
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>

#include <atomic>
#include <cstdio>

int main() {
  std::atomic<int> done{0};
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 10; ++i) {
#pragma omp task
    ++done;
  }
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 2);
  tbb::parallel_for(
      tbb::blocked_range<int>(0, 16, 1), [&done](const tbb::blocked_range<int>&) { ++done; },
      tbb::simple_partitioner());
  std::printf("%d\n", done.load());
  return 0;
}
