// SPDX-License-Identifier: Apache-2.0
// oneTBB programs whose tasks can be counted by hand: tasks HOW THREADS. Prints how many bodies ran.
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_for_each.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <forward_list>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

using Range = tbb::blocked_range<int>;
using tbb::simple_partitioner;
using tbb::task_arena;
using tbb::task_group;

namespace {

std::atomic<long> bodies{0};

void work(int us = 20) {
  ++bodies;
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(us);
  while (std::chrono::steady_clock::now() < end) {
  }
}

long fib_tasks(int n) {
  if (n < 2) return n;
  long first = 0;
  long second = 0;
  task_group group;
  group.run([&first, n] { first = fib_tasks(n - 1); });    // first
  group.run([&second, n] { second = fib_tasks(n - 2); });  // second
  group.wait();
  return first + second;
}

void fib() { bodies = fib_tasks(15); }
void simple_loop() {
  tbb::parallel_for(
      Range(0, 64, 1), [](const Range& range) { work(range.end() - range.begin()); }, simple_partitioner());  // loop
}

void reduction() {
  bodies = tbb::parallel_reduce(
      Range(0, 32, 1), 0, [](const Range& range, int sum) { return sum + range.begin(); }, std::plus<int>(),
      simple_partitioner());
}

void plain() { work(); }
void invoke() { tbb::parallel_invoke(plain, plain, plain, plain, plain, plain); }

template <typename Items>
void feed_from(const Items& items) {
  tbb::parallel_for_each(items.begin(), items.end(), [](int depth, tbb::feeder<int>& feeder) {
    work();
    if (depth > 0) feeder.add(depth - 1);
  });
}

void feed() { feed_from(std::forward_list<int>(10, 3)); }
void feed_array() { feed_from(std::vector<int>(10, 3)); }

void throws() {
  try {
    task_group group;
    for (int i = 0; i < 6; ++i)
      group.run([i] {
        work();
        if (i == 3) throw i;
      });
    group.wait();
  } catch (int) {
    bodies = 1000;
  }
}

void cancels() {
  task_group group;
  for (int i = 0; i < 200; ++i)
    group.run([&group] {
      work();
      group.cancel();
    });
  group.wait();
}

// One after the other in the same memory, each a task of another class.
void reuses() {
  for (int i = 0; i < 500; ++i) {
    task_group group;
    group.run([] { work(0); });
    group.wait();
    group.run_and_wait([] { work(0); });
  }
}

void two_groups() {
  task_group one;
  task_group two;
  for (int i = 0; i < 4; ++i) {
    one.run([] { work(); });
    two.run([] { work(); });
  }
  one.wait();
  two.wait();
}

// Tasks of loops add tasks to a group around them.
void outer_group() {
  task_group group;
  group.run(plain);
  tbb::parallel_for(
      Range(0, 8, 1), [&group](const Range&) { group.run(plain); }, simple_partitioner());
  group.wait();
}

void groups_in_loop() {
  tbb::parallel_for(
      Range(0, 50, 1),
      [](const Range&) {
        task_group group;
        for (int i = 0; i < 5; ++i) group.run([] { work(1); });
        group.wait();
      },
      simple_partitioner());
}

void foreign() {
  task_group group;
  std::thread other([&group] {
    for (int i = 0; i < 3; ++i) group.run(plain);
  });
  other.join();
  group.wait();
}

void masters() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([] {
      const auto body = [](const Range&) { work(); };  // nested loop
      tbb::parallel_for(Range(0, 8, 1), body, simple_partitioner());
    });
  for (std::thread& thread : threads) thread.join();
}

// More threads than the arena has room for: some of its calls run as tasks of others.
void full_arena() {
  task_arena arena(2);
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i)
    threads.emplace_back([&arena] {
      for (int k = 0; k < 5; ++k)
        arena.execute([] {
          work(500);
          tbb::parallel_for(
              Range(0, 8, 1), [](const Range&) { work(); }, simple_partitioner());
        });
    });
  for (std::thread& thread : threads) thread.join();
}

void nested_arenas() {
  task_arena outer(2);
  task_arena inner(1);
  outer.execute([&inner] {
    task_group group;
    for (int i = 0; i < 3; ++i) group.run(plain);
    inner.execute([] {
      tbb::parallel_for(
          Range(0, 4, 1), [](const Range&) { work(); }, simple_partitioner());
    });
    group.wait();
  });
}

void enqueues() {
  task_arena arena(2);
  std::atomic<int> done{0};
  for (int i = 0; i < 4; ++i)
    arena.enqueue([&done] {
      work();
      ++done;
    });
  while (done < 4) std::this_thread::yield();
}

void sleeps() {
  tbb::parallel_for(
      Range(0, 32, 1), [](const Range&) { std::this_thread::sleep_for(std::chrono::milliseconds(5)); },
      simple_partitioner());
}

void collector() {
  std::printf("%s\n", std::getenv("INTEL_LIBITTNOTIFY64"));
  tbb::parallel_for(0, 1, [](int) { work(); });
}

void exits() {
  task_group group;
  group.run([] {
    work();
    std::printf("%ld\n", bodies.load());
    std::exit(3);
  });
  group.wait();
}

void dies() {
  task_group group;
  for (int i = 0; i < 100; ++i)
    group.run([i] {
      work();
      if (i == 50) kill(getpid(), SIGKILL);
    });
  group.wait();
}

void forks() {
  simple_loop();
  const pid_t child = fork();
  if (child == 0) {
    task_arena arena(1);
    arena.execute([] {
      task_group group;
      group.run(plain);
      group.wait();
    });
    _exit(bodies == 65 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) bodies = -1;
}

void suspends() {
  std::thread other;
  task_group group;
  for (int i = 0; i < 3; ++i)
    group.run([&other, i] {
      work();
      if (i == 1)
        tbb::task::suspend(
            [&other](tbb::task::suspend_point point) { other = std::thread([point] { tbb::task::resume(point); }); });
    });
  group.wait();
  other.join();
}

// Each of 40 tasks suspends itself, waits for a group of its own before and after, and is resumed by a task of another
// group: 40 + 40 * 4 tasks, and 40 that resume. Their stacks go from thread to thread.
void suspends_many() {
  std::atomic<long> after{0};
  task_group resumers;
  task_group group;
  for (int i = 0; i < 40; ++i)
    group.run([&] {
      const auto two = [] {
        task_group inner;
        inner.run([] { work(5); });
        inner.run([] { work(5); });
        inner.wait();
      };
      two();
      tbb::task::suspend([&](tbb::task::suspend_point point) {
        resumers.run([point] {
          work(5);
          tbb::task::resume(point);
        });
      });
      two();
      ++after;
    });
  group.wait();
  resumers.wait();
  if (after != 40) bodies = -1;
}

// A task that comes after the one that resumes it, 20 ms later.
void resumed_late() {
  task_group group;
  group.run([] {
    tbb::task::suspend([](tbb::task::suspend_point point) {
      std::thread([point] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        tbb::task::resume(point);
      }).detach();
    });
    work();
  });
  group.wait();
}

// One object, which spawns itself anew while it runs: another thread may begin it before that.
void respawns() {
  struct Again : tbb::detail::d1::task {
    tbb::detail::d1::wait_context& counter;
    tbb::task_group_context& context;
    int left = 200;
    Again(tbb::detail::d1::wait_context& of, tbb::task_group_context& in) : counter(of), context(in) {}
    tbb::detail::d1::task* execute(tbb::detail::d1::execution_data&) override {
      work(2);
      if (--left > 0)
        tbb::detail::d1::spawn(*this, context);
      else
        counter.release();
      return nullptr;
    }
    tbb::detail::d1::task* cancel(tbb::detail::d1::execution_data&) override { return nullptr; }
  };
  tbb::task_group_context context;
  tbb::detail::d1::wait_context counter(1);
  Again again(counter, context);
  tbb::detail::d1::spawn(again, context);
  tbb::detail::d1::wait(counter, context);
}

// Tasks that are mailed to threads, which may be done before their creator comes back from spawn: 100 loops, each a
// root and a task for every split.
void mailed() {
  tbb::affinity_partitioner partitioner;
  for (int i = 0; i < 100; ++i)
    tbb::parallel_for(
        Range(0, 8, 1), [](const Range&) { work(0); }, partitioner);
}

// What one task has spawned, another one waits for.
void waits_elsewhere() {
  task_group inner;
  std::atomic<bool> is_spawned{false};
  task_group group;
  group.run([&] {
    for (int i = 0; i < 3; ++i) inner.run([] { work(100); });
    is_spawned = true;
  });
  group.run([&] {
    while (!is_spawned) std::this_thread::yield();
    inner.wait();
    work();
  });
  group.wait();
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, void (*)()> all{{"fib", fib},
                                              {"simple_loop", simple_loop},
                                              {"reduction", reduction},
                                              {"invoke", invoke},
                                              {"feed", feed},
                                              {"feed_array", feed_array},
                                              {"throws", throws},
                                              {"cancels", cancels},
                                              {"reuses", reuses},
                                              {"two_groups", two_groups},
                                              {"outer_group", outer_group},
                                              {"groups_in_loop", groups_in_loop},
                                              {"foreign", foreign},
                                              {"masters", masters},
                                              {"full_arena", full_arena},
                                              {"nested_arenas", nested_arenas},
                                              {"enqueues", enqueues},
                                              {"exits", exits},
                                              {"dies", dies},
                                              {"forks", forks},
                                              {"suspends", suspends},
                                              {"suspends_many", suspends_many},
                                              {"resumed_late", resumed_late},
                                              {"respawns", respawns},
                                              {"mailed", mailed},
                                              {"waits_elsewhere", waits_elsewhere},
                                              {"sleeps", sleeps},
                                              {"collector", collector}};
  const auto found = argc == 3 ? all.find(argv[1]) : all.end();
  if (found == all.end()) return 2;
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(std::stoi(argv[2])));
  found->second();
  std::printf("%ld\n", bodies.load());
  return 0;
}
