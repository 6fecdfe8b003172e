// SPDX-License-Identifier: Apache-2.0
// Which schedule a region's loops get, where each takes a time that is given here.
#include "runtime/granularity/tuned_loops.hpp"

#include <array>

#include "catch.hpp"

namespace {

using foretask::runtime::TunedLoops;
constexpr int kWays = 6;
constexpr int kThreads = 2;
using Times = std::array<std::uint64_t, kWays>;

int next(TunedLoops& loops, int threads = kThreads) {
  return loops.next(kWays, threads, [](int, std::uint64_t, std::uint64_t) { return true; });
}

// How many of `runs` were made with each; a run is shorter than the one before by `shrinks`, of 1000.
std::array<int, kWays> runs_of(TunedLoops& loops, Times times, int runs, std::uint64_t shrinks = 0) {
  std::array<int, kWays> made{};
  for (int i = 0; i < runs; ++i) {
    const auto schedule = static_cast<std::size_t>(next(loops));
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

TEST_CASE(
    "where none is better the program's own stays, and what a trial loses is a sixteenth of the time until the next") {
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
    CHECK(next(loops) == 0);
    loops.add(0, 1000, 0);
  }
  CHECK(!loops.has_loops());
}

TEST_CASE("what an earlier run found is used from the beginning") {
  TunedLoops loops;
  loops.recall(4, kThreads, 100);
  CHECK(runs_of(loops, {1000, 1000, 1000, 1000, 100, 1000}, 500)[4] > 490);
}

TEST_CASE("runs that differ in their iterations are not compared, those that hardly do are") {
  TunedLoops loops;
  // One in five is short, and each trial may fall on it.
  for (int i = 0; i < 2000; ++i) {
    const bool is_short = i % 5 == 0;
    loops.add(next(loops), is_short ? 100 : 1000, is_short ? 50 : 500 + i % 7);
  }
  CHECK(loops.best() == 0);
}

TEST_CASE("a way that would take long is not tried") {
  TunedLoops loops;
  std::array<int, kWays> made{};
  for (int i = 0; i < 1000; ++i) {
    const int way = loops.next(kWays, kThreads, [](int one, std::uint64_t ticks, std::uint64_t iterations) {
      CHECK((ticks == 0 || ticks == 500));
      CHECK((iterations == 0 || iterations == 70));
      return one != 2;
    });
    ++made[static_cast<std::size_t>(way)];
    loops.add(way, 500, 70);
  }
  CHECK(made[2] == 0);
  CHECK(made[1] > 0);
  CHECK(made[3] > 0);
}

TEST_CASE("what was found on another number of threads, or of runs that took a fourth, does not hold") {
  const Times times{100'000, 50'000, 100'000, 100'000, 100'000, 100'000};
  TunedLoops loops;
  static_cast<void>(runs_of(loops, times, 200));
  REQUIRE(loops.best() == 1);
  CHECK(next(loops, kThreads + 1) == 0);
  CHECK(loops.best() == 0);
  TunedLoops grown;
  static_cast<void>(runs_of(grown, times, 200));
  REQUIRE(grown.best() == 1);
  // Twice running; one of them may be a trial.
  for (int i = 0; i < 5 && grown.best() == 1; ++i) grown.add(next(grown), 300'000, 1000);
  CHECK(grown.best() == 0);
  TunedLoops recalled;
  recalled.recall(1, kThreads, 50'000);
  for (int i = 0; i < 2; ++i) {
    CHECK(next(recalled) == 1);
    recalled.add(1, 300'000, 1000);
  }
  CHECK(next(recalled) == 0);
  TunedLoops elsewhere;
  elsewhere.recall(1, kThreads + 1, 500);
  CHECK(next(elsewhere) == 0);
}

TEST_CASE("loops whose bounds runtimes may fail on are left alone") {
  TunedLoops loops;
  for (int i = 0; i < 100; ++i) {
    const int way = next(loops);
    CHECK(way == 0);
    loops.add(way, 1000, TunedLoops::kStrange);
  }
}
