// SPDX-License-Identifier: Apache-2.0
// What the program says is of interest, and the rest of its time in no figure: counted by hand.
#include "catch.hpp"
#include "unit/graph/reconstruction/trace_builder.hpp"

using foretask::analysis::Cause;
using foretask::graph::RecordedGraph;
using namespace foretask::test;

namespace {

// A serial part of 1,000 ns, a region of two threads with 300 and 200 ns, and 500 ns behind it; `mark` says what is of
// interest.
template <typename Mark>
RecordedGraph marked(Mark&& mark) {
  TraceBuilder trace(2);
  const Name initial = trace.initial(0, 0);
  mark(trace, 0);
  const Name region = trace.fork(0, 1'000);
  const Name first = trace.member(0, 1'000, region, 2, 0);
  trace.member(1, 1'000, region, 2, 1);
  trace.barrier(1, 1'200);
  trace.barrier(0, 1'300);
  trace.barrier_end(0, 1'300);
  trace.barrier_end(1, 1'300);
  trace.member_end(0, 1'300, first);
  trace.join(0, 1'300, region);
  mark(trace, 1);
  trace.member_end(0, 1'800, initial);
  return trace.build();
}

std::int64_t idle_ns(const RecordedGraph& built, Cause cause) { return built.idle_ns[static_cast<std::size_t>(cause)]; }

}  // namespace

TEST_CASE("without a word of it all of the program is of interest") {
  const auto built = marked([](TraceBuilder&, int) {});
  CHECK(built.elapsed_ns == 1'800);
  CHECK(built.work_ns == 1'000 + 300 + 200 + 500);
  CHECK(built.not_of_interest_ns == 0);
  CHECK(idle_ns(built, Cause::kSerial) == 1'500);
}

TEST_CASE("what comes before a begin and behind an end is in no figure, and the identity holds") {
  const auto built = marked([](TraceBuilder& trace, int place) {
    trace.event(0, place == 0 ? 900 : 1'350, FORETASK_EVENT_INTEREST, {place == 0 ? 1U : 0U});
  });
  CHECK(built.elapsed_ns == 450);
  CHECK(built.recorded_elapsed_ns == 450);
  CHECK(built.not_of_interest_ns == 900 + 450);
  CHECK(built.work_ns == 100 + 300 + 200 + 50);
  CHECK(built.work_ns + built.delay_ns + built.no_work_ns == 2 * built.elapsed_ns);
  CHECK(idle_ns(built, Cause::kSerial) == 100 + 50);
  CHECK(idle_ns(built, Cause::kImbalance) == 100);
}

TEST_CASE("what ends first was of interest from the start, and stretches add up") {
  const auto built = marked([](TraceBuilder& trace, int place) {
    trace.event(0, place == 0 ? 400 : 1'300, FORETASK_EVENT_INTEREST, {place == 0 ? 0U : 1U});
  });
  // 400 ns at the start and 500 at the end.
  CHECK(built.elapsed_ns == 900);
  CHECK(built.work_ns == 900);
  CHECK(built.not_of_interest_ns == 900);
  CHECK(built.work_ns + built.delay_ns + built.no_work_ns == 2 * built.elapsed_ns);
}
