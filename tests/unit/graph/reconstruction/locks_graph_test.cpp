// SPDX-License-Identifier: Apache-2.0
// Graphs of programs with locks, counted by hand.
#include <functional>
#include <string>
#include <vector>

#include "catch.hpp"
#include "unit/graph/reconstruction/trace_builder.hpp"

using foretask::analysis::LockHold;
using foretask::graph::RecordedGraph;
using Lines = std::vector<std::string>;
using namespace foretask::test;

namespace {

// A team of two from 20 ns on. `two` says what the second thread does.
RecordedGraph of_team(const std::function<void(TraceBuilder&)>& two, std::int64_t end_ns) {
  TraceBuilder trace(2);
  trace.begin_team(2);
  two(trace);
  trace.barrier(1, end_ns);
  trace.end_team(end_ns);
  return trace.build();
}

std::string text_of(const RecordedGraph& built) {
  std::string text;
  for (const LockHold& hold : built.locks)
    text += "lock " + std::to_string(hold.lock) + " " + std::to_string(hold.times) + " times " +
            std::to_string(hold.held_ns) + " held " + std::to_string(hold.waited_ns) + " waited\n";
  return text;
}

}  // namespace

TEST_CASE("a lock that was free splits nothing, and taking it is work") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  trace.want(0, 1'000);
  trace.acquire(0, 1'500);
  trace.release(0, 2'000);
  trace.end_team(3'000);
  const auto built = trace.build();
  CHECK(strands_of(built) == Lines{"0@0 0-10", "1@0 20-3000", "1* 3010", "1@0 3010-3020", "0@0 3030-3040"});
  CHECK(built.blocked_ns == 0);
  CHECK(text_of(built) == "lock 0 1 times 500 held 0 waited\n");
  CHECK(contradiction(built).empty());
}

TEST_CASE("a lock that another task holds ends the strand, and what waits is not ready") {
  const auto built = of_team(
      [](TraceBuilder& trace) {
        trace.want(0, 900);
        trace.acquire(0, 900);
        trace.want(1, 1'000);
        trace.release(0, 51'000);
        trace.acquire(1, 51'100);
        trace.release(1, 52'000);
      },
      60'000);
  CHECK(strands_of(built) == Lines{"0@0 0-10", "1@0 20-60000", "2@1 20-1000", "2@1 51100-60000", "1* 60010",
                                   "1@0 60010-60020", "0@0 60030-60040"});
  CHECK(built.blocked_ns == 50'100);
  CHECK(built.delay_ns == 0);
  CHECK(text_of(built) == "lock 0 2 times 51000 held 50100 waited\n");
  CHECK(contradiction(built).empty());
}

TEST_CASE("a short wait for a lock splits no strand, and is no work") {
  const auto built = of_team(
      [](TraceBuilder& trace) {
        trace.acquire(0, 900);  // a lock that was only tried
        trace.want(1, 1'000);
        trace.release(0, 1'400);
        trace.acquire(1, 1'400);
        trace.release(1, 1'500);
      },
      3'000);
  CHECK(built.strands.duration_ns[2] == 3'000 - 20 - 400);
  CHECK(built.blocked_ns == 400);
  CHECK(text_of(built) == "lock 0 2 times 600 held 400 waited\n");
  CHECK(contradiction(built).empty());
}

TEST_CASE("of two that want a free lock the second waits from when the first has it") {
  const auto built = of_team(
      [](TraceBuilder& trace) {
        trace.want(0, 1'000);
        trace.want(1, 1'010);
        trace.acquire(0, 1'030);
        trace.release(0, 1'100);
        trace.acquire(1, 1'130);
        trace.release(1, 1'150);
      },
      3'000);
  CHECK(built.blocked_ns == 100);
  CHECK(text_of(built) == "lock 0 2 times 90 held 100 waited\n");
  CHECK(contradiction(built).empty());
}

TEST_CASE("an ordered part waits for its turn, though nobody holds it") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  constexpr std::uint32_t kOrdered = 7;
  trace.want(0, 1'000, 1, kOrdered);
  trace.acquire(0, 1'500);
  trace.release(0, 1'600);
  trace.end_team(3'000);
  const auto built = trace.build();
  CHECK(built.blocked_ns == 500);
  CHECK(text_of(built) == "lock 0 1 times 100 held 500 waited\n");
}

TEST_CASE("a nested lock is held from the first to the last, and an inner lock's wait is not its own") {
  const auto built = of_team(
      [](TraceBuilder& trace) {
        trace.acquire(1, 900, 2);
        trace.want(0, 1'000, 1);
        trace.acquire(0, 1'000, 1);
        trace.acquire(0, 1'100, 1);
        trace.want(0, 1'200, 2);
        trace.release(1, 1'700, 2);
        trace.acquire(0, 1'700, 2);
        trace.release(0, 1'750, 2);
        trace.release(0, 1'800, 1);
        trace.release(0, 2'000, 1);
      },
      3'000);
  CHECK(text_of(built) == "lock 0 2 times 850 held 500 waited\nlock 1 1 times 500 held 0 waited\n");
  CHECK(contradiction(built).empty());
}

TEST_CASE("releases and waits that were lost leave the rest as it is") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  trace.release(0, 100);
  trace.want(0, 200, 1);
  trace.want(0, 300, 2);
  trace.acquire(0, 400, 2);
  trace.release(0, 500, 2);
  trace.end_team(3'000);
  const auto built = trace.build();
  CHECK(text_of(built) == "lock 0 1 times 100 held 0 waited\n");
  CHECK(contradiction(built).empty());
}

TEST_CASE("a lock counts as handed on where another thread had it before, and as held while its task runs") {
  const auto built = of_team(
      [](TraceBuilder& trace) {
        trace.acquire(0, 100);
        trace.release(0, 200);
        trace.acquire(0, 300);
        trace.wait(0, 350);
        trace.wait_end(0, 950);
        trace.release(0, 1'000);
        trace.acquire(1, 1'100);
        trace.release(1, 1'200);
      },
      3'000);
  CHECK(text_of(built) == "lock 0 3 times 300 held 0 waited\n");
  REQUIRE(built.locks.size() == 1);
  CHECK(built.locks[0].handed_on == 1);
}
