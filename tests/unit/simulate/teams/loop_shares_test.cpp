// SPDX-License-Identifier: Apache-2.0
// Who gets which iterations. The expected blocks and chunks are those that LLVM's libomp 14 gave to a program that
// printed them; costs are counted by hand.
#include "simulate/teams/loop_shares.hpp"

#include <numeric>
#include <vector>

#include "catch.hpp"

using foretask::analysis::LoopSchedule;
using foretask::simulate::deal_loop;
using foretask::simulate::LoopCost;

namespace {

// Each iteration costs as much as its number from 1 on.
LoopCost rising(int iterations) {
  LoopCost cost(iterations);
  for (int i = 0; i < iterations; ++i) cost.add(i, i + 1, i + 1);
  cost.finish();
  return cost;
}

LoopCost even(int iterations) {
  LoopCost cost(iterations);
  cost.add(0, iterations, iterations);
  cost.finish();
  return cost;
}

std::vector<double> dealt(const LoopCost& cost, LoopSchedule schedule, std::uint64_t chunk, std::vector<double> since) {
  deal_loop(cost, schedule, chunk, {}, since);
  return since;
}

}  // namespace

TEST_CASE("a static loop's blocks differ by one iteration at most, the larger first") {
  // for (i = 0; i < 10; ++i) on 4 threads: 0-2, 3-5, 6-7, 8-9
  CHECK(dealt(even(10), LoopSchedule::kStatic, 0, {0, 0, 0, 0}) == std::vector<double>{3, 3, 2, 2});
  CHECK(dealt(rising(10), LoopSchedule::kStatic, 0, {0, 0, 0, 0}) ==
        std::vector<double>{1 + 2 + 3, 4 + 5 + 6, 7 + 8, 9 + 10});
  CHECK(dealt(even(2), LoopSchedule::kStatic, 0, {0, 0, 0}) == std::vector<double>{1, 1, 0});
}

TEST_CASE("static chunks go round") {
  CHECK(dealt(rising(7), LoopSchedule::kStaticChunked, 2, {0, 0, 0}) == std::vector<double>{1 + 2 + 7, 3 + 4, 5 + 6});
}

TEST_CASE("a dynamic chunk goes to the thread that is free first") {
  // 1 | 2 | then 3 to the first (busy until 1), 4 to the second (2), 5 to the first (4)
  CHECK(dealt(rising(5), LoopSchedule::kDynamic, 1, {0, 0}) == std::vector<double>{1 + 3 + 5, 2 + 4});
  // A thread that comes late gets less.
  CHECK(dealt(even(10), LoopSchedule::kDynamic, 1, {8, 0}) == std::vector<double>{9, 9});
}

TEST_CASE("libgomp's guided chunks are a whole share of what is left") {
  // for (i = 0; i < 40; ++i) schedule(guided,8) on 2 threads: 0-19, 20-29, 30-37, 38-39, as GCC 12's gave them out. The
  // second thread takes the third chunk at 10.
  const auto busiest = [](int costly) {
    LoopCost cost(40);
    cost.add(0, 40, 40);
    cost.add(costly, costly + 1, 1e6);
    cost.finish();
    std::vector<double> busy(2, 0);
    deal_loop(cost, LoopSchedule::kGuided, 8, {.guided_halves = false}, busy);
    return *std::max_element(busy.begin(), busy.end()) - 1e6;
  };
  CHECK(busiest(0) == Approx(20));
  CHECK(busiest(19) == Approx(20));
  CHECK(busiest(20) == Approx(10));
  CHECK(busiest(30) == Approx(10 + 8));
  CHECK(busiest(39) == Approx(10 + 8 + 2));
}

TEST_CASE("guided chunks are the part of what is left that libomp takes") {
  // for (i = 0; i < 100; ++i) schedule(guided) on 4 threads that start together: 0-11, 12-22, 23-31, 32-39. One
  // iteration that costs a million keeps its thread from taking another chunk.
  const auto busiest = [](int costly) {
    LoopCost cost(100);
    cost.add(0, 100, 100);
    cost.add(costly, costly + 1, 1e6);
    cost.finish();
    std::vector<double> busy(4, 0);
    deal_loop(cost, LoopSchedule::kGuided, 0, {}, busy);
    return *std::max_element(busy.begin(), busy.end()) - 1e6;
  };
  CHECK(busiest(0) == Approx(12));
  CHECK(busiest(11) == Approx(12));
  CHECK(busiest(12) == Approx(11));
  CHECK(busiest(31) == Approx(9));
  CHECK(busiest(39) == Approx(8));
}

TEST_CASE("very many chunks are dealt out several at a time, and nothing is lost") {
  LoopCost cost(1e9);
  cost.add(0, 1e9, 5e9);
  cost.finish();
  for (const LoopSchedule schedule : {LoopSchedule::kStaticChunked, LoopSchedule::kDynamic, LoopSchedule::kGuided}) {
    const std::vector<double> shares = dealt(cost, schedule, 1, {0, 0, 0});
    CHECK(std::accumulate(shares.begin(), shares.end(), 0.0) == Approx(5e9));
    CHECK(*std::max_element(shares.begin(), shares.end()) < 1.001 * 5e9 / 3);
  }
}

TEST_CASE("costs that grow evenly over a loop are found from two blocks") {
  // Iteration i of 100 costs i + 0.5: 1250 in the first half, 3750 in the second.
  LoopCost cost(100);
  cost.add_blocks({{50, 100, 3750}, {0, 50, 1250}});
  cost.finish();
  CHECK(cost.before(50) == Approx(1250));
  CHECK(cost.before(100) == Approx(5000));
  // The last quarter costs 75 + ... + 100 in steps of one, less a half each: 2187.5.
  CHECK(cost.before(100) - cost.before(75) == Approx(2187.5).epsilon(0.002));
  CHECK(cost.before(25) == Approx(312.5).epsilon(0.02));
}

TEST_CASE("costs that grow evenly are found from blocks of any lengths") {
  // Iteration i of 100 costs i + 0.5: those below n cost n * n / 2.
  LoopCost cost(100);
  cost.add_blocks({{0, 30, 450}, {30, 32, 62}, {32, 90, 3538}, {90, 100, 950}});
  cost.finish();
  for (const int n : {10, 20, 30, 32, 50, 70, 90, 95, 100}) CHECK(cost.before(n) == Approx(n * n / 2.0).epsilon(0.02));
}

TEST_CASE("a short block says little of its long neighbours' slopes") {
  // One of 201 iterations takes 50 times as long as the others.
  LoopCost cost(201);
  cost.add_blocks({{0, 100, 1000}, {100, 101, 500}, {101, 201, 1000}});
  cost.finish();
  CHECK(cost.before(101) - cost.before(100) == Approx(500));
  CHECK(cost.before(50) == Approx(500).epsilon(0.15));
  CHECK(cost.before(201) - cost.before(151) == Approx(500).epsilon(0.15));
}

TEST_CASE("one block is even, and no iteration costs less than nothing") {
  LoopCost one(10);
  one.add_blocks({{0, 10, 50}});
  one.finish();
  CHECK(one.before(3) == Approx(15));
  LoopCost steep(30);
  steep.add_blocks({{0, 10, 0}, {10, 20, 0}, {20, 30, 300}});
  steep.finish();
  double last = 0;
  for (int i = 0; i <= 30; ++i) {
    CHECK(steep.before(i) >= last);
    last = steep.before(i);
  }
  CHECK(last == Approx(300));
}

TEST_CASE("a piece that claims iterations beyond the loop's end still costs what it cost") {
  LoopCost cost(10);
  cost.add(20, 30, 7);
  cost.add(8, 30, 3);
  cost.finish();
  CHECK(cost.before(10) == Approx(10));
}

TEST_CASE("each chunk takes its hand-out, and a thread waits for those before it") {
  // Of 4 ns a hand-out, others wait for 2.
  const auto dealt_out = [](const LoopCost& cost, std::uint64_t chunk, std::size_t threads) {
    std::vector<double> busy(threads);
    deal_loop(cost, LoopSchedule::kDynamic, chunk, {4, 2}, busy);
    return busy;
  };
  LoopCost tens(4);
  tens.add(0, 4, 40);
  tens.finish();
  // Each of two threads runs two iterations.
  CHECK(dealt_out(tens, 1, 2) == std::vector<double>{28, 28});
  CHECK(dealt_out(tens, 2, 2) == std::vector<double>{24, 24});
  // Four threads that do nothing else are served every 2 ns.
  LoopCost nothing(8);
  nothing.finish();
  CHECK(dealt_out(nothing, 1, 4) == std::vector<double>{10, 12, 14, 16});
  std::vector<double> busy(2);
  deal_loop(tens, LoopSchedule::kStatic, 0, {4, 2}, busy);
  CHECK(busy == std::vector<double>{20, 20});
  // 2^20 chunks are dealt out 64 at a time, and take as long.
  LoopCost many(1 << 20);
  many.add(0, 1 << 20, 1 << 20);
  many.finish();
  const std::vector<double> ends = dealt_out(many, 1, 2);
  CHECK(ends[0] == Approx((4 + 1) * (1 << 19)).epsilon(0.001));
}
