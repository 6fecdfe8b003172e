// SPDX-License-Identifier: Apache-2.0
// A stream that threads have one after the other gives the graph that a stream each would.

#include "catch.hpp"
#include "graph/reconstruction/core_times.hpp"
#include "trace/stream_reader.hpp"
#include "unit/graph/reconstruction/trace_builder.hpp"

using foretask::test::contradiction;
using foretask::test::Name;
using foretask::test::TraceBuilder;
namespace graph = foretask::graph;

namespace {

void begin_thread(TraceBuilder& trace, std::uint32_t worker, std::int64_t at_ns, std::uint32_t thread) {
  trace.event(worker, at_ns, FORETASK_EVENT_THREAD_BEGIN, {thread, 0});
}

void end_thread(TraceBuilder& trace, std::uint32_t worker, std::int64_t at_ns) {
  trace.event(worker, at_ns, FORETASK_EVENT_THREAD_END);
}

// Each on its own, one at a time: an initial task with a child, which it waits for.
void short_thread(TraceBuilder& trace, std::uint32_t worker, std::int64_t at_ns, std::uint32_t thread) {
  begin_thread(trace, worker, at_ns, thread);
  const Name initial = trace.initial(worker, at_ns);
  const Name task = trace.create(worker, at_ns + 5);
  trace.wait(worker, at_ns + 10);
  trace.run(worker, at_ns + 10, task);
  trace.end(worker, at_ns + 30);
  trace.wait_end(worker, at_ns + 30);
  trace.member_end(worker, at_ns + 35, initial);
  end_thread(trace, worker, at_ns + 35);
}

// A worker of the team that ends in its barrier, without a word of its implicit task; then another one joins the team.
TraceBuilder team_whose_worker_ends(std::uint32_t second) {
  TraceBuilder trace(3);
  begin_thread(trace, 0, 0, 100);
  const Name main = trace.initial(0, 0);
  const Name region = trace.fork(0, 10);
  const Name first = trace.member(0, 20, region, 2, 0);
  begin_thread(trace, 1, 20, 101);
  trace.member(1, 20, region, 2, 1);
  trace.barrier(1, 20);
  const Name one = trace.create(0, 30);
  trace.run(1, 40, one);
  trace.end(1, 60);
  end_thread(trace, 1, 70);
  begin_thread(trace, second, 80, 102);
  trace.member(second, 80, region, 2, 2);
  trace.barrier(second, 80);
  const Name two = trace.create(0, 90);
  trace.run(second, 100, two);
  trace.end(second, 130);
  trace.barrier(0, 140);
  trace.barrier_end(0, 150);
  trace.member_end(0, 160, first);
  trace.join(0, 170, region);
  trace.member_end(0, 180, main);
  return trace;
}

void check_same(const graph::RecordedGraph& one, const graph::RecordedGraph& other) {
  CHECK(one.anomalies == other.anomalies);
  CHECK(one.workers == other.workers);
  CHECK(one.work_ns == other.work_ns);
  CHECK(one.delay_ns == other.delay_ns);
  CHECK(one.no_work_ns == other.no_work_ns);
  CHECK(one.elapsed_ns == other.elapsed_ns);
  CHECK(one.strands.begin_ns == other.strands.begin_ns);
  CHECK(one.strands.end_ns == other.strands.end_ns);
  CHECK(foretask::test::edges_of(one) == foretask::test::edges_of(other));
}

}  // namespace

TEST_CASE("threads of the program's own that come one after the other are one worker") {
  TraceBuilder shared(1);
  TraceBuilder own(3);
  for (std::uint32_t i = 0; i < 3; ++i) {
    short_thread(shared, 0, 50 * i, 100 + i);
    short_thread(own, i, 50 * i, 100 + i);
  }
  const graph::RecordedGraph built = shared.build({}, 200);
  CHECK(contradiction(built) == "");
  CHECK(built.anomalies == 0);
  CHECK(built.workers == 1);
  CHECK(built.tasks == 3);
  check_same(built, own.build({}, 200));
}

TEST_CASE("what a thread of a team was in does not go on in the stream's next thread") {
  const graph::RecordedGraph built = team_whose_worker_ends(1).build();
  CHECK(contradiction(built) == "");
  CHECK(built.anomalies == 0);
  CHECK(built.workers == 2);
  CHECK(built.tasks == 2);
  check_same(built, team_whose_worker_ends(2).build());
}

TEST_CASE("what a thread waited for a core says nothing of the thread before it") {
  TraceBuilder trace(1);
  const auto times = [&trace](std::int64_t at_ns, std::uint32_t elapsed, std::uint32_t on_core, std::uint32_t waited,
                              std::uint32_t flags) {
    trace.event(0, at_ns, FORETASK_EVENT_THREAD_TIMES, {elapsed, 0, on_core, 0, waited, 0, flags});
  };
  begin_thread(trace, 0, 0, 100);
  trace.barrier(0, 1);
  times(1000, 1000, 400, 0, FORETASK_TIMES_BLOCKED);  // 600 off the cores: blocked, as far as is known
  end_thread(trace, 0, 1100);
  begin_thread(trace, 0, 2000, 101);
  trace.barrier(0, 2001);
  times(3000, 1000, 400, 0, FORETASK_TIMES_BLOCKED);
  times(3001, 0, 0, 600, FORETASK_TIMES_HAS_WAITED);  // all of the second thread's were waits
  const auto bytes = trace.stream(0).bytes();
  auto reader = foretask::trace::StreamReader::from_memory(bytes.data(), bytes.size());
  graph::CoreTimesReader core_times;
  for (foretask::trace::Event event; reader.next(event);) core_times.add(event);
  CHECK(core_times.waited_ticks() == 600);
  double waited = 0;
  double blocked = 0;
  for (const graph::CoreTimes& piece : core_times.finish()) {
    const auto ticks = static_cast<double>(piece.to_ticks - piece.from_ticks);
    waited += piece.waited * ticks;
    blocked += piece.blocked * ticks;
  }
  CHECK(waited == Approx(600));
  CHECK(blocked == Approx(600));
}
