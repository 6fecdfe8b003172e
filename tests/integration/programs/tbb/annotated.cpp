// SPDX-License-Identifier: Apache-2.0
// Says something of itself before its first oneTBB task: a time that it has measured. Then a loop of 8 tasks.
// With an argument it names a loop, 40 times 64 tasks of 6 or 7 iterations, and asks how long a task of it takes: first
// before it has run, then in its body, and when all of it was learned.
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include <atomic>
#include <chrono>
#include <cstdio>

#include "foretask/foretask.hpp"
#include "foretask/openmp.h"

namespace {

void ask(const foretask_kernel* loop) {
  const double iterations = 6;
  foretask_prediction prediction = FORETASK_PREDICTION_INIT;
  const foretask_status status = foretask_predict(loop, &iterations, 1, &prediction);
  std::printf("%s: %s, %llu samples\n", foretask_status_text(status),
              foretask_prediction_status_text(prediction.status), static_cast<unsigned long long>(prediction.samples));
}

void name_a_loop() {
  const char* const parameter = "iterations";
  foretask_kernel* const loop = foretask_kernel_define("named loop", &parameter, 1);
  ask(loop);
  std::atomic<int> failed{0};
  for (int repeat = 0; repeat < 40; ++repeat) {
    foretask_openmp_next_task(loop, nullptr, 0);
    tbb::parallel_for(
        tbb::blocked_range<int>(0, 400, 10),
        [&](const tbb::blocked_range<int>& range) {
          const double iterations = range.size();
          foretask_prediction prediction = FORETASK_PREDICTION_INIT;
          if (foretask_predict(loop, &iterations, 1, &prediction) != FORETASK_OK) ++failed;
          const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(range.size());
          while (std::chrono::steady_clock::now() < end) {
          }
        },
        tbb::simple_partitioner());
  }
  foretask_flush(10000);
  ask(loop);
  std::printf("%d failed\n", failed.load());
}

}  // namespace

int main(int argc, char**) {
  if (argc > 1) {
    name_a_loop();
    return 0;
  }
  const foretask::Kernel kernel("read", {"bytes"});
  static_cast<void>(kernel.learn(1000.0, 4096));
  std::atomic<int> bodies{0};
  tbb::parallel_for(
      tbb::blocked_range<int>(0, 8, 1), [&](const tbb::blocked_range<int>&) { ++bodies; }, tbb::simple_partitioner());
  std::printf("%d\n", bodies.load());
  return 0;
}
