// SPDX-License-Identifier: Apache-2.0
// The report's table of loops, of a trace written down by hand.
#include "analysis/summaries.hpp"

#include "catch.hpp"
#include "unit/graph/reconstruction/trace_builder.hpp"

namespace analysis = foretask::analysis;
namespace graph = foretask::graph;
using foretask::test::TraceBuilder;

namespace {

void begin_loop(TraceBuilder& trace, std::uint32_t worker, std::int64_t at_ns) {
  trace.event(worker, at_ns, FORETASK_EVENT_LOOP_BEGIN,
              {0x7000, 0, FORETASK_CONSTRUCT_LOOP, FORETASK_SCHEDULE_STATIC, 10, 0, 0, 0});
}

// A share of five iterations that lasts until then.
void end_share(TraceBuilder& trace, std::uint32_t worker, std::int64_t at_ns, std::uint32_t first) {
  trace.event(worker, at_ns, FORETASK_EVENT_LOOP_CHUNKS, {1, 5, 0, first, 0, first + 4, 0});
  trace.event(worker, at_ns, FORETASK_EVENT_LOOP_END);
}

std::vector<analysis::LoopSummary> summaries_of(const graph::RecordedGraph& recorded) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < recorded.kernels.size(); ++i) names.push_back("kernel " + std::to_string(i));
  return foretask::wiring::loop_summaries(recorded, graph::TeamShares(recorded.team, recorded.strands.duration_ns),
                                          names);
}

std::int64_t assumed_even(const graph::RecordedGraph& recorded) {
  return graph::assumed_even_ns(recorded.team, graph::TeamShares(recorded.team, recorded.strands.duration_ns));
}

}  // namespace

TEST_CASE("a loop's summary has its iterations, its imbalance, and what its threads waited") {
  TraceBuilder trace(2);
  trace.begin_team(2);
  begin_loop(trace, 0, 20);
  begin_loop(trace, 1, 20);
  end_share(trace, 1, 120, 5);
  trace.barrier(1, 120);
  end_share(trace, 0, 320, 0);
  trace.end_team(320);
  const graph::RecordedGraph recorded = trace.build();
  const auto loops = summaries_of(recorded);
  REQUIRE(loops.size() == 1);
  CHECK(loops[0].instances == 1);
  CHECK(loops[0].iterations == 10);
  CHECK(loops[0].schedule == "static");
  CHECK(loops[0].threads == 2);
  // 300 and 100 ns: the mean is 200.
  CHECK(loops[0].work_ns == 400);
  REQUIRE(loops[0].imbalance);
  CHECK(*loops[0].imbalance == Approx(1.5));
  CHECK(loops[0].waited_ns == 200);
  CHECK(assumed_even(recorded) == 0);
}

TEST_CASE("a thread that makes up for its short share outside of the loop has waited for less") {
  TraceBuilder trace(2);
  trace.begin_team(2);
  begin_loop(trace, 0, 20);
  begin_loop(trace, 1, 20);
  end_share(trace, 1, 120, 5);
  trace.barrier(1, 270);  // 150 ns of something else
  end_share(trace, 0, 320, 0);
  trace.end_team(320);
  const auto loops = summaries_of(trace.build());
  REQUIRE_FALSE(loops.empty());
  CHECK(loops[0].waited_ns == 50);
}

TEST_CASE("a loop that one thread ran has no imbalance, and is taken to divide evenly") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  begin_loop(trace, 0, 20);
  trace.event(0, 420, FORETASK_EVENT_LOOP_CHUNKS, {1, 10, 0, 0, 0, 9, 0});
  trace.event(0, 420, FORETASK_EVENT_LOOP_END);
  trace.end_team(420);
  const graph::RecordedGraph recorded = trace.build();
  const auto loops = summaries_of(recorded);
  REQUIRE(loops.size() == 1);
  CHECK_FALSE(loops[0].imbalance);
  CHECK(loops[0].work_ns == 400);
  CHECK(assumed_even(recorded) == 400);
}

TEST_CASE("stretches between the barriers of a region are one execution of it") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  trace.barrier(0, 40);
  trace.barrier_end(0, 45);
  trace.end_team(50);
  const auto loops = summaries_of(trace.build());
  REQUIRE(loops.size() == 1);
  CHECK(loops[0].instances == 1);
  CHECK(loops[0].schedule == "unknown");
}

TEST_CASE("a schedule that only chunks tell is marked as a guess, and a loop that was cut short as such") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  trace.event(0, 20, FORETASK_EVENT_LOOP_BEGIN,
              {0x7000, 0, FORETASK_CONSTRUCT_LOOP, FORETASK_SCHEDULE_UNKNOWN, 10, 0, 0, 0});
  trace.event(0, 40, FORETASK_EVENT_LOOP_CHUNKS, {1, 4, 0, 0, 0, 3, 0});
  trace.event(0, 60, FORETASK_EVENT_LOOP_CHUNKS, {1, 4, 0, 4, 0, 7, 0});
  const auto loops = summaries_of(trace.build());  // the program's end
  REQUIRE_FALSE(loops.empty());
  CHECK(loops[0].schedule == "dynamic,4?");
  CHECK(loops[0].cut == 1);
  CHECK(loops[0].iterations == 8);
}
