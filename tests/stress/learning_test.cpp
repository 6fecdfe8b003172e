// SPDX-License-Identifier: Apache-2.0
// Many threads that predict, learn, define, save and end while the learner works, and forks in the midst of it.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "foretask/foretask.h"
#include "foretask/task_hook.h"
#include "predict/online/learner.hpp"
#include "skip.hpp"
#include "unit/base/temp_folder.hpp"

// The child of a fork starts a learner of its own.
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_options() { return "die_after_fork=0"; }

using namespace foretask::predict;
using foretask::test::TempFolder;

namespace {

// A store for all tests of this process.
TempFolder* home = nullptr;

// After the library's own end, which saves.
__attribute__((destructor(101))) void remove_home() { delete home; }

void begin() {
  if (!home) {
    home = new TempFolder;
    setenv("FORETASK_HOME", home->path().c_str(), 1);
  }
  REQUIRE(foretask_learning_start() == FORETASK_OK);
}

foretask_kernel* kernel(const std::string& name) {
  const char* parameters[] = {"n"};
  foretask_kernel* const result = foretask_kernel_define(name.c_str(), parameters, 1);
  REQUIRE(result);
  return result;
}

foretask_learning_stats statistics() {
  foretask_learning_stats stats{};
  stats.size = sizeof stats;
  static_cast<void>(foretask_learning_statistics(&stats));
  return stats;
}

// 0 before there is a prediction.
double predict(const foretask_kernel* of, double n) {
  foretask_prediction prediction = FORETASK_PREDICTION_INIT;
  if (foretask_predict(of, &n, 1, &prediction) != FORETASK_OK) return -1;
  return prediction.status == FORETASK_UNCALIBRATED ? 0 : prediction.value_ns;
}

void run(int count, const std::function<void(int)>& body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back(body, i);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

TEST_CASE("readers see whole snapshots while they are replaced and freed") {
  LearnedKernel kernel({{"n"}, {}});
  Reclaimer reclaimer;
  std::atomic<bool> done{false};
  std::atomic<std::uint64_t> reads{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 4; ++i)
    readers.emplace_back([&, i] {
      std::uint64_t last = 0;
      while (!done) {
        const double n = 1 + (i + static_cast<int>(last)) % 50;
        std::uint64_t samples = 0;
        const Prediction read = kernel.predict(0, &n, samples);
        if (samples < last) std::abort();  // what was read once is not taken back
        last = samples;
        if (samples > 0 && !(read.value >= 100 && read.value <= 5000)) std::abort();
        ++reads;
      }
    });
  for (int i = 0; i < 3000 || reads < 1000; ++i) {
    const double n = 1 + i % 50;
    kernel.model(0).learn(std::span(&n, 1), 100 * n);
    if (auto old = kernel.publish(0)) reclaimer.retire(std::move(old));
    reclaimer.collect();
    CHECK(reclaimer.pending() < 100'000);
  }
  done = true;
  for (std::thread& reader : readers) reader.join();
  reclaimer.collect();
  reclaimer.collect();
  CHECK(reclaimer.pending() == 0);
}

TEST_CASE("threads that hand over and end at once lose nothing that was taken") {
  begin();
  foretask_kernel* const gemm = kernel("stress ends");
  const auto before = statistics();
  std::atomic<std::uint64_t> taken{0};
  std::atomic<std::uint64_t> refused{0};
  for (int round = 0; round < 5; ++round)
    run(8, [&](int i) {
      for (int j = 0; j < 300; ++j) {
        const double n = 1 + (i + j) % 20;
        (foretask_learn(gemm, &n, 1, 100 * n) == FORETASK_OK ? taken : refused) += 1;
      }
    });
  REQUIRE(foretask_flush(60'000) == FORETASK_OK);
  CHECK(statistics().learned == before.learned + taken);
  CHECK(statistics().dropped == before.dropped + refused);
  CHECK(predict(gemm, 7) == Approx(700));
}

TEST_CASE("kernels that many threads define at once are the same for all") {
  begin();
  constexpr int kKernels = 200;
  std::vector<std::vector<foretask_kernel*>> found(4, std::vector<foretask_kernel*>(kKernels));
  run(4, [&found](int thread) {
    for (int i = 0; i < kKernels; ++i) {
      const std::string name = "stress define " + std::to_string((i + 50 * thread) % kKernels);
      const char* parameters[] = {"n"};
      foretask_kernel* const one = foretask_kernel_define(name.c_str(), parameters, 1);
      if (!one || foretask_kernel_find(name.c_str()) != one) std::abort();
      found[static_cast<std::size_t>(thread)][static_cast<std::size_t>((i + 50 * thread) % kKernels)] = one;
      const double n = 5;
      if (foretask_learn(one, &n, 1, 100) == FORETASK_WRONG_COUNT) std::abort();
    }
  });
  for (const auto& kernels : found) CHECK(kernels == found[0]);
}

TEST_CASE("saving, loading, flushing, scopes and new classes go on side by side") {
  begin();
  std::vector<foretask_kernel*> kernels;
  for (int i = 0; i < 4; ++i) kernels.push_back(kernel("stress mixed " + std::to_string(i)));
  std::atomic<bool> done{false};
  std::atomic<int> failures{0};
  std::thread saver([&] {
    for (int i = 0; i < 4; ++i) {
      failures += foretask_save() == FORETASK_OK ? 0 : 1;
      failures += foretask_load() == FORETASK_OK ? 0 : 1;
      failures += foretask_worker_class(("stress class " + std::to_string(i % 3)).c_str()) > 0 ? 0 : 1;
    }
    done = true;
  });
  run(4, [&](int i) {
    while (!done) {
      foretask_kernel* const mine = kernels[static_cast<std::size_t>(i)];
      const double n = 5;
      foretask_scope scope;
      static_cast<void>(foretask_scope_begin(&scope, mine, &n, 1));
      const double value = predict(kernels[static_cast<std::size_t>(i + 1) % 4], n);
      if (!(value >= 0)) std::abort();
      static_cast<void>(foretask_scope_end(&scope));
      if (i == 0) static_cast<void>(foretask_flush(10));
      std::this_thread::sleep_for(std::chrono::microseconds(20));  // or a save would wait for thousands of samples
    }
  });
  saver.join();
  CHECK(failures == 0);
}

TEST_CASE("a child that is forked in the midst of it predicts, learns, saves and ends, and its parent goes on") {
#ifdef FORETASK_ADDRESS_SANITIZER
  FORETASK_SKIP("the address sanitizer's own allocator keeps the locks of threads that a forked child lacks");
#else
  begin();
  foretask_kernel* const gemm = kernel("stress fork");
  for (int i = 0; i < 100; ++i) {
    const double n = 1 + i % 20;
    REQUIRE(foretask_learn(gemm, &n, 1, 100 * n) == FORETASK_OK);
  }
  REQUIRE(foretask_flush(60'000) == FORETASK_OK);
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&, i] {
      for (int j = 0; !done; ++j) {
        const double n = 1 + (i + j) % 20;
        static_cast<void>(foretask_learn(gemm, &n, 1, 100 * n));
        if (!(predict(gemm, n) > 0)) std::abort();
        if (j % 100 == 0) {
          // Locks of all kinds are held by somebody.
          const std::string name = "stress fork " + std::to_string(i) + " " + std::to_string(j);
          if (!foretask_kernel_define(name.c_str(), nullptr, 0)) std::abort();
          static_cast<void>(foretask_flush(1));
          // A runtime's task of code that was not met before.
          const char* const code = reinterpret_cast<const char*>(&foretask_version) + 1000 * i + j / 100;
          foretask_hook_task_discard(foretask_hook_task_create(code), nullptr);
        }
        if (i == 0 && j % 200 == 0) static_cast<void>(foretask_save());
      }
    });
  for (int round = 0; round < 6; ++round) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      alarm(60);
      // The parent's threads are not here.
      if (!(predict(gemm, 7) > 0)) _exit(1);
      const std::string name = "stress child " + std::to_string(round);
      foretask_kernel* const own = foretask_kernel_define(name.c_str(), nullptr, 0);
      if (!own || foretask_learn(own, nullptr, 0, 300) != FORETASK_OK) _exit(2);
      if (foretask_flush(30'000) != FORETASK_OK) _exit(3);
      if (statistics().learned != 1) _exit(4);
      foretask_prediction prediction = FORETASK_PREDICTION_INIT;
      if (foretask_predict(own, nullptr, 0, &prediction) != FORETASK_OK || prediction.value_ns != 300) _exit(5);
      if (foretask_save() != FORETASK_OK) _exit(6);
      _exit(0);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
  REQUIRE(foretask_flush(60'000) == FORETASK_OK);
  CHECK(predict(gemm, 7) == Approx(700));
  CHECK(foretask_save() == FORETASK_OK);
#endif
}
