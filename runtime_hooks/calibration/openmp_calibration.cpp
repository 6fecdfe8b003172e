// SPDX-License-Identifier: Apache-2.0
// Tasks, waits, regions and barriers that do nothing: what a recording of them shows is the runtime's own time.
// docs/costs.md says what is read from which part. With an argument `trees` it runs trees alone, and writes to standard
// output how many ns a task took.
#include <omp.h>

#include <cstdio>
#include <cstring>

namespace {

constexpr int kTreeDepth = 14;
constexpr int kTrees = 3;
constexpr int kWaits = 4000;
constexpr int kBatches = 100;
constexpr int kBatchTasks = 24;
constexpr double kTaskSeconds = 3e-6;
constexpr int kFloodTasks = 800;
constexpr int kRegions = 200;
constexpr int kBarriers = 5;
constexpr int kChunks = 20000;
constexpr int kLocks = 10000;
constexpr int kStepsInLock = 100;

// Not inlined into itself: each level is a call, as in a recursive program.
[[gnu::noinline]] void tree(int depth) {
  if (depth == 0) return;
#pragma omp task
  tree(depth - 1);
#pragma omp task
  tree(depth - 1);
#pragma omp taskwait
}

[[gnu::noinline]] void continue_at_once() { asm volatile(""); }

void spin() {
  for (const double end = omp_get_wtime() + kTaskSeconds; omp_get_wtime() < end;) continue;
}

// Own tasks, one behind another and behind waits.
void run_trees(int trees) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < trees; ++i) tree(kTreeDepth);
}

void time_trees() {
  constexpr int kTimedTrees = 4;
  constexpr double kTasks = kTimedTrees * ((2 << kTreeDepth) - 2.0);
  run_trees(1);
  const double begin = omp_get_wtime();
  run_trees(kTimedTrees);
  std::printf("%.3f\n", (omp_get_wtime() - begin) * 1e9 / kTasks);
}

void run_waits() {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kWaits; ++i) {
#pragma omp taskwait
  }
}

// One thread creates what all run: the others steal.
void run_batches() {
#pragma omp parallel
#pragma omp single
  for (int batch = 0; batch < kBatches; ++batch) {
    for (int i = 0; i < kBatchTasks; ++i) {
#pragma omp task
      spin();
    }
#pragma omp taskwait
  }
}

// Tasks that write one place each, and such that read three others as well, which the tasks before have written.
void run_dependences() {
  constexpr int kPlaces = kBatchTasks / 2;
  static char places[2][kPlaces + 2];
#pragma omp parallel
#pragma omp single
  for (int batch = 0; batch < kBatches; ++batch) {
    for (int i = 0; i < kBatchTasks; ++i) {
      [[maybe_unused]] char* const at = &places[i / kPlaces][i % kPlaces];
#pragma omp task depend(inout : at[0])
      spin();
    }
#pragma omp taskwait
    for (int i = 0; i < kBatchTasks; ++i) {
      [[maybe_unused]] char* const at = &places[i / kPlaces][i % kPlaces];
      [[maybe_unused]] const char* const from = &places[1 - i / kPlaces][i % kPlaces];
#pragma omp task depend(inout : at[0]) depend(in : from[0], from[1], from[2])
      spin();
    }
#pragma omp taskwait
  }
}

// More than a deque holds: what it has no room for runs at its creation.
void run_flood() {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kFloodTasks; ++i) {
#pragma omp task
    continue_at_once();
  }
}

void run_regions() {
  for (int i = 0; i < kRegions; ++i) {
#pragma omp parallel
    for (int k = 0; k < kBarriers; ++k) {
#pragma omp barrier
    }
  }
}

// All threads ask for iterations all the time.
void run_chunks() {
#pragma omp parallel for schedule(dynamic, 1)
  for (int i = 0; i < kChunks; ++i) continue_at_once();
}

// All threads want the lock all the time, until the end of all. One that is held for too short a time is taken by the
// same thread again.
void run_locks() {
  int left = kLocks;
#pragma omp parallel
  for (bool goes_on = true; goes_on;) {
#pragma omp critical
    {
      goes_on = --left > 0;
      for (int step = 0; step < kStepsInLock; ++step) continue_at_once();
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count > 2 && std::strcmp(arguments[2], "trees") == 0) {
    time_trees();
    return 0;
  }
#pragma omp parallel
  spin();
  run_trees(kTrees);
  run_waits();
  run_batches();
  run_dependences();
  run_flood();
  run_regions();
  run_chunks();
  run_locks();
}
