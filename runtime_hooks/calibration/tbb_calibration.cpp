// SPDX-License-Identifier: Apache-2.0
// oneTBB's tasks and waits that do nothing, on as many threads as its argument says: what a recording of them shows is
// the runtime's own time. docs/costs.md says what is read from which part. With another argument, `trees`, it runs
// trees alone, and writes to standard output how many ns a task took.
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_group.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int kTreeDepth = 14;
constexpr int kTrees = 3;
constexpr int kWaits = 4000;
constexpr int kBatches = 100;
constexpr int kBatchTasks = 24;
constexpr std::chrono::microseconds kTaskTime(3);

// Not inlined into itself: each level is a call, as in a recursive program.
[[gnu::noinline]] void tree(int depth) {
  if (depth == 0) return;
  tbb::task_group group;
  group.run([depth] { tree(depth - 1); });
  group.run([depth] { tree(depth - 1); });
  group.wait();
}

void spin() {
  const auto end = std::chrono::steady_clock::now() + kTaskTime;
  while (std::chrono::steady_clock::now() < end) continue;
}

void time_trees() {
  constexpr int kTimedTrees = 4;
  constexpr double kTasks = kTimedTrees * ((2 << kTreeDepth) - 2.0);
  tree(kTreeDepth);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kTimedTrees; ++i) tree(kTreeDepth);
  const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - begin;
  std::printf("%.3f\n", elapsed.count() / kTasks);
}

void run_waits() {
  tbb::task_group group;
  for (int i = 0; i < kWaits; ++i) group.wait();
}

// One thread creates what all run: the others steal.
void run_batches() {
  for (int batch = 0; batch < kBatches; ++batch) {
    tbb::task_group group;
    for (int i = 0; i < kBatchTasks; ++i) group.run(spin);
    group.wait();
  }
}

}  // namespace

int main(int count, char** arguments) {
  const int threads = count > 1 ? std::atoi(arguments[1]) : 1;
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(threads > 0 ? threads : 1));
  if (count > 2 && std::strcmp(arguments[2], "trees") == 0) {
    time_trees();
    return 0;
  }
  run_batches();  // starts the threads as well
  for (int i = 0; i < kTrees; ++i) tree(kTreeDepth);
  run_waits();
}
