// SPDX-License-Identifier: Apache-2.0
// Predicting and handing over samples on threads that may make no system call, while other threads feed and the learner
// publishes.
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <limits>
#include <mutex>
#include <new>
#include <thread>

#include "calls_of_thread.hpp"
#include "catch.hpp"
#include "foretask/foretask.h"
#include "skip.hpp"

using wait_free::Calls;
using wait_free::count_calls;
using wait_free::Outcome;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
using Parameters = std::array<double, 3>;

// In an empty store.
void start_learning() {
  static const bool is_started = [] {
    std::filesystem::remove_all(std::getenv("FORETASK_HOME"));
    return foretask_learning_start() == FORETASK_OK;
  }();
  REQUIRE(is_started);
}

foretask_kernel* define(const char* name, const char* terms) {
  const char* const names[] = {"m", "n", "k"};
  const foretask_kernel_options options = {sizeof(foretask_kernel_options), name, names, std::size(names), terms, "1"};
  foretask_kernel* const kernel = foretask_kernel_define_with(&options, nullptr);
  REQUIRE(kernel != nullptr);
  return kernel;
}

// One whose times a linear model gives, one whose tuples come back with times of their own, one that jumps between two
// behaviours, one without a sample.
struct Kernels {
  foretask_kernel* linear = define("linear", "1,m*n*k,m*n");
  foretask_kernel* history = define("history", nullptr);
  foretask_kernel* jumps = define("jumps", nullptr);
  foretask_kernel* unknown = define("unknown", nullptr);
};

class Feeder {
 public:
  explicit Feeder(const Kernels& kernels) : kernels_(kernels) {}

  // A sample of each kernel. No two calls alike.
  void feed() {
    random_ = random_ * 6364136223846793005ULL + 1442695040888963407ULL;
    const double a = static_cast<double>(random_ >> 40) / (1 << 24);
    const double b = static_cast<double>(random_ >> 16 & 0xffffff) / (1 << 24);
    const Parameters any = {10 + 90 * a, 10 + 90 * b, 10 + 40 * (a + b)};
    foretask_learn(kernels_.linear, any.data(), any.size(), 100 + any[0] * any[1] * (any[2] + 5) * (1 + 0.02 * b));
    const double tuple = std::floor(16 * a);
    const Parameters known = {tuple, 1, 2};
    foretask_learn(kernels_.history, known.data(), known.size(), 1000 * (1 + std::fmod(tuple * 7, 5)) * (1 + 0.02 * b));
    foretask_learn(kernels_.jumps, any.data(), any.size(), (any[0] > 50 ? 9000 : 400) * (1 + 0.1 * b));
  }

 private:
  const Kernels& kernels_;
  std::uint64_t random_ = 1;
};

// Feeds until it is destroyed.
class FeedingThread {
 public:
  explicit FeedingThread(const Kernels& kernels)
      : thread_([this, &kernels] {
          Feeder feeder(kernels);
          while (!stop_.load(std::memory_order_relaxed)) feeder.feed();
        }) {}
  ~FeedingThread() {
    stop_.store(true);
    thread_.join();
  }
  FeedingThread(const FeedingThread&) = delete;
  FeedingThread& operator=(const FeedingThread&) = delete;

 private:
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

void check_none(const Calls& calls) {
  INFO("the first system call is number " << calls.first_system_call);
  CHECK(calls.system_calls == 0);
  CHECK(calls.allocations == 0);
  CHECK(calls.locks == 0);
}

}  // namespace

#define SKIP_WITHOUT_FILTER(outcome) \
  if ((outcome) == Outcome::kNoFilter) FORETASK_SKIP("seccomp filters are not to be had here")

TEST_CASE("what a thread calls is counted") {
  Calls calls;
  std::mutex mutex;
  // The C library's first allocation on a thread makes system calls.
  const auto outcome = count_calls(
      [] {
        void* volatile memory = std::malloc(8);
        std::free(memory);
      },
      [&] {
        void* volatile memory = std::malloc(8);
        std::free(memory);
        memory = ::operator new(8);
        ::operator delete(memory);
        { const std::lock_guard lock(mutex); }
        ::syscall(SYS_getppid);
      },
      calls);
  SKIP_WITHOUT_FILTER(outcome);
  CHECK(calls.allocations == 4);
  CHECK(calls.locks == 1);
  CHECK(calls.system_calls == 1);
  CHECK(calls.first_system_call == SYS_getppid);
}

TEST_CASE("foretask_predict takes no lock, allocates nothing and makes no system call while the learner publishes") {
  start_learning();
  const Kernels kernels;
  {
    Feeder feeder(kernels);
    for (int i = 0; i < 1000; ++i) feeder.feed();
    REQUIRE(foretask_flush(60'000) == FORETASK_OK);
  }
  constexpr int kLeastSnapshots = 50;
  constexpr long kLeast = 1'000'000;
  constexpr long kMost = 300'000'000;
  int snapshots = 0;
  bool is_sane = true;
  std::uint32_t models = 0;    // bits of those that answered
  std::uint32_t statuses = 0;  // and of what was said of predictions
  Calls calls;
  Outcome outcome = Outcome::kNoFilter;
  {
    const FeedingThread feeding(kernels);
    // Not even the thread's first prediction may.
    outcome = count_calls(
        [] {},
        [&] {
          constexpr Parameters kAsked[] = {{50, 60, 40},  {15, 90, 45},   {3, 1, 2}, {7, 1, 2},
                                           {1e6, 1e6, 3}, {-5, 0, 1e300}, {0, 0, 0}, {kNan, 1, 2}};
          std::uint64_t last = 0;
          for (long i = 0; i < kMost && (i < kLeast || snapshots < kLeastSnapshots); ++i) {
            const Parameters& asked = kAsked[static_cast<std::size_t>(i) % std::size(kAsked)];
            for (foretask_kernel* kernel : {kernels.linear, kernels.history, kernels.jumps, kernels.unknown}) {
              foretask_prediction prediction = FORETASK_PREDICTION_INIT;
              const auto status = foretask_predict(kernel, asked.data(), 3, &prediction);
              if (status == FORETASK_OK && prediction.status != FORETASK_UNCALIBRATED)
                is_sane = is_sane && prediction.low_ns <= prediction.value_ns &&
                          prediction.value_ns <= prediction.high_ns && prediction.value_ns > 0;
              models |= 1U << prediction.model;
              statuses |= 1U << prediction.status;
              if (kernel != kernels.linear || prediction.samples == last) continue;
              if (prediction.samples > last) ++snapshots;
              if (prediction.samples > 0) last = prediction.samples;
            }
            foretask_prediction prediction = FORETASK_PREDICTION_INIT;
            foretask_predict(kernels.linear, asked.data(), 2, &prediction);
            foretask_predict(nullptr, asked.data(), 3, &prediction);
            foretask_predict_on(kernels.linear, 7, asked.data(), 3, &prediction);
            double answer = 0;
            foretask_predict_mean(kernels.history, asked.data(), 3, &answer);
            foretask_predict_quantile(kernels.linear, asked.data(), 3, 0.9, &answer);
            foretask_predict_exceeds(kernels.jumps, asked.data(), 3, 1000, &answer);
          }
        },
        calls);
  }
  SKIP_WITHOUT_FILTER(outcome);
  check_none(calls);
  CHECK(snapshots >= kLeastSnapshots);
  CHECK(is_sane);
  for (const std::uint32_t model : {FORETASK_MODEL_NONE, FORETASK_MODEL_HISTORY, FORETASK_MODEL_LINEAR})
    CHECK((models >> model & 1) == 1);
  for (const std::uint32_t status : {FORETASK_READY, FORETASK_UNCALIBRATED, FORETASK_EXTRAPOLATING})
    CHECK((statuses >> status & 1) == 1);
}

TEST_CASE("foretask_learn, scopes and timers take no lock, memory or system call after the first sample") {
  start_learning();
  const Kernels kernels;
  long handed_over = 0;
  long dropped = 0;
  long other = 0;
  Calls calls;
  const auto outcome = count_calls(
      [&] {
        const Parameters first = {1, 2, 3};
        foretask_learn(kernels.linear, first.data(), first.size(), 1000);
      },
      [&] {
        const auto note = [&](foretask_status status) {
          ++(status == FORETASK_OK ? handed_over : status == FORETASK_DROPPED ? dropped : other);
        };
        for (int i = 0; i < 1'000'000; ++i) {
          const double x = 10 + i % 1000 * 0.5;
          const Parameters parameters = {x, x + 1, x * 2};
          note(foretask_learn(kernels.linear, parameters.data(), parameters.size(), x * x));
          foretask_scope outer;
          foretask_scope inner;
          note(foretask_scope_begin(&outer, kernels.history, parameters.data(), 2));
          note(foretask_scope_begin(&inner, kernels.jumps, parameters.data(), 3));
          note(foretask_scope_end(&inner));
          note(foretask_scope_set(&outer, 2, 4));
          note(foretask_scope_end(&outer));
          foretask_timer timer;
          note(foretask_timer_start(&timer, kernels.history, parameters.data(), 2));
          note(foretask_timer_pause(&timer));
          note(foretask_timer_resume(&timer));
          note(foretask_timer_stop(&timer, parameters.data() + 2, 1));
        }
      },
      calls);
  SKIP_WITHOUT_FILTER(outcome);
  check_none(calls);
  CHECK(other == 0);
  CHECK(dropped > 0);  // a full queue makes no difference
  CHECK(handed_over > 3'000'000);
}
