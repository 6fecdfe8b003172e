// SPDX-License-Identifier: Apache-2.0
// Trees of subtrees whose tasks run on many threads at once.
#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "foretask/granularity.hpp"
#include "thread_tasks.hpp"

using foretask_test::ThreadTasks;

TEST_CASE("trees on many threads count every leaf once") {
  const foretask::Kernel kernel("stressed subtrees", {"n"});
  constexpr int kTrees = 4;
  // Nearly every subtree makes a thread. A sanitizer takes a millisecond for each, and a call then reads all the
  // threads that ever were at once: thousands with eleven levels. 20,000 threads are as good for it as 250,000.
#ifdef FORETASK_HAS_SANITIZER
  constexpr int kRounds = 10;
  constexpr int kLevels = 9;
#else
  constexpr int kRounds = 30;
  constexpr int kLevels = 11;
#endif
  std::atomic<long> leaves{0};
  const std::function<void(int)> count = [&](int level) {
    if (level == 0) {
      leaves.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    foretask::invoke<ThreadTasks>(
        kernel, level, [&] { count(level - 1); }, [&] { count(level - 1); });
  };
  std::vector<std::thread> trees;
  for (int i = 0; i < kTrees; ++i)
    trees.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) count(kLevels);
    });
  for (std::thread& tree : trees) tree.join();
  CHECK(leaves == static_cast<long>(kTrees) * kRounds << kLevels);
}

TEST_CASE("loops whose parts are tasks on other threads") {
  const foretask::Kernel kernel("stressed parts", {"n"});
  std::atomic<long> parts{0};
  for (int round = 0; round < 200; ++round) {
    foretask::Subtree loop(kernel, nullptr, 100);
    ThreadTasks threads;
    for (int i = 0; i < 50; ++i) {
      const auto part = [&] {
        const foretask::Subtree self(kernel, &loop, 1);
        parts.fetch_add(1, std::memory_order_relaxed);
      };
      if (loop.spawn(1)) {
        threads.run(part);
      } else {
        part();
      }
    }
    if (loop.spawned()) threads.wait();
  }
  CHECK(parts == 200L * 50);
}
