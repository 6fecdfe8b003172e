// SPDX-License-Identifier: Apache-2.0
// What strands wait for a core is taken out of them, what they are blocked in the system stays, and the sums stay
// whole.

#include "catch.hpp"
#include "unit/graph/reconstruction/trace_builder.hpp"

using foretask::test::contradiction;
using foretask::test::Name;
using foretask::test::strands_of;
using foretask::test::TraceBuilder;

namespace {

using Lines = std::vector<std::string>;

// A reading at `at_ns` of the `elapsed` ns before it.
void times(TraceBuilder& trace, std::uint32_t worker, std::int64_t at_ns, std::uint32_t elapsed, std::uint32_t on_core,
           std::uint32_t waited = 0, std::uint32_t flags = 0) {
  trace.event(worker, at_ns, FORETASK_EVENT_THREAD_TIMES, {elapsed, 0, on_core, 0, waited, 0, flags});
}

// Two threads that work from 20 to 1020; `off` ns of them the second one is not on a core.
TraceBuilder two_threads(std::uint32_t off, std::uint32_t flags = 0) {
  TraceBuilder trace(2);
  trace.begin_team(2);
  trace.barrier(1, 1'020);
  times(trace, 1, 1'021, 1'001, 1'001 - off, 0, flags);
  return trace;
}

std::int64_t blocked_ns(const foretask::graph::RecordedGraph& graph, foretask::graph::KernelSite::Kind kind) {
  double sum = 0;
  for (std::size_t kernel = 0; kernel < graph.kernels.size(); ++kernel)
    if (graph.kernels[kernel].kind == kind) sum += graph.kernel_totals[kernel].system_blocked_ns;
  return std::llround(sum);
}

}  // namespace

TEST_CASE("a wait for a core is taken out of its strand, and its part of the elapsed time") {
  TraceBuilder trace = two_threads(400);
  trace.end_team(1'020);
  const auto built = trace.build();
  CHECK(strands_of(built) ==
        Lines{"0@0 0-10", "1@0 20-1020", "2@1 20-1020 net 600", "1* 1030", "1@0 1030-1040", "0@0 1050-1060"});
  CHECK(built.core_wait_ns == 400);
  CHECK(built.thread_wait_ns == 400);
  // Half of it: two strands ran.
  CHECK(built.core_wait_elapsed_ns == 200);
  CHECK(built.elapsed_ns == 1'060 - 200);
  CHECK(built.recorded_elapsed_ns == 1'060);
  CHECK(built.work_ns == 10 + 1'000 + 600 + 10 + 10);
  CHECK(built.system_blocked_ns == 0);
  CHECK(built.probe_ns == 0);
  CHECK(contradiction(built).empty());
}

TEST_CASE("two threads that share a core are replayed as on two") {
  TraceBuilder trace = two_threads(500);
  trace.barrier(0, 1'020);
  times(trace, 0, 1'021, 1'001, 501);
  const auto built = trace.build();
  CHECK(strands_of(built) == Lines{"0@0 0-10", "1@0 20-1020 net 500", "2@1 20-1020 net 500"});
  CHECK(built.core_wait_ns == 1'000);
  // 20 before the team, 1 after it.
  CHECK(built.elapsed_ns == 20 + 500 + 1);
  CHECK(contradiction(built).empty());
}

TEST_CASE("what is blocked in the system stays in the strand, and is counted by kernel") {
  TraceBuilder trace = two_threads(400, FORETASK_TIMES_BLOCKED);
  trace.end_team(1'020);
  const auto built = trace.build();
  CHECK(strands_of(built)[2] == "2@1 20-1020");
  CHECK(built.system_blocked_ns == 400);
  CHECK(blocked_ns(built, foretask::graph::KernelSite::Kind::kRegion) == 400);
  CHECK(built.core_wait_ns == 0);
  CHECK(built.thread_wait_ns == 0);
  CHECK(built.elapsed_ns == 1'060);
  CHECK(contradiction(built).empty());
}

TEST_CASE("where the system says how long a thread waited, the rest was blocked") {
  TraceBuilder trace = two_threads(400, FORETASK_TIMES_BLOCKED);
  times(trace, 1, 1'022, 0, 0, 100, FORETASK_TIMES_HAS_WAITED);
  trace.end_team(1'022);
  const auto built = trace.build();
  CHECK(strands_of(built)[2] == "2@1 20-1020 net 900");
  CHECK(built.core_wait_ns == 100);
  CHECK(built.system_blocked_ns == 300);
  CHECK(contradiction(built).empty());
}

TEST_CASE("the system's sum holds waits that were known before") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  trace.create(0, 1'020);
  times(trace, 0, 1'020, 1'000, 800);  // 200 waited
  trace.create(0, 2'020);
  times(trace, 0, 2'020, 1'000, 600, 300, FORETASK_TIMES_BLOCKED | FORETASK_TIMES_HAS_WAITED);  // 100 of these 400
  const auto built = trace.build();
  CHECK(built.core_wait_ns == 300);
  CHECK(built.system_blocked_ns == 300);
  CHECK(contradiction(built).empty());
}

TEST_CASE("the tool's own time is neither a wait nor blocked") {
  TraceBuilder trace(2);
  trace.begin_team(2);
  trace.event(1, 500, FORETASK_EVENT_TOOL_TIME, {100, 0});
  trace.barrier(1, 1'020);
  times(trace, 1, 1'021, 1'001, 601);
  const auto built = trace.build();
  CHECK(strands_of(built)[2] == "2@1 20-1020 net 600");
  CHECK(built.core_wait_ns == 300);
  CHECK(built.probe_ns == 100);
  CHECK(contradiction(built).empty());
}

TEST_CASE("a thread that waits for others is in no strand, whatever it does meanwhile") {
  TraceBuilder trace(2);
  trace.begin_team(2);
  trace.barrier(0, 100);
  trace.barrier(1, 1'020);
  trace.barrier_end(0, 1'030);
  times(trace, 0, 1'031, 931, 31);
  const auto built = trace.build();
  CHECK(built.core_wait_ns == 0);
  CHECK(built.elapsed_ns == built.recorded_elapsed_ns);
  CHECK(contradiction(built).empty());
}

TEST_CASE("after a row of short strands the long one has waited") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  const Name a = trace.create(0, 30);
  const Name b = trace.create(0, 40);
  trace.wait(0, 50);
  trace.run(0, 60, a);
  trace.end(0, 160);
  trace.run(0, 160, b);
  trace.end(0, 1'160);
  SECTION("it holds all") {
    times(trace, 0, 1'160, 1'100, 300);
    const auto built = trace.build();
    CHECK(strands_of(built)[4] == "2@0 60-160");
    CHECK(strands_of(built)[5] == "3@0 160-1160 net 200");
    CHECK(contradiction(built).empty());
  }
  SECTION("a wait that may have been anywhere is no strand's") {
    times(trace, 0, 1'160, 1'100, 1'000);
    const auto built = trace.build();
    CHECK(built.core_wait_ns == 0);
  }
  SECTION("being blocked that may have been anywhere is spread") {
    times(trace, 0, 1'160, 1'100, 1'045, 0, FORETASK_TIMES_BLOCKED);
    const auto built = trace.build();
    CHECK(built.system_blocked_ns == 55);
  }
  SECTION("what it cannot hold is spread over the others") {
    times(trace, 0, 1'160, 1'100, 50);
    const auto built = trace.build();
    CHECK(strands_of(built)[4] == "2@0 60-160 net 50");
    CHECK(strands_of(built)[5] == "3@0 160-1160 net 0");
    CHECK(contradiction(built).empty());
  }
}

TEST_CASE("the first reading reaches back to the program's start") {
  TraceBuilder trace(1);
  times(trace, 0, 1'000, 1'000, 200, 300, FORETASK_TIMES_BLOCKED | FORETASK_TIMES_HAS_WAITED);
  const Name initial = trace.initial(0, 1'000);
  trace.member_end(0, 1'010, initial);
  const auto built = trace.build();
  CHECK(strands_of(built) == Lines{"0@0 0-1010 net 710"});
  CHECK(blocked_ns(built, foretask::graph::KernelSite::Kind::kSerial) == 500);
  CHECK(contradiction(built).empty());
}

TEST_CASE("a chunk of a loop is as long as its thread was not waiting for a core") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  // u64 code, construct, schedule, u64 iterations, u64 chunk; chunks, u64 iterations, i64 first, i64 last.
  trace.event(0, 20, FORETASK_EVENT_LOOP_BEGIN, {1, 0, FORETASK_CONSTRUCT_LOOP, FORETASK_SCHEDULE_DYNAMIC, 2, 0, 1, 0});
  trace.event(0, 120, FORETASK_EVENT_LOOP_CHUNKS, {1, 1, 0, 0, 0, 0, 0});
  trace.event(0, 1'120, FORETASK_EVENT_LOOP_CHUNKS, {1, 1, 0, 1, 0, 1, 0});
  times(trace, 0, 1'120, 1'100, 200);
  trace.event(0, 1'120, FORETASK_EVENT_LOOP_END);
  trace.end_team(1'120);
  const auto built = trace.build();
  REQUIRE(built.team.pieces.size() == 2);
  CHECK(built.team.pieces[0].weight == 100);
  CHECK(built.team.pieces[1].weight == 100);
  CHECK(contradiction(built).empty());
}

// The first reading ends at 5,000 without an event; the next one's gap begins at the event before both.
TEST_CASE("a reading without an event does not lend its interval to the next one's waits") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  times(trace, 0, 5'000, 4'980, 4'980);
  trace.barrier(0, 9'000);
  times(trace, 0, 9'001, 4'001, 2'001);
  trace.end_team(9'001);
  const auto built = trace.build();
  CHECK(built.thread_wait_ns == 2'000);
  CHECK(built.core_wait_ns <= 2'000);
}
