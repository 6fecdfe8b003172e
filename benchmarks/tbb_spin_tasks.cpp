// SPDX-License-Identifier: Apache-2.0
// spin_tasks.cpp on oneTBB: COUNT tasks of a task group on THREADS threads, each the work of MICROSECONDS.
#include <tbb/global_control.h>
#include <tbb/task_group.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "spin.hpp"

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: tbb_spin_tasks COUNT MICROSECONDS THREADS\n");
    return 2;
  }
  const int count = std::atoi(argv[1]);
  const std::uint64_t rounds = foretask::benchmarks::spin_rounds(std::atof(argv[2]));
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(std::atoi(argv[3])));
  std::atomic<int> zeros{0};
  tbb::task_group group;
  for (int i = 0; i < count; ++i)
    group.run([&zeros, rounds] {
      if (foretask::benchmarks::spin(rounds) == 0) ++zeros;
    });
  group.wait();
  std::printf("%d tasks, %d zeros\n", count, zeros.load());
  return 0;
}
