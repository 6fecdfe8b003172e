// SPDX-License-Identifier: Apache-2.0
// What subtrees have taken, against the test's own readings of the clock: bounds that hold however long a thread is
// kept waiting. The tasks are threads.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <limits>
#include <stdexcept>
#include <thread>

#include "base/clock.hpp"
#include "catch.hpp"
#include "foretask/granularity.hpp"
#include "runtime/granularity/work_table.hpp"
#include "runtime/kernels/kernel_registry.hpp"
#include "thread_tasks.hpp"

using foretask::Kernel;
using foretask::Subtree;
using foretask::base::Ticks;
using foretask::base::ticks_now;
using foretask_test::ThreadTasks;

namespace {

void sleep_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

Ticks mean_of(const Kernel& kernel, double size) {
  const auto* const works = kernel.get()->works.load();
  return works ? works->mean(size) : 0;
}

// What is known of a size, without a subtree of it.
void teach(const Kernel& kernel, double size, Ticks ticks) {
  { const Subtree first(kernel, nullptr, 1e9); }
  for (int i = 0; i < 100; ++i) kernel.get()->works.load()->add(size, ticks);
}

constexpr Ticks kSmall = 10;
constexpr Ticks kLarge = 1'000'000'000;

}  // namespace

TEST_CASE("a subtree's work is its own and its parts', on all threads, without waits") {
  const Kernel kernel("subtree work", {"n"});
  Ticks own = 0;
  Ticks called = 0;
  Ticks in_task = 0;
  const Ticks begin = ticks_now();
  {
    Subtree root(kernel, nullptr, 1000);
    REQUIRE(root.spawn());
    std::atomic<bool> has_begun{false};
    std::thread task([&] {
      const Ticks task_begin = ticks_now();
      {
        const Subtree part(kernel, &root, 500);
        has_begun = true;
        sleep_ms(60);
      }
      in_task = ticks_now() - task_begin;
    });
    while (!has_begun) std::this_thread::yield();
    const Ticks call_begin = ticks_now();
    {
      const Subtree part(kernel, &root, 300);
      sleep_ms(10);
    }
    called = ticks_now() - call_begin;
    REQUIRE(root.spawned());
    own = ticks_now() - begin;
    task.join();
    const Ticks after = ticks_now();
    sleep_ms(10);
    own += ticks_now() - after;
  }
  const Ticks ms = mean_of(kernel, 300) / 10;
  CHECK(mean_of(kernel, 500) <= in_task);
  CHECK(mean_of(kernel, 500) > mean_of(kernel, 300));
  // Own time up to the wait (the called part is within it) and after it, and the task; not the wait.
  CHECK(mean_of(kernel, 1000) >= mean_of(kernel, 500) + mean_of(kernel, 300));
  CHECK(mean_of(kernel, 1000) <= own + in_task + (called / 2) + 20 * ms);
}

TEST_CASE("parts are counted once, however deep") {
  const Kernel kernel("subtree depth", {"n"});
  const Ticks begin = ticks_now();
  {
    const std::function<void(int, Subtree*)> down = [&](int level, Subtree* parent) {
      Subtree self(kernel, parent, level);
      sleep_ms(2);
      if (level == 1) return;
      REQUIRE(self.spawn());  // the part is called all the same: a runtime may do that
      down(level - 1, &self);
      static_cast<void>(self.spawned());
    };
    down(4, nullptr);
  }
  const Ticks all = ticks_now() - begin;
  CHECK(mean_of(kernel, 4) <= all);
  CHECK(mean_of(kernel, 4) > mean_of(kernel, 3));
  CHECK(mean_of(kernel, 3) > mean_of(kernel, 2));
  CHECK(mean_of(kernel, 2) > mean_of(kernel, 1));
}

TEST_CASE("what is known to be small is called, what is known to be large becomes tasks") {
  const Kernel kernel("subtree sizes", {"n"});
  teach(kernel, 10, kSmall);
  teach(kernel, 1000, kLarge);
  {
    Subtree small(kernel, nullptr, 10);
    CHECK(small.is_small());
    CHECK_FALSE(small.spawn());
    CHECK_FALSE(small.spawned());
    // Within plain calls nothing is asked, but where this thread was kept waiting between two of them.
    bool is_called = false;
    for (int i = 0; i < 100 && !is_called; ++i) {
      Subtree part(kernel, &small, 1000);
      is_called = !part.spawn();
      static_cast<void>(part.spawned());
    }
    CHECK(is_called);
  }
  {
    Subtree large(kernel, nullptr, 1000);
    CHECK_FALSE(large.is_small());
    CHECK(large.spawn());
    CHECK(large.spawned());
    CHECK_FALSE(large.spawned());
  }
  Subtree unknown(kernel, nullptr, 77);
  CHECK_FALSE(unknown.is_small());
  CHECK(unknown.spawn());
}

TEST_CASE("what was learned before is known at once") {
  REQUIRE(setenv("FORETASK_HOME", "/dev/null/nowhere", 1) == 0);  // nothing is to be kept
  REQUIRE(foretask_learning_start() == FORETASK_OK);
  const Kernel kernel("subtree learned", {"n"});
  for (int i = 0; i < 100; ++i) {
    REQUIRE(kernel.learn(20.0, 8) == FORETASK_OK);
    REQUIRE(kernel.learn(1e9, 4096) == FORETASK_OK);
  }
  REQUIRE(foretask_flush(10'000) == FORETASK_OK);
  {
    Subtree small(kernel, nullptr, 8);
    CHECK(small.is_small());
  }
  const Subtree large(kernel, nullptr, 4096);
  CHECK_FALSE(large.is_small());
  // And what subtrees take is learned: the small one above.
  REQUIRE(foretask_flush(10'000) == FORETASK_OK);
  CHECK(kernel.predict(8)->samples == 201);
}

TEST_CASE("parts may have sizes of their own") {
  const Kernel kernel("subtree parts", {"n"});
  teach(kernel, 1000, kLarge);
  teach(kernel, 900, kLarge);
  teach(kernel, 100, kSmall);
  Subtree self(kernel, nullptr, 1000);
  CHECK(self.spawn(900));
  CHECK_FALSE(self.spawn(100));
  CHECK(self.spawned());
}

TEST_CASE("four tasks that nobody has taken up are enough") {
  const Kernel kernel("subtree room", {"n"});
  teach(kernel, 1000, kLarge);
  Subtree root(kernel, nullptr, 1000);
  for (int i = 0; i < 4; ++i) CHECK(root.spawn());
  CHECK_FALSE(root.spawn());
  std::thread([&] { const Subtree part(kernel, &root, 1000); }).join();
  CHECK(root.spawn());
  CHECK(root.spawned());
}

TEST_CASE("what takes much longer than was promised makes tasks again") {
  const Kernel kernel("subtree overdue", {"n"});
  teach(kernel, 10, kSmall);
  Subtree root(kernel, nullptr, 10);
  REQUIRE_FALSE(root.spawn());
  bool spawned = false;
  for (int i = 0; i < 1000 && !spawned; ++i) {
    { const Subtree part(kernel, &root, 10); }
    sleep_ms(5);
    spawned = root.spawn();
  }
  CHECK(spawned);
  CHECK(root.spawned());
}

TEST_CASE("without tasks that run, a tree of many parts makes few of them") {
  const Kernel kernel("subtree alone", {"n"});
  long asked = 0;
  long made = 0;
  const std::function<void(int, Subtree*)> down = [&](int level, Subtree* parent) {
    Subtree self(kernel, parent, level);
    if (level == 0) return;
    ++asked;
    made += self.spawn() ? 1 : 0;
    down(level - 1, &self);
    down(level - 1, &self);
    static_cast<void>(self.spawned());
  };
  down(18, nullptr);
  CHECK(asked == (1 << 18) - 1);
  CHECK(made < asked / 20);
}

TEST_CASE("sizes that are none make tasks, and nothing is learned") {
  const Kernel kernel("subtree no size", {"n"});
  for (const double size : {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Subtree self(kernel, nullptr, size);
    CHECK_FALSE(self.is_small());
    CHECK(self.spawn());
    CHECK(self.spawned());
  }
  CHECK(mean_of(kernel, 1) == 0);
}

TEST_CASE("a kernel that could not be defined makes tasks") {
  const Kernel none("");
  REQUIRE_FALSE(none);
  Subtree self(none, nullptr, 10);
  CHECK(self.spawn());
  CHECK(self.spawned());
}

TEST_CASE("a part that ends after its parent is survived") {
  const Kernel kernel("subtree orphan", {"n"});
  auto* const parent = new Subtree(kernel, nullptr, 1000);
  REQUIRE(parent->spawn());
  std::atomic<bool> has_begun{false};
  std::atomic<bool> is_gone{false};
  std::thread task([&] {
    const Subtree part(kernel, parent, 500);
    has_begun = true;
    while (!is_gone) std::this_thread::yield();
  });
  while (!has_begun) std::this_thread::yield();
  delete parent;
  is_gone = true;
  task.join();
  Subtree next(kernel, nullptr, 2000);
  CHECK(next.spawn());
  CHECK(next.spawned());
}

TEST_CASE("exceptions end subtrees") {
  const Kernel kernel("subtree exception", {"n"});
  Subtree root(kernel, nullptr, 1000);
  const auto thrower = [&] {
    Subtree part(kernel, &root, 500);
    Subtree deeper(kernel, &part, 250);
    throw std::runtime_error("thrown");
  };
  CHECK_THROWS_AS(thrower(), std::runtime_error);
  CHECK(mean_of(kernel, 500) > 0);
  CHECK(mean_of(kernel, 250) > 0);
  CHECK(root.spawn());
  CHECK(root.spawned());
}

TEST_CASE("a subtree may end on another thread than it began on") {
  const Kernel kernel("subtree moved", {"n"});
  foretask_subtree moved;
  std::thread([&] { foretask_subtree_begin(&moved, kernel.get(), nullptr, 50, 1); }).join();
  std::thread([&] {
    CHECK(foretask_subtree_spawn(&moved) == 1);
    static_cast<void>(foretask_subtree_spawned(&moved));
    foretask_subtree_end(&moved);
  }).join();
  CHECK(mean_of(kernel, 50) > 0);
}

TEST_CASE("invoke() calls both parts once, in tasks or not") {
  const Kernel kernel("subtree invoke", {"n"});
  std::atomic<long> leaves{0};
  const std::function<void(int)> count = [&](int level) {
    if (level == 0) {
      ++leaves;
      return;
    }
    foretask::invoke<ThreadTasks>(
        kernel, level, [&] { count(level - 1); }, [&] { count(level - 1); });
  };
  for (int round = 0; round < 20; ++round) count(10);
  CHECK(leaves == 20L << 10);
}

TEST_CASE("invoke() waits for the first part when the second one throws") {
  const Kernel kernel("subtree invoke throws", {"n"});
  std::atomic<bool> has_ended{false};
  const auto thrower = [&] {
    foretask::invoke<ThreadTasks>(
        kernel, 10,
        [&] {
          sleep_ms(20);
          has_ended = true;
        },
        [] { throw std::runtime_error("thrown"); });
  };
  CHECK_THROWS_AS(thrower(), std::runtime_error);
  CHECK(has_ended);
}

// Run with FORETASK=off, in a process of its own (tests/CMakeLists.txt).
TEST_CASE("off, parts become tasks as the program says", "[.][subtrees off]") {
  REQUIRE(std::getenv("FORETASK") != nullptr);
  const Kernel kernel("subtree off", {"n"});
  for (const bool by_default : {true, false}) {
    Subtree root(kernel, nullptr, 1000, by_default);
    CHECK(root.spawn() == by_default);
    CHECK(root.spawned() == by_default);
    CHECK(root.is_small() == !by_default);
    Subtree part(kernel, &root, 500, by_default);
    CHECK(part.spawn() == by_default);
    CHECK(part.spawned() == by_default);
  }
}
