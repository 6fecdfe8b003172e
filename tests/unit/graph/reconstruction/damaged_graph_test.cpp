// SPDX-License-Identifier: Apache-2.0
// Traces that contradict themselves: the graph is built from what makes sense, what does not is counted, and the sums
// hold.
#include <cstring>
#include <random>

#include "catch.hpp"
#include "graph/reconstruction/path_analysis.hpp"
#include "unit/graph/reconstruction/trace_builder.hpp"
#include "unit/trace/events_of.hpp"

using foretask::test::contradiction;
using foretask::test::edges_into;
using foretask::test::Name;
using foretask::test::strands_of;
using foretask::test::StreamBytes;
using foretask::test::TraceBuilder;
namespace graph = foretask::graph;
namespace trace = foretask::trace;

namespace {

using Lines = std::vector<std::string>;

graph::TraceCensus census_of(const std::vector<std::uint8_t>& bytes) {
  std::vector<trace::StreamReader> streams;
  streams.push_back(trace::StreamReader::from_memory(bytes.data(), bytes.size()));
  return graph::take_census(streams, [](std::uint64_t) {});
}

// Words that are small numbers mostly, so that events meet tasks and regions that exist.
std::uint32_t some_word(std::mt19937& random) {
  switch (random() % 16) {
    case 0:
      return static_cast<std::uint32_t>(random());
    case 1:
      return FORETASK_INITIAL_REGION;
    case 2:
      return static_cast<std::uint32_t>(random() % 128);
    default:
      return static_cast<std::uint32_t>(random() % 5);
  }
}

TraceBuilder random_trace(std::mt19937& random) {
  const auto workers = static_cast<std::uint32_t>(1 + random() % 3);
  TraceBuilder trace(workers);
  if (random() % 4 != 0) trace.initial(0, 0);
  std::int64_t now = 0;
  for (int events = static_cast<int>(random() % 300); events > 0; --events) {
    const auto worker = static_cast<std::uint32_t>(random() % workers);
    const auto kind = static_cast<std::uint32_t>(1 + random() % (FORETASK_EVENT_KINDS - 1));
    const foretask::trace::PayloadShape shape = foretask::trace::kPayloadShapes[kind];
    if (!shape.is_event) continue;
    std::vector<std::uint32_t> payload(shape.head_words);
    for (std::uint32_t& word : payload) word = some_word(random);
    if (shape.most_items != 0) payload.back() = static_cast<std::uint32_t>(random() % (shape.most_items + 1U));
    while (payload.size() < shape.size(payload.data())) payload.push_back(some_word(random));
    now += static_cast<std::int64_t>(random() % 100);
    trace.event(worker, now, kind, payload);
    if (random() % 50 == 0) trace.stream(worker).new_packet();
  }
  return trace;
}

}  // namespace

TEST_CASE("whatever events follow each other, a graph comes out whose sums hold") {
  std::mt19937 random(GENERATE(range(1, 9)));
  std::uint64_t anomalies = 0;
  for (int round = 0; round < 300; ++round) {
    const TraceBuilder trace = random_trace(random);
    foretask::trace::ProbeCosts costs{};
    if (round % 2 == 0) costs.fill(3);
    graph::RecordedGraph built = trace.build(costs, 0, std::vector<double>(round % 3, 5));
    CAPTURE(round);
    REQUIRE(contradiction(built) == "");
    REQUIRE(built.kernel_of_task.size() == built.parent_of_task.size());
    REQUIRE(graph::longest_work_path(built).length <= built.work_ns + built.outside_ns);
    REQUIRE(graph::last_finisher_path(built).nodes.size() <= built.strands.size());
    (void)graph::largest_delay_path(built);
    anomalies += built.anomalies;
  }
  CHECK(anomalies > 1'000);
}

TEST_CASE("events of a worker that has no task are counted and make nothing") {
  TraceBuilder trace(2);
  trace.initial(0, 0);
  trace.end(1, 10);
  trace.wait(1, 20);
  trace.wait_end(1, 25);
  trace.barrier(1, 30);
  trace.group(1, 40);
  trace.group_end(1, 50);
  const auto built = trace.build();
  CHECK(built.anomalies == 6);
  CHECK(built.strands.size() == 1);
}

TEST_CASE("a task is created once: another creation under its number changes nothing") {
  TraceBuilder trace(1, 1);
  trace.begin_team(1);
  const Name task = trace.create(0, 30);
  // The next packet's head counts from the start again: numbers 0, 1 and 2 are the initial task, the member and `task`.
  trace.stream(0).new_packet();
  const std::size_t head = trace.stream(0).size_bytes() - StreamBytes::kHeadWords * 4;
  for (int i = 0; i < 3; ++i) trace.create(0, 40 + i);
  trace.wait(0, 50);
  trace.run(0, 60, task);
  trace.end(0, 70);
  trace.wait_end(0, 80);
  auto bytes = trace.stream(0).bytes();
  const std::uint32_t none = 0;
  std::memcpy(bytes.data() + head + 17 * 4, &none, 4);
  std::vector<trace::StreamReader> streams;
  streams.push_back(trace::StreamReader::from_memory(bytes.data(), bytes.size()));
  const auto census = graph::take_census(streams, [](std::uint64_t) {});
  streams[0] = trace::StreamReader::from_memory(bytes.data(), bytes.size());
  graph::BuildOptions options;
  options.start_ticks = TraceBuilder::kStart;
  const auto built = graph::build_graph(streams, census, options);
  CHECK(built.anomalies == 3);
  CHECK(built.create_task == 1);
  CHECK(strands_of(built) == Lines{"0@0 0-10", "1@0 20-30", "1@0 30-50", "2@0 60-70", "1@0 80-80"});
  CHECK(edges_into(built, 4) == Lines{"2>4c", "3>4j"});
}

TEST_CASE("a task that is over before its creation is told is neither ready nor waited for") {
  TraceBuilder trace(2);
  trace.begin_team(2);
  trace.run(1, 25, {0, 2});
  trace.end(1, 28);
  trace.create(0, 30);
  trace.wait(0, 40);
  trace.wait_end(0, 50);
  trace.barrier(0, 60);
  trace.event(0, 100, FORETASK_EVENT_LOCK_RELEASED, {0, 0});
  const auto built = trace.build();
  CHECK(built.delay_ns == 10);  // the wait, for one that is complete
  CHECK(contradiction(built).empty());
}

TEST_CASE("more members than the team is said to have do not lose count of their barriers") {
  TraceBuilder trace(2);
  trace.initial(0, 0);
  const Name region = trace.fork(0, 10);
  trace.member(0, 20, region, 1, 0);
  trace.member(1, 20, region, 1, 1);
  for (int i = 0; i < 3; ++i) {
    trace.barrier(0, 30 + i);
    trace.barrier_end(0, 31 + i);
  }
  trace.barrier(1, 50);
  trace.barrier_end(1, 60);
  const auto built = trace.build();
  CHECK(contradiction(built).empty());
  CHECK(built.strands.size() < 20);
}

TEST_CASE("a second initial task on a worker ends the first one's strand") {
  TraceBuilder trace(1);
  trace.initial(0, 0);
  trace.initial(0, 50);
  trace.wait(0, 100);
  const auto built = trace.build();
  CHECK(strands_of(built) == Lines{"0@0 0-50", "1@0 50-100"});
  CHECK(built.oversubscribed_ns == 0);
  CHECK(contradiction(built).empty());
}

TEST_CASE("a switch to a task that is over leaves no ready strand behind") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  const Name task = trace.create(0, 30);
  trace.wait(0, 40);
  trace.run(0, 40, task);
  trace.end(0, 50);
  trace.wait_end(0, 50);
  trace.run(0, 60, task);  // once more
  trace.create(0, 65);
  trace.barrier(0, 100);
  trace.event(0, 200, FORETASK_EVENT_LOCK_RELEASED, {0, 0});
  const auto built = trace.build();
  CHECK(built.anomalies == 2);
  CHECK(contradiction(built).empty());
  // 60 to 65 after the contradiction, then the task that is never run, while the worker waits.
  CHECK(built.delay_ns == 5 + 100);
}

TEST_CASE("losses in the middle: tasks whose creation is gone run, and nothing is made up for them") {
  TraceBuilder trace(2);
  trace.begin_team(2);
  trace.run(1, 30, {0, 500});
  trace.end(1, 40);
  trace.run(1, 50, {7, 3});  // of a stream that is not there
  trace.end(1, 60);
  const auto built = trace.build();
  CHECK(built.tasks == 2);
  CHECK(built.unfinished_tasks == 0);
  CHECK(built.kernels[built.kernel_of_task[3]].kind == graph::KernelSite::Kind::kUnknown);
  CHECK(contradiction(built).empty());
}

TEST_CASE("a region whose beginning is lost has its members") {
  TraceBuilder trace(2);
  trace.initial(0, 0);
  trace.member(0, 20, {0, 9}, 2, 0);
  trace.member(1, 20, {0, 9}, 2, 1);
  trace.barrier(0, 30);
  trace.barrier(1, 35);
  trace.barrier_end(0, 40);
  trace.barrier_end(1, 40);
  const auto built = trace.build();
  CHECK(built.anomalies == 1);
  CHECK(built.workers == 2);
  CHECK(strands_of(built) == Lines{"0@0 0-20", "1@0 20-30", "2@1 20-35", "1* 40", "1@0 40-40", "2@1 40-40"});
}

TEST_CASE("no count in a head claims more tasks than its file could hold") {
  StreamBytes stream;
  stream.event(10, FORETASK_EVENT_IMPLICIT_BEGIN, {~0U, ~0U, 1, 0});
  stream.new_packet();
  const std::size_t head = stream.size_bytes() - StreamBytes::kHeadWords * 4;
  stream.event(20, FORETASK_EVENT_TASK_CREATE, {1});
  auto bytes = stream.bytes();
  for (const std::uint32_t claim : {1'000U, 1U << 20, 1U << 27, (1U << 28) - 1, 0xffffffffU}) {
    std::memcpy(bytes.data() + head + 17 * 4, &claim, 4);
    std::memcpy(bytes.data() + head + 18 * 4, &claim, 4);
    CAPTURE(claim);
    const auto census = census_of(bytes);
    CHECK(census.streams.front().tasks <= bytes.size() / 8);
    CHECK(census.streams.front().regions <= bytes.size() / 8);
  }
  // What a gap of lost packets may hold is believed.
  const std::uint32_t few = 5;
  std::memcpy(bytes.data() + head + 17 * 4, &few, 4);
  CHECK(census_of(bytes).streams.front().tasks == 6);
}

TEST_CASE("a stamp centuries ahead is no undefined time") {
  TraceBuilder trace(1);
  trace.initial(0, 0);
  StreamBytes& stream = trace.stream(0);
  stream.event((~std::uint64_t{0} >> 1) - 1, FORETASK_EVENT_WAIT_BEGIN);
  stream.event(~std::uint64_t{0} >> 1, FORETASK_EVENT_WAIT_END);
  const auto built = trace.build();
  CHECK(built.elapsed_ns > 0);
  CHECK(contradiction(built).empty());
}
