// SPDX-License-Identifier: Apache-2.0
// Graphs of fork-join programs, their strands, edges and measures counted by hand.

#include "catch.hpp"
#include "graph/reconstruction/path_analysis.hpp"
#include "unit/graph/reconstruction/trace_builder.hpp"

using foretask::test::contradiction;
using foretask::test::edges_of;
using foretask::test::Name;
using foretask::test::strands_of;
using foretask::test::TraceBuilder;
namespace graph = foretask::graph;

namespace {

using Lines = std::vector<std::string>;
using Nodes = std::vector<graph::NodeIndex>;

// Two children and a taskwait, all on one worker.
TraceBuilder two_children() {
  TraceBuilder trace(1);
  trace.begin_team(1);
  const Name a = trace.create(0, 30, 0, 0xa);
  const Name b = trace.create(0, 40, 0, 0xb);
  trace.wait(0, 50);
  trace.run(0, 52, a);
  trace.end(0, 62);
  trace.run(0, 65, b);
  trace.end(0, 85);
  trace.wait_end(0, 90);
  trace.end_team(100);
  return trace;
}

// A team of two: the first creates two tasks, each of the team runs one of them while it waits in a barrier.
TraceBuilder two_workers() {
  TraceBuilder trace(2);
  const Name initial = trace.initial(0, 0);
  const Name region = trace.fork(0, 10);
  const Name first = trace.member(0, 20, region, 2, 0);
  trace.member(1, 25, region, 2, 1);
  const Name a = trace.create(0, 30);
  trace.barrier(1, 35);
  const Name b = trace.create(0, 40);
  trace.run(1, 45, a);
  trace.barrier(0, 50);
  trace.run(0, 55, b);
  trace.end(1, 65);
  trace.end(0, 75);
  trace.barrier_end(0, 80);
  trace.barrier_end(1, 82);
  trace.barrier(0, 90);
  trace.barrier(1, 92);
  trace.barrier_end(0, 100);
  trace.member_end(0, 105, first);
  trace.join(0, 110, region);
  trace.member_end(0, 120, initial);
  return trace;
}

}  // namespace

TEST_CASE("create, run and wait on one worker: strands, edges, work and span") {
  const auto built = two_children().build();
  CHECK(strands_of(built) == Lines{"0@0 0-10", "1@0 20-30", "1@0 30-40", "1@0 40-50", "2@0 52-62", "3@0 65-85",
                                   "1@0 90-100", "1* 110", "1@0 110-120", "0@0 130-140"});
  CHECK(edges_of(built) ==
        Lines{"0>1n", "1>2c", "2>3c", "1>4n", "2>5n", "3>6c", "5>6j", "4>6j", "6>7j", "6>8c", "7>8j", "0>9c", "8>9j"});
  CHECK(built.workers == 1);
  CHECK(built.elapsed_ns == 140);
  CHECK(built.recorded_elapsed_ns == 140);
  CHECK(built.work_ns == 100);
  CHECK(built.delay_ns == 10);    // 50-52, 62-65 and 85-90, when a task or the parent could go on
  CHECK(built.no_work_ns == 30);  // the fork, the barrier, the join
  CHECK(built.tasks == 2);
  CHECK(built.create_task == 2);
  CHECK(built.wait_tasks == 1);
  CHECK(built.barriers == 1);
  CHECK(built.anomalies == 0);
  CHECK(built.unfinished_tasks == 0);
  CHECK(contradiction(built).empty());
  const graph::Path longest = graph::longest_work_path(built);
  CHECK(longest.length == 80);
  CHECK(longest.nodes == Nodes{0, 1, 2, 5, 6, 8, 9});
}

TEST_CASE("each creation site is a kernel, with its tasks' number, mean and sum") {
  const auto built = two_children().build();
  CHECK(built.parent_of_task == std::vector<std::uint32_t>{graph::kNoNode, graph::kNoNode, 1, 1});
  const auto totals_at = [&](std::uint64_t code, graph::KernelSite::Kind kind) {
    for (std::size_t i = 0; i < built.kernels.size(); ++i)
      if (built.kernels[i].code == code && built.kernels[i].kind == kind) return built.kernel_totals[i];
    return graph::KernelTotals{};
  };
  CHECK(totals_at(0xa, graph::KernelSite::Kind::kTask).count == 1);
  CHECK(totals_at(0xa, graph::KernelSite::Kind::kTask).work_ns == 10);
  CHECK(totals_at(0xb, graph::KernelSite::Kind::kTask).work_ns == 20);
  CHECK(totals_at(0x9000, graph::KernelSite::Kind::kRegion).work_ns == 50);
  CHECK(totals_at(0, graph::KernelSite::Kind::kSerial).work_ns == 20);
}

TEST_CASE("a barrier joins both of a team and the tasks that they ran meanwhile") {
  const auto built = two_workers().build();
  CHECK(strands_of(built) == Lines{"0@0 0-10", "1@0 20-30", "2@1 25-35", "1@0 30-40", "1@0 40-50", "3@1 45-65",
                                   "4@0 55-75", "1* 80", "1@0 80-90", "2@1 82-92", "1* 100", "1@0 100-105",
                                   "0@0 110-120"});
  CHECK(edges_of(built) == Lines{"0>1n",  "0>2n",  "1>3c",  "3>4c",   "1>5n",  "3>6n",   "2>7j",
                                 "4>7j",  "6>7j",  "5>7j",  "4>8c",   "7>8j",  "2>9c",   "7>9j",
                                 "8>10j", "9>10j", "8>11c", "10>11j", "0>12c", "11>12j", "9>12j"});
  CHECK(built.workers == 2);
  CHECK(built.elapsed_ns == 120);
  CHECK(built.work_ns == 125);
  // 35-45 and 50-55: one worker idle, a task ready.
  CHECK(built.delay_ns == 15);
  CHECK(built.no_work_ns == 100);
  CHECK(built.barriers == 4);
  CHECK(built.anomalies == 0);
  CHECK(contradiction(built).empty());
}

TEST_CASE("the three critical paths of one graph") {
  const auto built = two_workers().build();
  const graph::Path longest = graph::longest_work_path(built);
  CHECK(longest.length == 75);
  CHECK(longest.nodes == Nodes{0, 1, 3, 6, 7, 8, 11, 12});
  const graph::Path last = graph::last_finisher_path(built);
  CHECK(last.nodes == Nodes{0, 1, 3, 6, 7, 9, 10, 11, 12});
  CHECK(last.length == 75);
  // 10 ns until the fork is done, 15 until task 4 is taken, 5 + 2 to leave the barrier, 8 for the next, 5 for the join.
  const graph::Path delayed = graph::largest_delay_path(built);
  CHECK(delayed.length == 45);
  CHECK(delayed.nodes == Nodes{0, 1, 3, 6, 7, 9, 10, 11, 12});
}

TEST_CASE("gaps of the last finisher's path, and who was busy in them") {
  const auto built = two_workers().build();
  const auto gaps = graph::longest_gaps(built, graph::last_finisher_path(built), 4);
  Lines lines;
  for (const foretask::analysis::PathGap& gap : gaps)
    lines.push_back(std::to_string(gap.begin_ns) + "+" + std::to_string(gap.length_ns) + " others " +
                    std::to_string(gap.others_ns) + " all " + std::to_string(gap.busy_ns) +
                    (gap.is_on_another_worker ? " moved" : ""));
  // By hand from the strands above: worker 0 ran 40-50 and worker 1 45-65 while task 4 waited for worker 0.
  CHECK(lines == Lines{"40+15 others 10 all 20", "10+10 others 0 all 0", "92+8 others 0 all 0 moved",
                       "75+7 others 0 all 2 moved"});
  CHECK(gaps[0].kernel == built.kernel_of_task[4]);
  CHECK(gaps[0].others_kernel == built.kernel_of_task[1]);
}

TEST_CASE("a burden counts once on each continuation after a creation and on each join") {
  const auto built = two_workers().build();
  CHECK(graph::burdened_span_ns(built, 0, built.strands.duration_ns) == 75);
  // The path of the span: one creation, two barriers, the region's end.
  CHECK(graph::burdened_span_ns(built, 5, built.strands.duration_ns) == 75 + 4 * 5);
  // Past two creations in the parent, which is then the longer way: 65 ns of work.
  CHECK(graph::burdened_span_ns(built, 100, built.strands.duration_ns) == 65 + 5 * 100);
}

TEST_CASE("the profile's integral is the time that strands ran") {
  const auto built = two_workers().build();
  double running = 0;
  double ready = 0;
  for (std::size_t i = 0; i < built.profile.size(); ++i) {
    const std::int64_t end = i + 1 < built.profile.size() ? built.profile[i + 1].time_ns : built.recorded_elapsed_ns;
    running += built.profile[i].running * static_cast<double>(end - built.profile[i].time_ns);
    ready += built.profile[i].ready * static_cast<double>(end - built.profile[i].time_ns);
  }
  CHECK(running == Approx(125));
  CHECK(ready == Approx(15 + 15));  // task 3 from 30 to 45, task 4 from 40 to 55
}

TEST_CASE("news that a pool's thread gets late changes nothing") {
  const auto expected = two_workers().build();
  SECTION("after the region's end") {
    TraceBuilder trace = two_workers();
    trace.barrier_end(1, 115);
    trace.member_end(1, 116, {1, 0});
    const auto built = trace.build();
    CHECK(strands_of(built) == strands_of(expected));
    CHECK(edges_of(built) == edges_of(expected));
    CHECK(built.no_work_ns == expected.no_work_ns);
    CHECK(built.anomalies == 0);
  }
  SECTION("when the next region begins") {
    TraceBuilder trace(2);
    trace.initial(0, 0);
    const Name first = trace.fork(0, 10);
    const Name m0 = trace.member(0, 20, first, 2, 0);
    const Name m1 = trace.member(1, 20, first, 2, 1);
    trace.barrier(0, 30);
    trace.barrier(1, 30);
    trace.barrier_end(0, 40);
    trace.member_end(0, 45, m0);
    trace.join(0, 50, first);
    const Name second = trace.fork(0, 60);
    trace.barrier_end(1, 70);
    trace.member_end(1, 71, m1);
    trace.member(0, 75, second, 2, 0);
    trace.member(1, 75, second, 2, 1);
    trace.barrier(0, 80);
    trace.barrier(1, 90);
    trace.barrier_end(0, 100);
    const auto built = trace.build();
    CHECK(strands_of(built) == Lines{"0@0 0-10", "1@0 20-30", "2@1 20-30", "1* 40", "1@0 40-45", "0@0 50-60",
                                     "3@0 75-80", "4@1 75-90", "3* 100", "3@0 100-100"});
    CHECK(edges_of(built) == Lines{"0>1n", "0>2n", "1>3j", "2>3j", "1>4c", "3>4j", "0>5c", "4>5j", "2>5j", "5>6n",
                                   "5>7n", "6>8j", "7>8j", "6>9c", "8>9j"});
    CHECK(built.anomalies == 0);
    CHECK(built.workers == 2);
    CHECK(contradiction(built).empty());
  }
}

TEST_CASE("a region within a region: its members come from the one that forks it") {
  TraceBuilder trace(3);
  const Name initial = trace.initial(0, 0);
  const Name outer = trace.fork(0, 10);
  const Name m0 = trace.member(0, 20, outer, 2, 0);
  trace.member(1, 20, outer, 2, 1);
  const Name inner = trace.fork(0, 30);
  const Name i0 = trace.member(0, 40, inner, 2, 0);
  trace.member(2, 40, inner, 2, 1);
  trace.barrier(1, 45);
  trace.barrier(0, 50);
  trace.barrier(2, 55);
  trace.barrier_end(0, 60);
  trace.member_end(0, 65, i0);
  trace.join(0, 70, inner);
  trace.barrier(0, 80);
  trace.barrier_end(0, 90);
  trace.member_end(0, 95, m0);
  trace.join(0, 100, outer);
  trace.member_end(0, 110, initial);
  const auto built = trace.build();
  CHECK(strands_of(built) == Lines{"0@0 0-10", "1@0 20-30", "2@1 20-45", "3@0 40-50", "4@2 40-55", "3* 60", "3@0 60-65",
                                   "1@0 70-80", "1* 90", "1@0 90-95", "0@0 100-110"});
  CHECK(edges_of(built) == Lines{"0>1n", "0>2n", "1>3n", "1>4n", "3>5j", "4>5j", "3>6c", "5>6j", "1>7c", "6>7j", "4>7j",
                                 "2>8j", "7>8j", "7>9c", "8>9j", "0>10c", "9>10j", "2>10j"});
  CHECK(built.workers == 3);  // two of the outer team, one more of the inner
  CHECK(built.work_ns == 100);
  CHECK(built.delay_ns == 0);
  CHECK(built.no_work_ns == 3 * 110 - 100);
  CHECK(graph::longest_work_path(built).length == 10 + 10 + 15 + 5 + 10 + 5 + 10);
  CHECK(built.anomalies == 0);
}
