// SPDX-License-Identifier: Apache-2.0
// Graphs of taskwait and taskgroup, counted by hand.

#include "catch.hpp"
#include "graph/reconstruction/path_analysis.hpp"
#include "unit/graph/reconstruction/trace_builder.hpp"

using foretask::test::contradiction;
using foretask::test::edges_into;
using foretask::test::edges_of;
using foretask::test::Name;
using foretask::test::strands_of;
using foretask::test::TraceBuilder;
namespace graph = foretask::graph;

namespace {

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("a taskgroup waits for children and for their children") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  trace.group(0, 30);
  const Name child = trace.create(0, 40);
  trace.group_wait(0, 50);
  trace.run(0, 60, child);
  const Name grandchild = trace.create(0, 70);
  trace.end(0, 80);
  trace.run(0, 90, grandchild);
  trace.end(0, 100);
  trace.group_end(0, 110);
  trace.end_team(120);
  const auto built = trace.build();
  CHECK(strands_of(built) == Lines{"0@0 0-10", "1@0 20-40", "1@0 40-50", "2@0 60-70", "2@0 70-80", "3@0 90-100",
                                   "1@0 110-120", "1* 130", "1@0 130-140", "0@0 150-160"});
  CHECK(edges_of(built) ==
        Lines{"0>1n", "1>2c", "1>3n", "3>4c", "3>5n", "2>6c", "4>6j", "5>6j", "6>7j", "6>8c", "7>8j", "0>9c", "8>9j"});
  CHECK(built.work_ns == 100);
  CHECK(built.delay_ns == 30);  // before each of the two tasks, and before the group's owner goes on
  CHECK(built.no_work_ns == 30);
  CHECK(graph::longest_work_path(built).length == 80);
  CHECK(built.wait_tasks == 1);
  CHECK(built.anomalies == 0);
}

TEST_CASE("a taskwait waits for children only, the barrier joins their children") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  const Name child = trace.create(0, 40);
  trace.wait(0, 50);
  trace.run(0, 60, child);
  const Name grandchild = trace.create(0, 70);
  trace.end(0, 80);
  trace.wait_end(0, 85);
  trace.barrier(0, 95);
  trace.run(0, 100, grandchild);
  trace.end(0, 110);
  trace.barrier_end(0, 130);
  const auto built = trace.build();
  CHECK(strands_of(built) == Lines{"0@0 0-10", "1@0 20-40", "1@0 40-50", "2@0 60-70", "2@0 70-80", "1@0 85-95",
                                   "3@0 100-110", "1* 130", "1@0 130-130"});
  CHECK(edges_of(built) ==
        Lines{"0>1n", "1>2c", "1>3n", "3>4c", "2>5c", "4>5j", "3>6n", "5>7j", "6>7j", "5>8c", "7>8j"});
  CHECK(built.delay_ns == 20);  // 50-60, 80-85, 95-100
  CHECK(built.no_work_ns == 30);
  CHECK(built.anomalies == 0);
}

// As where a processor's clock advances in steps of 40 ns.
TEST_CASE("of equal stamps a task's begin and a wait's end come after what they wait for on another thread") {
  TraceBuilder trace(2);
  trace.begin_team(2);
  const Name outer = trace.create(0, 30);
  trace.wait(0, 40);
  trace.run(1, 50, outer);
  const Name inner = trace.create(1, 60);
  trace.run(0, 60, inner);
  trace.end(0, 70);
  trace.end(1, 80);
  trace.wait_end(0, 80);
  trace.barrier(1, 90);
  trace.end_team(100);
  const auto built = trace.build();
  CHECK(strands_of(built) == Lines{"0@0 0-10", "1@0 20-30", "2@1 20-50", "1@0 30-40", "3@1 50-60", "3@1 60-80",
                                   "4@0 60-70", "2@1 80-90", "1@0 80-100", "1* 110", "1@0 110-120", "0@0 130-140"});
  CHECK(edges_into(built, 6) == Lines{"4>6n"});          // its creation
  CHECK(edges_into(built, 8) == Lines{"3>8c", "5>8j"});  // the task's end
  CHECK(built.anomalies == 0);
}

TEST_CASE("a taskgroup does not wait for what its owner had created before") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  const Name before = trace.create(0, 30);
  trace.group(0, 35);
  const Name within = trace.create(0, 40);
  trace.group_wait(0, 50);
  trace.run(0, 60, within);
  trace.end(0, 70);
  trace.group_end(0, 80);
  trace.wait(0, 90);
  trace.run(0, 100, before);
  trace.end(0, 110);
  trace.wait_end(0, 120);
  trace.end_team(130);
  const auto built = trace.build();
  CHECK(strands_of(built) == Lines{"0@0 0-10", "1@0 20-30", "1@0 30-40", "1@0 40-50", "3@0 60-70", "1@0 80-90",
                                   "2@0 100-110", "1@0 120-130", "1* 140", "1@0 140-150", "0@0 160-170"});
  CHECK(edges_into(built, 5) == Lines{"3>5c", "4>5j"});
  CHECK(edges_into(built, 7) == Lines{"5>7c", "6>7j"});
  CHECK(built.anomalies == 0);
}

TEST_CASE("taskgroups within taskgroups wait for their own, a taskwait between them for the rest") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  trace.group(0, 30);
  const Name outer = trace.create(0, 40);
  trace.group(0, 45);
  const Name inner = trace.create(0, 50);
  trace.group_wait(0, 60);
  trace.run(0, 60, inner);
  trace.end(0, 70);
  trace.group_end(0, 70);
  trace.wait(0, 80);
  trace.run(0, 80, outer);
  trace.end(0, 90);
  trace.wait_end(0, 90);
  trace.group_wait(0, 100);
  trace.group_end(0, 110);
  trace.end_team(120);
  const auto built = trace.build();
  CHECK(strands_of(built) == Lines{"0@0 0-10", "1@0 20-40", "1@0 40-50", "1@0 50-60", "3@0 60-70", "1@0 70-80",
                                   "2@0 80-90", "1@0 90-100", "1@0 110-120", "1* 130", "1@0 130-140", "0@0 150-160"});
  CHECK(edges_into(built, 5) == Lines{"3>5c", "4>5j"});
  CHECK(edges_into(built, 7) == Lines{"5>7c", "6>7j"});
  CHECK(edges_into(built, 8) == Lines{"7>8c"});  // nothing is left to wait for
  CHECK(edges_into(built, 9) == Lines{"8>9j"});
  CHECK(built.wait_tasks == 3);
  CHECK(built.anomalies == 0);
}

TEST_CASE("waiting for nothing is delay: the waiting task could go on at once") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  trace.wait(0, 30);
  trace.wait_end(0, 37);
  trace.group(0, 40);
  trace.group_wait(0, 50);
  trace.group_end(0, 55);
  trace.end_team(60);
  const auto built = trace.build();
  CHECK(built.delay_ns == 7 + 5);
  CHECK(contradiction(built).empty());
}

TEST_CASE("a taskgroup waits for a task whose creator ends while it waits in a taskgroup of its own") {
  TraceBuilder trace(2);
  trace.begin_team(2);
  trace.barrier(1, 20);
  trace.group(0, 30);
  const Name parent = trace.create(0, 40);
  trace.group_wait(0, 50);
  trace.run(1, 60, parent);
  const Name child = trace.create(1, 65);
  trace.run(0, 70, child);
  trace.group(0, 75);
  const Name grandchild = trace.create(0, 78);
  trace.group_wait(0, 80);
  trace.end(1, 90);
  trace.run(1, 95, grandchild);
  trace.end(1, 100);
  trace.group_end(0, 110);
  trace.end(0, 120);
  trace.group_end(0, 130);
  trace.end_team(140);
  const auto built = trace.build();
  CHECK(built.anomalies == 0);
  // The parent's strands begin at 60 and 65, the child's at 70, 75, 78 and 110.
  const auto last = static_cast<graph::NodeIndex>(
      std::find(built.strands.begin_ns.begin(), built.strands.begin_ns.end(), 130) - built.strands.begin_ns.begin());
  Lines joined;
  for (std::size_t i = 0; i < built.edges.size(); ++i)
    if (built.edges.to[i] == last && built.edges.kind[i] == graph::EdgeKind::kJoin)
      joined.push_back(std::to_string(built.strands.begin_ns[built.edges.from[i]]));
  std::sort(joined.begin(), joined.end());
  CHECK(joined == Lines{"110", "65"});
  CHECK(contradiction(built).empty());
}

TEST_CASE("where tasks are released early a wait's end may be stamped a little before what it waited for") {
  const std::int64_t end_ns = GENERATE(900, 5'000);
  const std::uint32_t code = GENERATE(0U, 0x9000U);  // without code: a pool, whose tasks are released early
  TraceBuilder trace(2);
  trace.initial(0, 0);
  const Name region = trace.fork(0, 10, code);
  const Name first = trace.member(0, 20, region, 2, 0);
  trace.member(1, 20, region, 2, 1);
  trace.barrier(1, 20);
  trace.group(0, 30);
  const Name child = trace.create(0, 40);
  trace.group_wait(0, 50);
  trace.group_end(0, 100);
  trace.run(1, 105, child);
  trace.end(1, end_ns);
  trace.member_end(0, 8'000, first);
  trace.join(0, 9'000, region);
  CHECK(trace.build().anomalies == (end_ns < 1'000 && code == 0 ? 0 : 1));
}
