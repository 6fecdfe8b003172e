// SPDX-License-Identifier: Apache-2.0
// The list of the threads' queues, while threads come and go.
#include "predict/online/sample_queue.hpp"

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "catch.hpp"

using namespace foretask::predict;

namespace {

int count(const SampleQueues& queues) {
  int result = 0;
  queues.for_each([&](SampleQueue&) { ++result; });
  return result;
}

// Returns how many came out.
std::size_t empty(SampleQueue& queue) {
  std::vector<Sample> samples(queue.available());
  return queue.pop(samples);
}

}  // namespace

TEST_CASE("queues are freed once they are closed and empty, wherever they are in the list") {
  for (unsigned closed = 0; closed < 8; ++closed) {
    SampleQueues queues;
    SampleQueue* const of[] = {queues.open(), queues.open(), queues.open()};
    int open = 3;
    for (unsigned i = 0; i < 3; ++i) {
      REQUIRE(of[i]);
      REQUIRE(of[i]->push({}));
      if ((closed >> i & 1) == 0) continue;
      of[i]->close();
      --open;
    }
    // What is in them is still to come.
    CHECK(queues.remove_finished() == 0);
    CHECK(count(queues) == 3);
    queues.for_each(empty);
    CHECK(queues.remove_finished() == 0);
    CHECK(count(queues) == open);
    queues.for_each([](SampleQueue& queue) { queue.close(); });
    queues.remove_finished();
    CHECK(count(queues) == 0);
  }
}

TEST_CASE("what a queue has dropped is told when it goes") {
  SampleQueues queues;
  SampleQueue* const queue = queues.open();
  REQUIRE(queue);
  for (std::size_t i = 0; i < SampleQueue::kCapacity + 5; ++i) static_cast<void>(queue->push({}));
  queue->close();
  queues.for_each(empty);
  CHECK(queues.remove_finished() == 5);
  CHECK(queues.remove_finished() == 0);
}

TEST_CASE("threads open queues while others' are freed, and no sample is lost") {
  constexpr int kThreads = 4;
  constexpr int kQueues = 500;
  SampleQueues queues;
  std::atomic<int> running{kThreads};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&] {
      for (int j = 0; j < kQueues; ++j) {
        SampleQueue* const queue = queues.open();
        if (!queue) continue;
        static_cast<void>(queue->push({}));
        queue->close();
      }
      running.fetch_sub(1);
    });
  std::size_t samples = 0;
  const auto drain = [&] {
    queues.for_each([&](SampleQueue& queue) { samples += empty(queue); });
    queues.remove_finished();
  };
  while (running.load() > 0) drain();
  for (std::thread& thread : threads) thread.join();
  drain();
  drain();
  CHECK(samples == std::size_t{kThreads} * kQueues);
  CHECK(count(queues) == 0);
}
