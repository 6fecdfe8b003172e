// SPDX-License-Identifier: Apache-2.0
// Runs of one kernel that many threads begin and end at once, within each other as well.
#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "foretask/threads.hpp"

TEST_CASE("many threads choose numbers of threads for one kernel at once") {
  const foretask::Kernel kernel("stressed threads", {"n", "threads"});
  constexpr int kThreads = 8;
  constexpr int kRuns = 20'000;
  std::atomic<long> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] {
      for (int run = 0; run < kRuns; ++run) {
        const int max = 1 + (run + i) % 9;
        const foretask::Threads outer(kernel, max, run % 50);
        const foretask::Threads inner(kernel, 2, 7 * run);
        const int asked = foretask::best_threads(kernel, max, run % 50);
        const auto is_wrong = [](int count, int most) { return count < 1 || count > most; };
        if (is_wrong(outer.count(), max) || is_wrong(inner.count(), 2) || is_wrong(asked, max)) ++wrong;
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}
