// SPDX-License-Identifier: Apache-2.0
// What a thread of foretask's own has of the thread that starts it: nothing.
#include "base/quiet_thread.hpp"

#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <thread>

#include "catch.hpp"
#include "skip.hpp"

using foretask::base::start_quiet_thread;

namespace {

struct Seen {
  int policy = -1;
  cpu_set_t processors{};
  bool holds_signals = false;
};

void* look(void* argument) {
  auto& seen = *static_cast<Seen*>(argument);
  seen.policy = sched_getscheduler(0);
  sched_getaffinity(0, sizeof seen.processors, &seen.processors);
  sigset_t held;
  pthread_sigmask(SIG_SETMASK, nullptr, &held);
  seen.holds_signals = sigismember(&held, SIGTERM) == 1;
  return nullptr;
}

// From a thread of its own, which `prepare` binds or gives a priority.
template <typename Prepare>
Seen start_from(const Prepare& prepare, bool& is_prepared) {
  Seen seen;
  std::thread([&] {
    is_prepared = prepare();
    pthread_t thread{};
    if (!start_quiet_thread(thread, look, &seen, "quiet-test")) return;
    pthread_join(thread, nullptr);
  }).join();
  return seen;
}

}  // namespace

TEST_CASE("a quiet thread runs on the process's processors, though its starter is bound to one") {
  cpu_set_t all;
  REQUIRE(sched_getaffinity(getpid(), sizeof all, &all) == 0);
  if (CPU_COUNT(&all) < 2) FORETASK_SKIP("one processor");
  bool is_bound = false;
  const Seen seen = start_from(
      [&] {
        int first = 0;
        while (!CPU_ISSET(first, &all)) ++first;
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(first, &one);
        return sched_setaffinity(0, sizeof one, &one) == 0;
      },
      is_bound);
  REQUIRE(is_bound);
  CHECK(CPU_EQUAL(&seen.processors, &all));
  CHECK(seen.holds_signals);
}

TEST_CASE("a quiet thread has the usual scheduling, though its starter has a real-time priority") {
  bool is_real_time = false;
  const Seen seen = start_from(
      [] {
        sched_param priority{};
        priority.sched_priority = 1;
        return sched_setscheduler(0, SCHED_FIFO, &priority) == 0;
      },
      is_real_time);
  if (!is_real_time) FORETASK_SKIP("no real-time priority to be had here");
  CHECK(seen.policy == SCHED_OTHER);
}
