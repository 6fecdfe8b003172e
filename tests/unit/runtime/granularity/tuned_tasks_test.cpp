// SPDX-License-Identifier: Apache-2.0
// Which of the program's tasks are run at once, told by a runtime that this test plays on one thread.
#include <cstdint>
#include <functional>
#include <vector>

#include "base/clock.hpp"
#include "catch.hpp"
#include "foretask/tune_hook.h"

#include <ctime>

namespace {

using foretask::base::ticks_now;

// A place in the code for each test.
template <int number>
void place() {}
template <int number>
foretask_tuned_code* code() {
  return foretask_tuned_code_at(reinterpret_cast<const void*>(&place<number>));
}

foretask_tuned_task* running() { return foretask_tuned_running ? foretask_tuned_running : foretask_tuned_root(); }

void spin_us(double us) {
  const std::int64_t end = foretask::base::monotonic_ns() + static_cast<std::int64_t>(1000 * us);
  while (foretask::base::monotonic_ns() < end) {
  }
}

// The running task makes one of `code` and waits for it. Whether it was run at once.
bool run_one(foretask_tuned_code* code, const std::function<void()>& body) {
  foretask_tuned_task* const creator = running();
  foretask_tuned_task task;
  if (foretask_tuned_calls(creator, code) != 0) {
    foretask_tuned_call(&task, creator, code);
    body();
    foretask_tuned_end(&task);
    return true;
  }
  foretask_tuned_ticket ticket{};
  foretask_tuned_make(creator, code, &ticket);
  foretask_tuned_made(creator);
  foretask_tuned_wait(0);
  foretask_tuned_begin(&task, &ticket);
  body();
  foretask_tuned_end(&task);
  return false;
}

int count_called(foretask_tuned_code* code, int tasks, const std::function<void()>& body) {
  int called = 0;
  for (int i = 0; i < tasks; ++i) called += run_one(code, body) ? 1 : 0;
  return called;
}

}  // namespace

TEST_CASE("the first sixteen tasks of a place go to the runtime, then short ones are run at once") {
  foretask_tuned_code* const small = code<1>();
  REQUIRE(small != nullptr);
  CHECK(code<1>() == small);
  CHECK(count_called(small, 16, [] {}) == 0);
  // All, but for some after one that another program interrupted.
  CHECK(count_called(small, 1000, [] {}) > 100);
}

TEST_CASE("tasks that take long go to the runtime") {
  foretask_tuned_code* const large = code<2>();
  CHECK(count_called(large, 60, [] { spin_us(3000); }) == 0);
}

TEST_CASE("a place whose task was seen to block stays with the runtime") {
  foretask_tuned_code* const sleeping = code<3>();
  int tasks = 0;
  CHECK(count_called(sleeping, 200, [&] {
          const timespec pause{0, 100'000};
          if (++tasks == 10) ::nanosleep(&pause, nullptr);
        }) == 0);
}

TEST_CASE("what a task's own tasks take is its subtree's, also where it ends before them") {
  foretask_tuned_code* const parent = code<4>();
  foretask_tuned_code* const part = code<5>();
  std::vector<foretask_tuned_ticket> tickets;
  int called = 0;
  for (int i = 0; i < 40; ++i) {
    called += run_one(parent,
                      [&] {
                        foretask_tuned_make(foretask_tuned_running, part, &tickets.emplace_back());
                        foretask_tuned_made(foretask_tuned_running);
                      })
                  ? 1
                  : 0;
    // It has ended. Its part is taken up now, and takes 3 ms.
    for (const foretask_tuned_ticket& ticket : tickets) {
      foretask_tuned_task task;
      foretask_tuned_begin(&task, &ticket);
      spin_us(3000);
      foretask_tuned_end(&task);
    }
    tickets.clear();
  }
  CHECK(called == 0);
}

TEST_CASE("tasks are found to be small by how deep they are") {
  foretask_tuned_code* const tree = code<6>();
  // Three levels, whose leaves take nothing: the inner ones take what they spin for.
  int leaves_called = 0;
  int inner_called = 0;
  for (int i = 0; i < 60; ++i) {
    inner_called += run_one(tree,
                            [&] {
                              spin_us(3000);
                              for (int j = 0; j < 4; ++j) leaves_called += run_one(tree, [] {}) ? 1 : 0;
                            })
                        ? 1
                        : 0;
  }
  CHECK(inner_called == 0);
  CHECK(leaves_called > 50);  // of 240, the first of all places aside
}

TEST_CASE("the running task is the one that was begun last, and its creator when that has ended") {
  foretask_tuned_code* const any = code<7>();
  foretask_tuned_task* const before = running();
  static_cast<void>(run_one(any, [&] {
    CHECK(foretask_tuned_running != before);
    CHECK(foretask_tuned_running->outer == before);
    CHECK(foretask_tuned_running->subtree.size == before->subtree.size + 1);
  }));
  CHECK(foretask_tuned_running == before);
}
