// SPDX-License-Identifier: Apache-2.0
// Samples on their way from a queue to what is read.
#include "predict/online/learner.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"

using namespace foretask::predict;

namespace {

Sample sample(LearnedKernel& kernel, double n, double time, std::uint32_t worker_class = 0) {
  Sample result;
  result.kernel = &kernel;
  result.time = time;
  result.worker_class = worker_class;
  result.parameters = 1;
  result.values[0] = n;
  return result;
}

double value(const LearnedKernel& kernel, double n, std::size_t worker_class = 0) {
  std::uint64_t samples = 0;
  const Prediction read = kernel.predict(worker_class, &n, samples);
  return samples == 0 ? 0 : read.value;
}

std::set<std::string> threads() {
  std::set<std::string> result;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) result.insert(thread.path());
  return result;
}

// How often it has gone to sleep.
long sleeps(const std::string& thread) {
  std::ifstream status(thread + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("voluntary_ctxt_switches:")) return std::stol(line.substr(line.find(':') + 1));
  return -1;
}

}  // namespace

TEST_CASE("a full queue drops and counts, and what it holds is learned") {
  LearnedKernel kernel({{"n"}, {}});
  Learner learner;
  SampleQueue* const queue = learner.open_queue();
  REQUIRE(queue);
  for (std::size_t i = 0; i < SampleQueue::kCapacity; ++i) REQUIRE(queue->push(sample(kernel, 5, 100)));
  for (int i = 0; i < 3; ++i) CHECK_FALSE(queue->push(sample(kernel, 5, 100)));
  CHECK(learner.statistics().dropped == 3);
  REQUIRE(learner.start());
  REQUIRE(learner.flush(10'000));
  CHECK(learner.statistics().learned == SampleQueue::kCapacity);
  CHECK(value(kernel, 5) == Approx(100));
  // After its owner is gone as well.
  queue->close();
  REQUIRE(learner.flush(10'000));
  REQUIRE(learner.flush(10'000));
  CHECK(learner.statistics().dropped == 3);
}

TEST_CASE("what was handed over before a flush can be read after it") {
  LearnedKernel kernel({{"n"}, {}});
  Learner learner;
  REQUIRE(learner.start());
  SampleQueue* const queue = learner.open_queue();
  for (int i = 1; i <= 200; ++i) {
    REQUIRE(queue->push(sample(kernel, i, 10.0 * i)));
    REQUIRE(learner.flush(10'000));
    REQUIRE(value(kernel, i) > 0);
    REQUIRE(learner.statistics().learned == static_cast<std::uint64_t>(i));
  }
}

TEST_CASE("searches for terms that there was no time for are made up for, also where no more samples come") {
  constexpr int kKernels = 30;
  std::vector<std::unique_ptr<LearnedKernel>> kernels;
  Learner learner;
  REQUIRE(learner.start());
  SampleQueue* const queue = learner.open_queue();
  for (int k = 0; k < kKernels; ++k) {
    kernels.push_back(std::make_unique<LearnedKernel>(foretask::model::KernelShape{{"m", "n"}, {}}));
    for (int i = 0; i < 1000; ++i) {
      Sample one = sample(*kernels.back(), 1 + i % 37, 0);
      one.parameters = 2;
      one.values[1] = 1 + i % 41;
      one.time = 100 + 5 * one.values[0] * one.values[1];
      REQUIRE(queue->push(one));
    }
    REQUIRE(learner.flush(10'000));
  }
  const double asked[] = {70, 80};
  const double truth = 100 + 5 * 70 * 80;
  const auto known = [&](const auto& kernel) {
    std::uint64_t samples = 0;
    return std::abs(kernel->predict(0, asked, samples).value / truth - 1) < 0.01;
  };
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (!std::all_of(kernels.begin(), kernels.end(), known) && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(std::count_if(kernels.begin(), kernels.end(), known) == kKernels);
}

TEST_CASE("classes of workers learn apart") {
  LearnedKernel kernel({{"n"}, {}});
  Learner learner;
  REQUIRE(learner.start());
  SampleQueue* const queue = learner.open_queue();
  for (int i = 0; i < 100; ++i) {
    REQUIRE(queue->push(sample(kernel, 64, 1000, 0)));
    REQUIRE(queue->push(sample(kernel, 64, 10, 7)));
  }
  REQUIRE(learner.flush(10'000));
  CHECK(value(kernel, 64, 0) == Approx(1000));
  CHECK(value(kernel, 64, 7) == Approx(10));
  CHECK(value(kernel, 64, 3) == 0);
}

TEST_CASE("a stopped learner has learned what was queued, and starts no more") {
  LearnedKernel kernel({{"n"}, {}});
  Learner learner;
  SampleQueue* const queue = learner.open_queue();
  REQUIRE(learner.start());
  for (int i = 0; i < 1000; ++i) REQUIRE(queue->push(sample(kernel, 5, 100)));
  queue->close();
  learner.stop();
  CHECK(learner.statistics().learned == 1000);
  CHECK(value(kernel, 5) == Approx(100));
  CHECK_FALSE(learner.start());
  CHECK_FALSE(learner.flush(0));
}

TEST_CASE("nothing is flushed where nothing learns") {
  Learner learner;
  CHECK_FALSE(learner.flush(0));
}

TEST_CASE("the learner sleeps longer where samples come now and then and say nothing new") {
  LearnedKernel kernel({{"n"}, {}});
  Learner learner;
  const std::set<std::string> before = threads();
  REQUIRE(learner.start());
  std::string thread;
  for (const std::string& one : threads())
    if (!before.contains(one)) thread = one;
  REQUIRE_FALSE(thread.empty());
  SampleQueue* const queue = learner.open_queue();
  REQUIRE(queue);
  for (int i = 0; i < 200; ++i) REQUIRE(queue->push(sample(kernel, 5, 100)));
  REQUIRE(learner.flush(10'000));
  using Clock = std::chrono::steady_clock;
  const long slept = sleeps(thread);
  REQUIRE(slept >= 0);
  const auto begun = Clock::now();
  for (int i = 0; i < 300; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    REQUIRE(queue->push(sample(kernel, 5, 100)));
  }
  const double ms = std::chrono::duration<double, std::milli>(Clock::now() - begun).count();
  // The longest sleep is of 8 ms. Twice as many, for locks that it waited for.
  CHECK(static_cast<double>(sleeps(thread) - slept) < ms / 4);
  REQUIRE(learner.flush(10'000));
  CHECK(learner.statistics().learned == 500);
  queue->close();
}
