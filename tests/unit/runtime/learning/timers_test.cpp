// SPDX-License-Identifier: Apache-2.0
// Timers of tasks that move between threads.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "catch.hpp"
#include "foretask/foretask.h"

namespace {

foretask_kernel* begin(const char* name) {
  REQUIRE(setenv("FORETASK_HOME", "/dev/null/nowhere", 1) == 0);
  REQUIRE(foretask_learning_start() == FORETASK_OK);
  const char* parameters[] = {"m", "n"};
  foretask_kernel* const kernel = foretask_kernel_define(name, parameters, 2);
  REQUIRE(kernel);
  return kernel;
}

foretask_learning_stats statistics() {
  foretask_learning_stats stats{};
  stats.size = sizeof stats;
  REQUIRE(foretask_learning_statistics(&stats) == FORETASK_OK);
  return stats;
}

foretask_prediction predict(const foretask_kernel* kernel, double m, double n) {
  const double parameters[] = {m, n};
  foretask_prediction prediction = FORETASK_PREDICTION_INIT;
  REQUIRE(foretask_predict(kernel, parameters, 2, &prediction) == FORETASK_OK);
  return prediction;
}

}  // namespace

TEST_CASE("a task is timed from thread to thread, without the time in which it waits") {
  foretask_kernel* const kernel = begin("timer moves");
  using Clock = std::chrono::steady_clock;
  using namespace std::chrono_literals;
  const double parameters[] = {1, 2};
  double longest = 0;
  for (int i = 0; i < 5; ++i) {
    foretask_timer timer;
    const auto begun = Clock::now();
    REQUIRE(foretask_timer_start(&timer, kernel, parameters, 1) == FORETASK_OK);
    std::this_thread::sleep_for(3ms);
    REQUIRE(foretask_timer_pause(&timer) == FORETASK_OK);
    const auto paused = Clock::now();
    std::this_thread::sleep_for(20ms);
    // As a task that is moved in memory.
    foretask_timer moved = timer;
    const auto resumed = Clock::now();
    std::thread([&] {
      CHECK(foretask_timer_resume(&moved) == FORETASK_OK);
      std::this_thread::sleep_for(3ms);
      CHECK(foretask_timer_stop(&moved, parameters + 1, 1) == FORETASK_OK);
    }).join();
    const std::chrono::duration<double, std::nano> own = (Clock::now() - resumed) + (paused - begun);
    longest = std::max(longest, own.count());
  }
  REQUIRE(foretask_flush(10'000) == FORETASK_OK);
  double mean = 0;
  REQUIRE(foretask_predict_mean(kernel, parameters, 2, &mean) == FORETASK_OK);
  // Of samples from what was slept to the longest; the clocks' rates agree to 1e-3.
  CHECK(mean > 6e6 * 0.999);
  CHECK(mean < longest * 1.001);
}

TEST_CASE("a timer says what it does not do") {
  foretask_kernel* const kernel = begin("timer refuses");
  const auto before = statistics();
  const double parameters[] = {1, 2, 3};
  foretask_timer timer;
  CHECK(foretask_timer_start(nullptr, kernel, parameters, 2) == FORETASK_BAD_ARGUMENT);
  CHECK(foretask_timer_start(&timer, nullptr, parameters, 2) == FORETASK_NO_KERNEL);
  CHECK(foretask_timer_pause(&timer) == FORETASK_OFF);
  CHECK(foretask_timer_resume(&timer) == FORETASK_OFF);
  CHECK(foretask_timer_stop(&timer, nullptr, 0) == FORETASK_OFF);
  CHECK(foretask_timer_start(&timer, kernel, parameters, 3) == FORETASK_WRONG_COUNT);
  CHECK(foretask_timer_start(&timer, kernel, nullptr, 2) == FORETASK_BAD_ARGUMENT);
  CHECK(foretask_timer_stop(&timer, nullptr, 0) == FORETASK_OFF);

  REQUIRE(foretask_timer_start(&timer, kernel, parameters, 2) == FORETASK_OK);
  CHECK(foretask_timer_resume(&timer) == FORETASK_BAD_ARGUMENT);
  CHECK(foretask_timer_pause(&timer) == FORETASK_OK);
  CHECK(foretask_timer_pause(&timer) == FORETASK_BAD_ARGUMENT);
  CHECK(foretask_timer_stop(&timer, nullptr, 0) == FORETASK_OK);
  CHECK(foretask_timer_stop(&timer, nullptr, 0) == FORETASK_OFF);

  REQUIRE(foretask_timer_start(&timer, kernel, nullptr, 0) == FORETASK_OK);
  CHECK(foretask_timer_stop(&timer, parameters, 2) == FORETASK_OK);
  for (const std::size_t count : {0, 1, 3}) {
    REQUIRE(foretask_timer_start(&timer, kernel, nullptr, 0) == FORETASK_OK);
    CHECK(foretask_timer_stop(&timer, parameters, count) == FORETASK_WRONG_COUNT);
  }
  REQUIRE(foretask_flush(10'000) == FORETASK_OK);
  CHECK(statistics().learned == before.learned + 2);
  CHECK(statistics().rejected == before.rejected + 3);
  CHECK(predict(kernel, 1, 2).nearby == 2);
}
