// SPDX-License-Identifier: Apache-2.0
// Tasks that no group of their creator's waits for, and teams of no construct. Counted by hand.

#include "catch.hpp"
#include "unit/graph/reconstruction/trace_builder.hpp"

using foretask::test::contradiction;
using foretask::test::Name;
using foretask::test::TraceBuilder;
namespace graph = foretask::graph;

namespace {

using Lines = std::vector<std::string>;

// "FROM KIND" of the edges into the strand that began at `begin_ns` on worker 0, by when those before began.
Lines before(const graph::RecordedGraph& built, std::int64_t begin_ns) {
  Lines lines;
  for (std::size_t i = 0; i < built.edges.size(); ++i) {
    const graph::NodeIndex to = built.edges.to[i];
    if (built.strands.begin_ns[to] != begin_ns || built.strands.worker[to] != 0) continue;
    lines.push_back(std::to_string(built.strands.begin_ns[built.edges.from[i]]) + " " +
                    "dcnj"[static_cast<std::size_t>(built.edges.kind[i])]);
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace

TEST_CASE("a group ends before a loose task of its owner's, and what names that one comes after it") {
  TraceBuilder trace(2);
  trace.begin_team(2);
  trace.barrier(1, 20);
  trace.group(0, 30);
  const Name loose = trace.create(0, 40, FORETASK_TASK_LOOSE);
  const Name member = trace.create(0, 50);
  trace.group_wait(0, 60);
  trace.run(1, 62, member);
  trace.end(1, 70);
  trace.group_end(0, 80);
  trace.run(1, 85, loose);
  const Name inner = trace.create(1, 88);
  trace.end(1, 95);
  trace.run(1, 96, inner);
  trace.end(1, 98);
  const std::uint64_t id = std::uint64_t{loose.stream + 1} << 32 | loose.number;
  const Name wait = trace.create_after(0, 100, {{id, FORETASK_DEPENDENCE_AFTER}}, FORETASK_TASK_WAIT);
  trace.event(0, 110, FORETASK_EVENT_DEPEND_WAIT_END, {wait.number, wait.stream});
  trace.end_team(120);
  const auto built = trace.build();
  CHECK(built.anomalies == 0);
  CHECK(built.tasks == 3);
  CHECK(before(built, 80) == Lines{"50 c", "62 j"});
  // The loose task's last strand began when it had created the other one.
  CHECK(before(built, 110) == Lines{"80 c", "88 d"});
  CHECK(contradiction(built).empty());
}

TEST_CASE("a team of a region without code runs the program's serial part, which no other threads could share") {
  const std::uint32_t code = GENERATE(0U, 0x9000U);
  TraceBuilder trace(2);
  trace.initial(0, 0);
  const Name region = trace.fork(0, 10, code);
  const Name first = trace.member(0, 20, region, 2, 0);
  trace.member(1, 20, region, 2, 1);
  trace.barrier(1, 20);
  trace.barrier(0, 60);
  trace.barrier_end(0, 65);
  trace.member_end(0, 70, first);
  trace.join(0, 80, region);
  const auto built = trace.build();
  const auto kernel = built.kernels[built.kernel_of_task[1]];
  CHECK((kernel.kind == graph::KernelSite::Kind::kSerial) == (code == 0));
  CHECK(built.team.phases.front().divides == (code != 0));
  CHECK(contradiction(built).empty());
}

TEST_CASE("a task that goes on after it has released its group has run before the wait's end, and goes on after it") {
  TraceBuilder trace(2);
  trace.initial(0, 0);
  const Name region = trace.fork(0, 10, 0);
  const Name first = trace.member(0, 20, region, 2, 0);
  trace.member(1, 20, region, 2, 1);
  trace.barrier(1, 20);
  trace.group(0, 30);
  const Name member = trace.create(0, 40);
  const Name loose = trace.create(0, 50, FORETASK_TASK_LOOSE);
  trace.group_wait(0, 60);
  trace.run(1, 65, member);
  trace.group_end(0, 80);
  trace.end(1, 85);
  trace.run(1, 90, loose);
  const std::uint64_t id = std::uint64_t{loose.stream + 1} << 32 | loose.number;
  const Name wait = trace.create_after(0, 100, {{id, FORETASK_DEPENDENCE_AFTER}}, FORETASK_TASK_WAIT);
  trace.event(0, 110, FORETASK_EVENT_DEPEND_WAIT_END, {wait.number, wait.stream});
  trace.end(1, 115);
  trace.member_end(0, 120, first);
  trace.join(0, 130, region);
  const auto built = trace.build();
  CHECK(built.anomalies == 0);
  CHECK(built.tasks == 2);
  CHECK(before(built, 80) == Lines{"50 c", "65 j"});
  CHECK(before(built, 110) == Lines{"80 c", "90 d"});
  // The strands that are waited for end there.
  for (std::size_t i = 0; i < built.edges.size(); ++i)
    CHECK(built.strands.end_ns[built.edges.from[i]] <= built.strands.begin_ns[built.edges.to[i]]);
  CHECK(contradiction(built).empty());
}

TEST_CASE("a task that has released its group is whole, though the recording ends before its own end") {
  const bool is_waited_for = GENERATE(true, false);
  TraceBuilder trace(2);
  trace.initial(0, 0);
  const Name region = trace.fork(0, 10, 0);
  const Name first = trace.member(0, 20, region, 2, 0);
  trace.member(1, 20, region, 2, 1);
  trace.barrier(1, 20);
  trace.group(0, 30);
  const Name member = trace.create(0, 40);
  trace.group_wait(0, 60);
  trace.run(1, 65, member);
  if (is_waited_for) trace.group_end(0, 80);
  trace.member_end(0, 120, first);
  trace.join(0, 130, region);
  CHECK(trace.build().unfinished_tasks == (is_waited_for ? 0 : 1));
}
