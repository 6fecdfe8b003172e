// SPDX-License-Identifier: Apache-2.0
#include "runtime/threads/team_times.hpp"

#include "catch.hpp"

using foretask::base::RunMean;
using foretask::base::Ticks;
using foretask::runtime::SizeCells;
using foretask::runtime::TeamTimes;

namespace {

std::size_t cell(double size) { return SizeCells::place_of(size); }

void know(TeamTimes& times, int slot, double size, Ticks ticks) { times.put(slot, cell(size), RunMean(ticks, 2)); }

}  // namespace

TEST_CASE("a slot is a power of two, or all that are allowed") {
  CHECK(TeamTimes::slot_of(1) == 0);
  CHECK(TeamTimes::slot_of(2) == 1);
  CHECK(TeamTimes::slot_of(3) == 2);
  CHECK(TeamTimes::slot_of(4) == 2);
  CHECK(TeamTimes::slot_of(5) == 3);
  CHECK(TeamTimes::slot_of(4095) == 12);
  CHECK(TeamTimes::threads_of(1, 12) == 2);
  CHECK(TeamTimes::threads_of(3, 12) == 8);
  CHECK(TeamTimes::threads_of(4, 12) == 12);
}

TEST_CASE("of nothing, a team takes its least and divides the rest") {
  const TeamTimes times;
  CHECK(times.expected(1, 2, cell(100), 10'000) == 7'000);
  CHECK(times.expected(2, 4, cell(100), 10'000) == 4'500);
  CHECK(times.expected(0, 4, cell(100), 10'000) == 10'000);
  CHECK(times.serial(cell(100), 4) == 0);
  CHECK(times.guessed_serial(cell(100), 4) == 0);
  CHECK_FALSE(times.is_known_within(1, 0, cell(100)));
}

TEST_CASE("between two known sizes a team's time is on the line through them") {
  TeamTimes times;
  know(times, 0, 100, 10'000);
  know(times, 1, 100, 8'000);
  know(times, 0, 300, 30'000);
  know(times, 1, 300, 18'000);
  CHECK(times.expected(1, 2, cell(200), 20'000) == 13'000);
  // Beyond them a half of what is more: the line's own slope, 0.5, is not certain to be larger.
  CHECK(times.expected(1, 2, cell(400), 40'000) == 23'000);
  // From the least of a team, 2000, to 8000 at 10000.
  CHECK(times.expected(1, 2, cell(50), 5'000) == 5'000);
  // And back: what one thread takes if two take so long.
  know(times, 1, 200, 13'000);
  CHECK(times.serial(cell(200), 2) == 20'000);
  know(times, 1, 400, 23'000);
  CHECK(times.serial(cell(400), 2) == 40'000);
  know(times, 1, 50, 5'000);
  CHECK(times.serial(cell(50), 2) == 5'000);
  know(times, 1, 10, 1'000);
  CHECK(times.serial(cell(10), 2) == 1);  // less than a team takes: next to nothing
}

TEST_CASE("beyond the known sizes a team that gains nothing is not expected to gain") {
  TeamTimes times;
  know(times, 0, 100, 10'000);
  know(times, 1, 100, 15'000);
  know(times, 0, 300, 30'000);
  know(times, 1, 300, 45'000);
  // (0.95 * 45000 - 1.05 * 15000) / (30000 - 10000) = 1.35 for each tick of one thread's.
  CHECK(times.expected(1, 2, cell(400), 40'000) >= 58'490);
  CHECK(times.expected(1, 2, cell(400), 40'000) <= 58'500);
}

TEST_CASE("a size without runs is guessed from those beside it, in proportion") {
  TeamTimes times;
  know(times, 0, 100, 1'000);
  CHECK(times.guessed_serial(cell(200), 2) == 2'000);
  CHECK(times.guessed_serial(cell(25), 2) == 250);
  CHECK(times.guessed_serial(cell(0), 2) == 0);
  know(times, 0, 400, 1'500);
  CHECK(times.guessed_serial(cell(200), 2) == 1'500);  // not more than a larger size takes
  CHECK(times.guessed_serial(cell(800), 2) == 3'000);
}

TEST_CASE("near is within some powers of two, and known from two runs on") {
  TeamTimes times;
  times.put(0, cell(100), RunMean(1'000, 1));
  CHECK_FALSE(times.is_known_within(1, 0, cell(100)));  // one run tells nothing
  know(times, 0, 100, 1'000);
  CHECK(times.is_known_within(1, 0, cell(100)));
  CHECK(times.is_known_within(1, 0, cell(200)));
  CHECK(times.is_known_within(1, 0, cell(50)));
  CHECK_FALSE(times.is_known_within(1, 0, cell(210)));
  CHECK_FALSE(times.is_known_within(1, 0, cell(47)));
  CHECK_FALSE(times.is_known_within(1, 1, cell(100)));
  CHECK(times.is_known_within(2, 0, cell(400)));
  CHECK(times.is_known_within(2, 0, cell(25)));
  times.put(0, cell(100), RunMean(1'000, 0));
  CHECK_FALSE(times.is_known_within(1, 0, cell(100)));
}

TEST_CASE("the longest times stay in order") {
  TeamTimes times;
  constexpr Ticks kLong = Ticks{1} << 60;
  know(times, 1, 100, kLong);
  CHECK(times.serial(cell(100), 2) >= times.at(1, cell(100)).ticks());
  know(times, 0, 50, kLong);
  CHECK(times.guessed_serial(cell(0x1p47), 2) >= times.at(0, cell(50)).ticks());
  CHECK(times.guessed_serial(cell(0x1p-15), 2) >= 1);
  CHECK(times.expected(1, 2, cell(200), times.at(0, cell(50)).ticks()) > 0);
}
