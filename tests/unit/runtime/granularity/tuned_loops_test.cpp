// SPDX-License-Identifier: Apache-2.0
// Which schedule a region's loops get, where each takes a time that is given here.
#include "runtime/granularity/tuned_loops.hpp"

#include <array>

#include "catch.hpp"

namespace {

using foretask::runtime::TunedLoops;
constexpr int kWays = 6;
using Times = std::array<std::uint64_t, kWays>;

// How many of `runs` were made with each; a run is shorter than the one before by `shrinks`, of 1000.
std::array<int, kWays> runs_of(TunedLoops& loops, Times times, int runs, std::uint64_t shrinks = 0) {
  std::array<int, kWays> made{};
  for (int i = 0; i < runs; ++i) {
    const auto schedule = static_cast<std::size_t>(loops.next(kWays));
    ++made[schedule];
    loops.add(static_cast<int>(schedule), times[schedule], 1000);
    for (std::uint64_t& time : times) time -= time * shrinks / 1000;
  }
  return made;
}

}  // namespace

TEST_CASE("the schedule that takes least is found, and used") {
  TunedLoops loops;
  const auto made = runs_of(loops, {1000, 900, 2000, 500, 700, 3000}, 1000);
  CHECK(loops.best() == 3);
  CHECK(made[3] > 700);
}

TEST_CASE("where none is better the program's own stays, and trials take a sixteenth of the time at most") {
  TunedLoops loops;
  const auto made = runs_of(loops, {1000, 1000, 50'000, 1000, 990, 200'000}, 3000);
  CHECK(loops.best() == 0);
  const double lost = 49'000.0 * made[2] + 199'000.0 * made[5];
  CHECK(lost < 3'000'000 / 16.0 + 199'000);
  CHECK(made[0] > 2500);
}

TEST_CASE("that each run is shorter than the one before makes no schedule look better") {
  TunedLoops loops;
  static_cast<void>(runs_of(loops, {1'000'000, 1'000'000, 1'000'000, 1'000'000, 1'000'000, 1'000'000}, 600, 10));
  CHECK(loops.best() == 0);
}

TEST_CASE("a region without such loops is left alone") {
  TunedLoops loops;
  for (int i = 0; i < 100; ++i) {
    CHECK(loops.next(kWays) == 0);
    loops.add(0, 1000, 0);
  }
  CHECK(!loops.has_loops());
}

TEST_CASE("what an earlier run found is used from the beginning") {
  TunedLoops loops;
  loops.recall(4);
  CHECK(runs_of(loops, {1000, 1000, 1000, 1000, 100, 1000}, 500)[4] > 490);
}

TEST_CASE("runs that differ in their iterations are not compared, those that hardly do are") {
  TunedLoops loops;
  // One in five is short, and each trial may fall on it.
  for (int i = 0; i < 2000; ++i) {
    const bool is_short = i % 5 == 0;
    loops.add(loops.next(kWays), is_short ? 100 : 1000, is_short ? 50 : 500 + i % 7);
  }
  CHECK(loops.best() == 0);
}
