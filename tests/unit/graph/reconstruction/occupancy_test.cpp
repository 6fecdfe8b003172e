// SPDX-License-Identifier: Apache-2.0
#include "graph/reconstruction/occupancy.hpp"

#include <cmath>
#include <random>

#include "catch.hpp"

using foretask::graph::Occupancy;

TEST_CASE("an instant's workers run, wait for one that takes a ready strand, or have nothing to do") {
  Occupancy occupancy(4, 1'000);
  occupancy.start(0);
  occupancy.add_running(1);
  occupancy.add_ready(2);
  occupancy.advance(100);  // 1 runs, 2 could, 1 has nothing
  occupancy.add_running(2);
  occupancy.advance(150);  // 3 run, 2 ready for 1 idle worker
  occupancy.add_ready(-2);
  occupancy.advance(170);  // 3 run, 1 has nothing
  CHECK(occupancy.elapsed_ns() == 170);
  CHECK(occupancy.running_ns() == 100 + 150 + 60);
  CHECK(occupancy.delay_ns() == 200 + 50);
  CHECK(occupancy.no_work_ns() == 100 + 20);
  CHECK(occupancy.oversubscribed_ns() == 0);
}

TEST_CASE("more strands than workers are counted apart") {
  Occupancy occupancy(2, 100);
  occupancy.start(0);
  occupancy.add_running(5);
  occupancy.add_ready(1);
  occupancy.advance(10);
  CHECK(occupancy.oversubscribed_ns() == 30);
  CHECK(occupancy.delay_ns() == 0);
  CHECK(occupancy.no_work_ns() == 0);
}

TEST_CASE("time does not run back") {
  Occupancy occupancy(1, 100);
  occupancy.start(50);
  occupancy.add_running(1);
  occupancy.advance(60);
  occupancy.advance(55);
  occupancy.advance(60);
  CHECK(occupancy.elapsed_ns() == 10);
}

TEST_CASE("run, delay and no_work make up p times elapsed, whatever happens and whatever is taken out") {
  std::mt19937 random(GENERATE(1, 2, 3, 4, 5));
  for (int round = 0; round < 200; ++round) {
    const auto workers = static_cast<std::uint32_t>(1 + random() % 20);
    Occupancy occupancy(workers, 100'000);
    occupancy.start(0);
    std::int64_t now = 0;
    std::uint32_t running = 0;
    Occupancy::Gap gap;
    for (int step = 0; step < 500; ++step) {
      switch (random() % 6) {
        case 0:
          occupancy.advance(now += static_cast<std::int64_t>(random() % 200));
          break;
        case 1:
          if (running < workers) occupancy.add_running(1), ++running;
          break;
        case 2:
          if (running > 0) occupancy.add_running(-1), --running;
          break;
        case 3:
          // A damaged trace may count more away than there was.
          occupancy.add_ready(random() % 2 == 0 ? 1 : -1);
          break;
        case 4:
          if (running > 0) occupancy.take_out_of_strand(static_cast<double>(random() % 1'000) / 7);
          break;
        default:
          occupancy.take_out_of_gap(static_cast<double>(random() % 1'000) / 7, gap);
          if (random() % 4 == 0) {
            occupancy.give_back(gap);
            gap = {};
          }
      }
    }
    const double whole = occupancy.elapsed_ns() * workers;
    const double sum = occupancy.running_ns() + occupancy.delay_ns() + occupancy.no_work_ns();
    CAPTURE(round, workers, whole, sum);
    REQUIRE(std::abs(sum - whole) < 1e-6 * (1 + std::abs(static_cast<double>(now)) * workers));
    // In whole ns too, to the last one; but for durations that are not what ran.
    const std::int64_t work = std::llround(occupancy.running_ns());
    const Occupancy::WholeTotals totals = occupancy.whole_totals(work);
    REQUIRE(work + totals.delay_ns + totals.no_work_ns == workers * totals.elapsed_ns);
    REQUIRE(totals.delay_ns >= 0);
    REQUIRE(totals.no_work_ns >= 0);
    if (occupancy.delay_ns() >= 0 && occupancy.no_work_ns() >= 0)
      REQUIRE(std::abs(static_cast<double>(totals.elapsed_ns) - occupancy.elapsed_ns()) <= 1.5);
    const Occupancy::WholeTotals wrong = occupancy.whole_totals(work + 100);
    REQUIRE(work + 100 + wrong.delay_ns + wrong.no_work_ns != workers * wrong.elapsed_ns);
  }
}

TEST_CASE("rounding leaves no part below nothing") {
  // One worker that is never idle ran for 99.4 ns: its work was carried to 100 in one case, rounded to 99 in the other.
  Occupancy occupancy(1, 100);
  occupancy.start(0);
  occupancy.add_running(1);
  occupancy.advance(100);
  occupancy.take_out_of_strand(0.6);
  const Occupancy::WholeTotals shorter = occupancy.whole_totals(100);
  CHECK(shorter.elapsed_ns == 100);
  CHECK(shorter.delay_ns + shorter.no_work_ns == 0);
  const Occupancy::WholeTotals longer = occupancy.whole_totals(99);
  CHECK(longer.elapsed_ns - longer.delay_ns - longer.no_work_ns == 99);
  for (const Occupancy::WholeTotals& totals : {shorter, longer}) {
    CHECK(totals.delay_ns >= 0);
    CHECK(totals.no_work_ns >= 0);
  }
}

TEST_CASE("the profile has the means of its intervals, and the integral of the whole") {
  Occupancy occupancy(8, 1'000'000);
  occupancy.start(0);
  std::mt19937 random(1);
  std::int64_t now = 0;
  std::int64_t running = 0;
  while (now < 1'000'000) {
    occupancy.advance(now = std::min<std::int64_t>(1'000'000, now + static_cast<std::int64_t>(random() % 3'000)));
    const int change = random() % 2 == 0 && running < 8 ? 1 : running > 0 ? -1 : 1;
    occupancy.add_running(change);
    running += change;
  }
  const auto profile = occupancy.profile(1'000'000);
  REQUIRE(profile.size() > 1'000);
  REQUIRE(profile.size() <= 2'048);
  double integral = 0;
  for (std::size_t i = 0; i < profile.size(); ++i) {
    const std::int64_t end = i + 1 < profile.size() ? profile[i + 1].time_ns : 1'000'000;
    REQUIRE(end > profile[i].time_ns);
    REQUIRE(profile[i].running >= 0);
    REQUIRE(profile[i].running <= 8);
    integral += profile[i].running * static_cast<double>(end - profile[i].time_ns);
  }
  CHECK(integral == Approx(occupancy.running_ns()));
}

TEST_CASE("while strands wait for a core the program's clock is slower by their part") {
  Occupancy occupancy(4, 1'000);
  occupancy.start(0);
  occupancy.add_running(2);
  occupancy.add_ready(1);
  occupancy.add_waiting(0.5);
  occupancy.advance(100);  // at 3/4: two run, one is ready for two idle workers
  occupancy.add_waiting(-0.5);
  occupancy.advance(110);
  CHECK(occupancy.elapsed_ns() == 75 + 10);
  CHECK(occupancy.running_ns() == 150 + 20);
  CHECK(occupancy.delay_ns() == 75 + 10);
  CHECK(occupancy.no_work_ns() == 75 + 10);
  CHECK(occupancy.stood_ns() == 25);
}
