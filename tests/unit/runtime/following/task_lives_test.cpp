// SPDX-License-Identifier: Apache-2.0
// The state machine of tasks against a clock that the test sets, in the orders in which runtimes send what happens.
#include "runtime/following/task_lives.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"

namespace {

std::uint64_t time_now = 0;
std::vector<std::string> told;
bool sample_takes_time = false;

struct Task : foretask::runtime::LivingTask<Task> {
  explicit Task(std::string its_name) : name(std::move(its_name)) {}
  std::string name;
};

struct Clock {
  static std::uint64_t now() { return time_now; }
};

struct Sinks {
  static void on(const Task& task, std::uint64_t now, bool is_first) {
    if (is_first) told.push_back("begin " + task.name);
    told.push_back("on " + task.name + " " + std::to_string(now));
  }
  static void off(const Task& task, std::uint64_t ran) {
    told.push_back("off " + task.name + " " + std::to_string(ran));
  }
  static bool end(const Task& task) {
    told.push_back("end " + task.name);
    if (sample_takes_time) time_now += 100;
    return sample_takes_time;
  }
  static void share_end(const Task& share) { told.push_back("share " + share.name); }
};

using Lives = foretask::runtime::TaskLives<Task, Clock, Sinks>;
using Told = std::vector<std::string>;

// What was told since the last call.
Told take() { return std::exchange(told, {}); }

struct Fresh {
  Fresh() {
    time_now = 0;
    told.clear();
    sample_takes_time = false;
  }
};

}  // namespace

TEST_CASE("a task has the time between its begin and its end") {
  const Fresh fresh;
  Lives thread;
  Task a("a");
  time_now = 10;
  thread.change(&a);
  time_now = 30;
  thread.end(&a, nullptr);
  CHECK(take() == Told{"begin a", "on a 10", "off a 20", "end a"});
  CHECK(a.ticks == 20);
  CHECK(thread.running() == nullptr);
}

TEST_CASE("what a sink takes at a task's end is nobody's time") {
  const Fresh fresh;
  Lives thread;
  Task a("a");
  Task b("b");
  thread.change(&a);
  time_now = 5;
  thread.change(&b);
  time_now = 8;
  sample_takes_time = true;
  thread.end(&b, &a);
  sample_takes_time = false;
  time_now = 110;
  thread.end(&a, nullptr);
  CHECK(b.ticks == 3);
  CHECK(a.ticks == 5 + 2);
}

TEST_CASE("a task that runs within another has its time, and begins once however often it goes on") {
  const Fresh fresh;
  Lives thread;
  Task a("a");
  Task b("b");
  thread.change(&a);
  time_now = 10;
  thread.change(&b);
  time_now = 25;
  thread.change(&a);  // b yields
  time_now = 30;
  thread.change(&b);
  time_now = 31;
  thread.end(&b, &a);
  time_now = 40;
  thread.end(&a, nullptr);
  CHECK(a.ticks == 10 + 5 + 9);
  CHECK(b.ticks == 15 + 1);
  CHECK(take() == Told{"begin a", "on a 0", "off a 10", "begin b", "on b 10", "off b 15", "on a 25", "off a 5",
                       "on b 30", "off b 1", "end b", "on a 31", "off a 9", "end a"});
}

TEST_CASE("a waiting task has no time, whatever runs meanwhile, and waits nest") {
  const Fresh fresh;
  Lives thread;
  Task a("a");
  Task b("b");
  thread.change(&a);
  time_now = 5;
  thread.begin_wait();  // for its children
  thread.begin_wait();  // a lock in there
  time_now = 8;
  thread.change(&b);
  time_now = 12;
  thread.end(&b, &a);
  time_now = 15;
  thread.end_wait();
  time_now = 20;
  thread.end_wait();
  time_now = 30;
  thread.end(&a, nullptr);
  CHECK(a.ticks == 5 + 10);
  CHECK(b.ticks == 4);
}

TEST_CASE("waits that no task is in, and ends of waits that never began, change nothing") {
  const Fresh fresh;
  Lives thread;
  thread.begin_wait();
  thread.end_wait();
  Task a("a");
  thread.change(&a);
  thread.end_wait();
  time_now = 4;
  thread.end(&a, nullptr);
  CHECK(a.ticks == 4);
  CHECK(a.waits == 0);
}

TEST_CASE("a task that ends in a wait has the time before it") {
  const Fresh fresh;
  Lives thread;
  Task a("a");
  thread.change(&a);
  time_now = 3;
  thread.begin_wait();
  time_now = 9;
  thread.end(&a, nullptr);
  CHECK(a.ticks == 3);
  CHECK(take() == Told{"begin a", "on a 0", "off a 3", "end a"});
}

TEST_CASE("a task that moves to another thread begins once and has the time of both") {
  const Fresh fresh;
  Lives first;
  Lives second;
  Task a("a");
  Task b("b");
  first.change(&a);
  time_now = 7;
  first.change(&b);  // a is suspended
  time_now = 20;
  second.change(&a);
  time_now = 22;
  second.end(&a, nullptr);
  first.end(&b, nullptr);
  CHECK(a.ticks == 7 + 2);
  CHECK(b.ticks == 15);
  CHECK(take() ==
        Told{"begin a", "on a 0", "off a 7", "begin b", "on b 7", "on a 20", "off a 2", "end a", "off b 15", "end b"});
}

TEST_CASE("a task that goes on elsewhere in the middle of a wait still waits there") {
  const Fresh fresh;
  Lives first;
  Lives second;
  Task a("a");
  first.change(&a);
  time_now = 2;
  first.begin_wait();
  first.change(nullptr);
  time_now = 10;
  second.change(&a);
  time_now = 12;
  second.end_wait();
  time_now = 15;
  second.end(&a, nullptr);
  CHECK(a.ticks == 2 + 3);
}

TEST_CASE("a task that is discarded before it begins says nothing, and one that runs stops") {
  const Fresh fresh;
  Lives thread;
  Task a("a");
  Task b("b");
  thread.change(&a);
  thread.discard(&b, &a);
  CHECK(take() == Told{"begin a", "on a 0"});
  CHECK(!b.is_begun);
  time_now = 6;
  thread.change(&b);
  time_now = 9;
  thread.discard(&b, &a);
  CHECK(take() == Told{"off a 6", "begin b", "on b 6", "off b 3", "on a 9"});
  CHECK(thread.running() == &a);
}

TEST_CASE("a task whose event comes later is over with its body") {
  const Fresh fresh;
  Lives thread;
  Task a("a");
  Task b("b");
  thread.change(&a);
  time_now = 4;
  thread.change(&b);
  time_now = 6;
  thread.end(&b, &a);  // its body
  static_cast<void>(take());
  time_now = 8;
  thread.discard(&b, nullptr);  // its event
  CHECK(take().empty());
  CHECK(thread.running() == &a);
}

TEST_CASE("a thread's part in a region interrupts what it ran, and a share of a loop its part") {
  const Fresh fresh;
  Lives thread;
  Task serial("serial");
  Task region("region");
  Task share("share");
  thread.stop_for_region();
  thread.enter(&serial, time_now);
  time_now = 10;
  thread.begin_wait();  // for the region
  time_now = 11;
  thread.stop_for_region();
  thread.enter(&region, time_now);
  time_now = 20;
  thread.begin_share(&region, [&] { return &share; });
  time_now = 50;
  thread.end_share(&region);
  time_now = 53;
  thread.leave(&region);
  time_now = 60;
  thread.end_wait();
  time_now = 62;
  thread.leave(&serial);
  CHECK(serial.ticks == 10 + 2);
  CHECK(region.ticks == 9 + 3);
  CHECK(share.ticks == 30);
  CHECK(take() == Told{"begin serial", "on serial 0", "off serial 10", "begin region", "on region 11", "off region 9",
                       "on share 20", "off share 30", "share share", "on region 50", "off region 3", "end region",
                       "on serial 60", "off serial 2", "end serial"});
}

TEST_CASE("a task in a share of a loop has its own time, and the share goes on after it") {
  const Fresh fresh;
  Lives thread;
  Task region("region");
  Task share("share");
  Task a("a");
  thread.enter(&region, 0);
  thread.begin_share(&region, [&] { return &share; });
  time_now = 10;
  thread.change(&a);
  time_now = 14;
  thread.end(&a, &region);
  CHECK(thread.running() == &share);
  time_now = 20;
  thread.end_share(&region);
  CHECK(share.ticks == 10 + 6);
  CHECK(a.ticks == 4);
  CHECK(region.ticks == 0);
}

TEST_CASE("a share whose end is not seen is over with the next one, or with the region") {
  const Fresh fresh;
  Lives thread;
  Task region("region");
  Task first("first");
  Task second("second");
  thread.enter(&region, 0);
  thread.begin_share(&region, [&] { return &first; });
  time_now = 5;
  thread.begin_share(&region, [&] { return &second; });
  time_now = 9;
  thread.leave(&region);
  CHECK(first.ticks == 5);
  CHECK(second.ticks == 4);
  CHECK(region.ticks == 0);
  CHECK(thread.running() == nullptr);
}

TEST_CASE("a loop of no kernel is the region's own time") {
  const Fresh fresh;
  Lives thread;
  Task region("region");
  thread.enter(&region, 0);
  thread.begin_share(&region, []() -> Task* { return nullptr; });
  time_now = 5;
  thread.end_share(&region);
  time_now = 6;
  thread.leave(&region);
  CHECK(region.ticks == 6);
}

TEST_CASE("a region that another task runs in the meantime is left without stopping that") {
  const Fresh fresh;
  Lives thread;
  Task region("region");
  Task a("a");
  thread.enter(&region, 0);
  time_now = 2;
  thread.change(&a);
  time_now = 5;
  thread.leave(&region);  // exit() in a task
  CHECK(thread.running() == &a);
  time_now = 6;
  thread.end(&a, nullptr);
  CHECK(region.ticks == 2);
  CHECK(a.ticks == 4);
}

// Each tick is whose code the threads run then, by what was said last of each: counted tick by tick, without intervals.
TEST_CASE("in any order each tick is one task's, and begins and ends are in pairs") {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    const Fresh fresh;
    std::mt19937 random(seed);
    const auto below = [&random](std::size_t count) { return random() % count; };
    std::vector<Lives> threads(3);
    std::vector<Task*> on(threads.size(), nullptr);  // what each was told to run
    std::vector<Task> tasks;
    tasks.reserve(20);
    for (int i = 0; i < 20; ++i) tasks.emplace_back("t" + std::to_string(i));
    std::vector<bool> is_over(tasks.size(), false);
    std::map<const Task*, std::uint64_t> expected;
    for (int step = 0; step < 400; ++step) {
      const std::uint64_t ticks = below(5);
      for (Task* const task : on)
        if (task && task->waits == 0) expected[task] += ticks;
      time_now += ticks;
      const std::size_t which = below(threads.size());
      Lives& thread = threads[which];
      Task* const old = on[which];
      Task* next = &tasks[below(tasks.size())];
      const bool is_free =
          !is_over[static_cast<std::size_t>(next - tasks.data())] && std::find(on.begin(), on.end(), next) == on.end();
      if (!is_free) next = nullptr;
      switch (below(5)) {
        case 0:
        case 1:
          thread.change(next);
          on[which] = next;
          break;
        case 2:
          if (!old) break;
          thread.end(old, next);
          is_over[static_cast<std::size_t>(old - tasks.data())] = true;
          on[which] = next;
          break;
        case 3:
          thread.begin_wait();
          break;
        default:
          thread.end_wait();
      }
      REQUIRE(thread.running() == on[which]);
    }
    for (std::size_t i = 0; i < threads.size(); ++i) threads[i].change(nullptr);
    std::map<std::string, int> begins;
    std::map<std::string, int> ends;
    for (const std::string& line : told) {
      if (line.starts_with("begin ")) ++begins[line.substr(6)];
      if (line.starts_with("end ")) ++ends[line.substr(4)];
    }
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      CHECK(tasks[i].ticks == expected[&tasks[i]]);
      CHECK(begins[tasks[i].name] <= 1);
      CHECK(ends[tasks[i].name] == (is_over[i] ? 1 : 0));
    }
  }
}
