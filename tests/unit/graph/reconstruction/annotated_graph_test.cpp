// SPDX-License-Identifier: Apache-2.0
// The graph of a sequential program whose tasks are annotated with what they read and write.

#include "catch.hpp"
#include "unit/graph/reconstruction/trace_builder.hpp"

using foretask::test::contradiction;
using foretask::test::edges_into;
using foretask::test::Name;
using foretask::test::strands_of;
using foretask::test::TraceBuilder;
namespace graph = foretask::graph;

namespace {

constexpr std::uint32_t kIn = 1;
constexpr std::uint32_t kOut = 2;
constexpr std::uint32_t kInout = 3;
using Lines = std::vector<std::string>;

// Main (task 0) creates three tasks, one after the other, and waits: 1 writes, 2 reads, 3 writes again.
TraceBuilder writes_reads_writes() {
  TraceBuilder trace(1);
  const Name main = trace.initial(0, 0);
  trace.begin_annotated(0, 10, {{0x1000, 64, kOut}});
  trace.end(0, 20);
  trace.begin_annotated(0, 30, {{0x1020, 8, kIn}});
  trace.end(0, 40);
  trace.begin_annotated(0, 50, {{0x1000, 64, kOut}, {0x2000, 1, kInout}});
  trace.end(0, 60);
  trace.wait(0, 70);
  trace.wait_end(0, 70);
  trace.member_end(0, 80, main);
  return trace;
}

}  // namespace

TEST_CASE("what lies between the tasks creates them, and the end waits for all") {
  const graph::RecordedGraph built = writes_reads_writes().build();
  CHECK(contradiction(built) == "");
  CHECK(built.anomalies == 0);
  CHECK(built.workers == 1);
  CHECK(built.tasks == 3);
  CHECK(strands_of(built) ==
        Lines{"0@0 0-10", "1@0 10-20", "0@0 20-30", "2@0 30-40", "0@0 40-50", "3@0 50-60", "0@0 60-70", "0@0 70-80"});
  CHECK(edges_into(built, 1) == Lines{"0>1n"});
  CHECK(edges_into(built, 2) == Lines{"0>2c"});
  CHECK(edges_into(built, 3) == Lines{"1>3d", "2>3n"});
  // After the read of one part and the first write of the rest.
  CHECK(edges_into(built, 5) == Lines{"1>5d", "3>5d", "4>5n"});
  CHECK(edges_into(built, 7) == Lines{"1>7j", "3>7j", "5>7j", "6>7c"});
}

TEST_CASE("with buffers renamed the second write waits for nothing") {
  const graph::RecordedGraph built = writes_reads_writes().build({}, 0, {}, true);
  CHECK(edges_into(built, 3) == Lines{"1>3d", "2>3n"});
  CHECK(edges_into(built, 5) == Lines{"4>5n"});
}

TEST_CASE("a task within a task is ordered with its siblings alone, and the outer one ends after it") {
  TraceBuilder trace(1);
  trace.initial(0, 0);
  trace.begin_annotated(0, 10, {{0x1000, 8, kInout}});  // task 1
  trace.begin_annotated(0, 20, {{0x1000, 8, kInout}});  // task 2, its child
  trace.end(0, 30);
  trace.begin_annotated(0, 40, {{0x1000, 8, kIn}});  // task 3, its second
  trace.end(0, 50);
  trace.wait(0, 60);
  trace.wait_end(0, 60);
  trace.end(0, 70);
  trace.begin_annotated(0, 80, {{0x1000, 8, kIn}});  // task 4, after the first
  trace.end(0, 90);
  const graph::RecordedGraph built = trace.build();
  CHECK(built.anomalies == 0);
  const Lines strands = strands_of(built);
  const auto place = [&](const std::string& strand) {
    return static_cast<graph::NodeIndex>(std::find(strands.begin(), strands.end(), strand) - strands.begin());
  };
  CHECK(edges_into(built, place("3@0 40-50")) ==
        Lines{std::to_string(place("2@0 20-30")) + ">" + std::to_string(place("3@0 40-50")) + "d",
              std::to_string(place("1@0 30-40")) + ">" + std::to_string(place("3@0 40-50")) + "n"});
  const Lines last = edges_into(built, place("4@0 80-90"));
  CHECK(last.size() == 2);
  CHECK(last[0] == std::to_string(place("1@0 60-70")) + ">" + std::to_string(place("4@0 80-90")) + "d");
}

TEST_CASE("accesses of no task are counted and make nothing") {
  TraceBuilder trace(1);
  trace.event(0, 5, FORETASK_EVENT_ACCESSES, {1, 0x1000, 0, 8, 0, kInout});
  trace.initial(0, 10);
  trace.event(0, 20, FORETASK_EVENT_ACCESSES, {1, 0x1000, 0, 8, 0, kInout});
  const graph::RecordedGraph built = trace.build();
  CHECK(built.anomalies == 2);
  CHECK(contradiction(built) == "");
}
