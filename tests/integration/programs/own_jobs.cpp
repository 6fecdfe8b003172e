// SPDX-License-Identifier: Apache-2.0
// Jobs on threads of the program's own, each a scope: COUNT of MS milliseconds asleep on WORKERS threads, in ROUNDS
// rounds with 20 ms between them. The first thread has a scope of its own at the end.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include "foretask/foretask.hpp"

namespace {

void sleep_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  const int workers = std::atoi(argv[1]);
  const int count = std::atoi(argv[2]);
  const int ms = std::atoi(argv[3]);
  const int rounds = std::atoi(argv[4]);
  const foretask::Kernel job("job", {"ms"});
  const foretask::Kernel last("last", {"ms", "rest"});
  std::atomic<int> round{0};
  std::atomic<int> taken{0};
  std::atomic<int> done{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < workers; ++i)
    threads.emplace_back([&] {
      for (int own = 1; own <= rounds; ++own) {
        while (round.load() < own) sleep_ms(1);
        while (taken.fetch_add(1) < own * count) {
          auto scope = job.scope(ms);
          const auto inner = last.scope(0, 0);  // within a task: a sample
          sleep_ms(ms);
          static_cast<void>(scope.end());
          ++done;
        }
        --taken;
      }
    });
  for (int own = 1; own <= rounds; ++own) {
    ++round;
    while (done.load() < own * count) sleep_ms(1);
    sleep_ms(20);
  }
  for (std::thread& thread : threads) thread.join();
  auto scope = last.scope(30);
  sleep_ms(30);
  return scope.end(4) == FORETASK_BAD_ARGUMENT ? 1 : 0;
}
