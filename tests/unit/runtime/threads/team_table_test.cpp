// SPDX-License-Identifier: Apache-2.0
// Numbers of threads that are chosen by times which formulas give: what is best is known by hand.
#include "runtime/threads/team_table.hpp"

#include <functional>
#include <memory>
#include <vector>

#include "catch.hpp"

using foretask::base::Ticks;
using foretask::runtime::TeamTable;

namespace {

using Formula = std::function<double(double size, int threads)>;

// 3000 ticks for each thread more than one; the rest is divided.
double usual(double size, int threads) { return 3000.0 * (threads - 1) + size / threads; }

class Machine {
 public:
  explicit Machine(Formula formula) : formula_(std::move(formula)) {}

  // One run; its number of threads.
  int run(double size, int most) {
    const int threads = table->choose(size, most);
    REQUIRE(threads >= 1);
    REQUIRE(threads <= most);
    const double ticks = formula_(size, threads);
    table->add(size, most, threads, static_cast<Ticks>(ticks));
    total += ticks;
    return threads;
  }
  void run(double size, int most, int times) {
    for (int i = 0; i < times; ++i) run(size, most);
  }
  void becomes(Formula formula) { formula_ = std::move(formula); }

  std::unique_ptr<TeamTable> table = std::make_unique<TeamTable>();
  double total = 0;

 private:
  Formula formula_;
};

}  // namespace

TEST_CASE("a size gets the number of threads that takes least") {
  Machine machine(usual);
  for (const double size : {1'000.0, 5'000.0, 8'000.0, 100'000.0, 1'000'000.0}) machine.run(size, 4, 300);
  CHECK(machine.table->best(1'000, 4) == 1);      // 1000, 3500, 9250
  CHECK(machine.table->best(5'000, 4) == 1);      // 5000, 5500
  CHECK(machine.table->best(8'000, 4) == 2);      // 8000, 7000, 11000
  CHECK(machine.table->best(100'000, 4) == 4);    // 100000, 53000, 34000
  CHECK(machine.table->best(1'000'000, 4) == 4);  // 1000000, 503000, 259000
}

TEST_CASE("a number of threads that is no power of two is one of them") {
  Machine machine(usual);
  machine.run(100'000, 3, 300);
  CHECK(machine.table->best(100'000, 3) == 3);  // 100000, 53000, 39333
  machine.run(20'000, 3, 300);
  CHECK(machine.table->best(20'000, 3) == 2);  // 20000, 13000, 12667: two are the fewest within 3 %
}

TEST_CASE("of numbers of threads that take about as long the fewest are taken") {
  Machine machine([](double size, int threads) { return threads == 1 ? size : 0.98 * size; });
  machine.run(50'000, 2, 2'000);
  CHECK(machine.table->best(50'000, 2) == 1);
}

TEST_CASE("nothing is known at first: as many as are allowed") {
  TeamTable table;
  CHECK(table.best(100, 8) == 0);
  CHECK(table.choose(100, 8) == 8);
  CHECK(table.choose(100, 1) == 1);
  CHECK(table.is_new(100, 8));
  table.add(100, 8, 8, 5'000);
  CHECK_FALSE(table.is_new(100, 8));
}

TEST_CASE("a size that was never run is decided by the others") {
  Machine machine(usual);
  for (double size = 100; size < 2e6; size *= 10) machine.run(size, 2, 300);
  for (const double size : {20.0, 50.0, 200.0, 500.0, 2'000.0}) CHECK(machine.run(size, 2) == 1);
  for (const double size : {20'000.0, 50'000.0, 200'000.0, 500'000.0, 5e6, 1e9}) CHECK(machine.run(size, 2) == 2);
}

TEST_CASE("one outlier decides nothing") {
  Machine machine(usual);
  machine.run(20'000, 2, 300);
  REQUIRE(machine.table->best(20'000, 2) == 2);  // 20000, 13000
  machine.table->add(20'000, 2, 2, 100'000'000);
  CHECK(machine.table->best(20'000, 2) == 2);
  // Nor at the very first run on two threads, when they have yet to wake up.
  int runs = 0;
  Machine waking([&](double size, int threads) { return usual(size, threads) + (runs++ == 0 ? 500'000 : 0); });
  waking.run(20'000, 2, 300);
  CHECK(waking.table->best(20'000, 2) == 2);
}

TEST_CASE("a trial that is disturbed is repeated") {
  int trials = 0;
  // The first run on one thread after the first ones is a thousand times too long, though it was expected to be short.
  Machine machine(
      [&](double size, int threads) { return threads == 1 && trials++ == 0 ? 1000 * size : usual(size, threads); });
  machine.run(1'000, 2, 2'000);
  CHECK(machine.table->best(1'000, 2) == 1);
}

TEST_CASE("what changes is noticed, and what becomes as it was") {
  Machine machine(usual);
  machine.run(100'000, 2, 300);
  REQUIRE(machine.table->best(100'000, 2) == 2);
  machine.becomes([](double size, int threads) { return threads == 1 ? size : 3 * size; });
  machine.run(100'000, 2, 300);
  CHECK(machine.table->best(100'000, 2) == 1);
  machine.becomes(usual);
  machine.run(100'000, 2, 2'000);
  CHECK(machine.table->best(100'000, 2) == 2);
}

TEST_CASE("trials take a 128th of the time") {
  Machine machine(usual);
  machine.run(2'000'000, 2, 1'000);
  machine.total = 0;
  constexpr int kRuns = 20'000;
  machine.run(2'000'000, 2, kRuns);
  // The best takes 1003000. A trial takes 2000000: a 128th of the time is a run in 128 * 2000000 / 1003000 + 1 = 256.2.
  CHECK(machine.total / kRuns > 1'003'000 + 997'000 / 265.0);
  CHECK(machine.total / kRuns < 1'003'000 + 997'000 / 248.0);
  // Nor does a number that takes a hundred times as long keep its chance.
  Machine small([](double, int threads) { return threads == 1 ? 1'000.0 : 100'000.0; });
  small.run(10, 2, 1'000);
  CHECK(small.table->best(10, 2) == 1);
}

TEST_CASE("callers that allow different numbers of threads get their own") {
  Machine machine(usual);
  for (int i = 0; i < 500; ++i) {
    machine.run(100'000, 2);
    machine.run(100'000, 4);
    CHECK(machine.run(100'000, 1) == 1);
  }
  CHECK(machine.table->best(100'000, 2) == 2);
  CHECK(machine.table->best(100'000, 4) == 4);
}

TEST_CASE("what was promised is believed until it is seen") {
  Machine machine(usual);
  machine.table->promise(100, 1, 50);
  machine.table->promise(100, 2, 3'050);
  CHECK(machine.run(100, 2) == 1);
  machine.table->promise(700, 1, 100'000);  // in truth 700
  machine.table->promise(700, 2, 2'000);    // in truth 3350
  CHECK(machine.run(700, 2) == 2);
  machine.run(700, 2, 5'000);
  CHECK(machine.table->best(700, 2) == 1);
}

TEST_CASE("sizes of 0 and of the last cells are sizes like others") {
  Machine machine([](double, int threads) { return threads == 1 ? 10'000.0 : 20'000.0; });
  for (const double size : {0.0, 1e-300, 1e300}) {
    machine.run(size, 2, 1'000);
    CHECK(machine.table->best(size, 2) == 1);
  }
}
