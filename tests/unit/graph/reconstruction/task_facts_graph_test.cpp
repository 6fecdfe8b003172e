// SPDX-License-Identifier: Apache-2.0
// Counters, named kernels, parameters and samples on their way from a trace to its tasks.
#include <cmath>

#include "catch.hpp"
#include "unit/graph/reconstruction/trace_builder.hpp"

using foretask::test::contradiction;
using foretask::test::Name;
using foretask::test::TraceBuilder;
namespace graph = foretask::graph;

namespace {

std::vector<double> counted(const graph::RecordedGraph& built, std::uint32_t task) {
  const double* const values = built.counters.find(task);
  if (!values) return {};
  return {values, values + built.counters.width()};
}

}  // namespace

TEST_CASE("a task's counters are the sum over its strands") {
  TraceBuilder trace(1);
  trace.begin_team(1);  // tasks 0 (initial) and 1 (implicit)
  const Name first = trace.create(0, 30);
  trace.counters(0, 40, {5, 50});
  trace.run(0, 40, first);
  const Name child = trace.create(0, 45);
  trace.counters(0, 50, {7, 70});
  trace.wait(0, 50);
  trace.counters(0, 55, {});
  trace.run(0, 55, child);
  trace.counters(0, 60, {1, 10});
  trace.end(0, 60);
  trace.counters(0, 65, {});
  trace.wait_end(0, 65);
  trace.counters(0, 70, {2, 1'000'000'000'000});
  trace.end(0, 70);
  trace.end_team(80);
  const graph::RecordedGraph built = trace.build({}, 0, {0, 0});
  CHECK(counted(built, 0).empty());
  CHECK(counted(built, 1) == std::vector<double>{5, 50});
  CHECK(counted(built, 2) == std::vector<double>{9, 1'000'000'000'070});
  CHECK(counted(built, 3) == std::vector<double>{1, 10});
}

TEST_CASE("what a read counts of itself is taken out, a read at a time, down to nothing") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  const Name task = trace.create(0, 30);
  trace.run(0, 40, task);
  trace.counters(0, 45, {100, 2});
  trace.wait(0, 45);
  trace.wait_end(0, 46);
  trace.counters(0, 50, {100, 2});
  trace.end(0, 50);
  trace.end_team(60);
  CHECK(counted(trace.build({}, 0, {30, 5}), 2) == std::vector<double>{140, 0});
}

TEST_CASE("what is counted while no task runs, or is not as many as there are counters, is nobody's") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  trace.create(0, 30);
  trace.counters(0, 35, {1});
  trace.counters(0, 36, {1, 2, 3});
  trace.wait(0, 40);
  trace.counters(0, 45, {4, 5});
  trace.wait_end(0, 50);
  trace.end_team(60);
  const graph::RecordedGraph built = trace.build({}, 0, {0, 0});
  CHECK(built.counters.size() == 0);
  CHECK(trace.build().counters.size() == 0);  // a description that knows of no counter
}

TEST_CASE("a read's cost is taken out of the strand, or of the gap, that it falls into") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  const Name task = trace.create(0, 1030);
  trace.wait(0, 2000);
  trace.counters(0, 2500, {});
  trace.run(0, 3000, task);
  trace.counters(0, 4000, {1});
  trace.end(0, 4000);
  trace.wait_end(0, 4500);
  trace.end_team(5000);
  foretask::trace::ProbeCosts costs{};
  costs[FORETASK_EVENT_TASK_COUNTERS] = 400;
  const graph::RecordedGraph with = trace.build(costs, 0, {0});
  const graph::RecordedGraph without = trace.build({}, 0, {0});
  CHECK(contradiction(with) == "");
  CHECK(without.work_ns - with.work_ns == 400);
  CHECK(without.elapsed_ns - with.elapsed_ns == 800);
  CHECK(with.probe_ns == 800);
}

TEST_CASE("a task that the program names is of that kernel, with its parameters") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  const Name named = trace.create(0, 30);
  trace.kernel(0, 30, 7, {512, 64});
  const Name plain = trace.create(0, 32);
  trace.run(0, 40, named);
  trace.parameter(0, 45, 2, 1.5);
  trace.end(0, 50);
  trace.run(0, 50, plain);
  trace.parameter(0, 52, 0, 3);
  trace.end(0, 55);
  trace.sample(0, 58, 7, 1234.5, {512});
  trace.end_team(60);
  const graph::RecordedGraph built = trace.build();
  const auto& site = built.kernels[built.kernel_of_task[2]];
  CHECK(site.kind == graph::KernelSite::Kind::kNamed);
  CHECK(site.code == 7);
  CHECK(built.kernels[built.kernel_of_task[3]].kind == graph::KernelSite::Kind::kTask);
  CHECK(built.kernel_totals[built.kernel_of_task[2]].count == 1);
  const graph::Parameters* const parameters = built.parameters.find(2);
  REQUIRE(parameters);
  CHECK((*parameters)[0] == 512);
  CHECK((*parameters)[1] == 64);
  CHECK((*parameters)[2] == 1.5);
  CHECK(std::isnan((*parameters)[3]));
  REQUIRE(built.parameters.find(3));
  CHECK((*built.parameters.find(3))[0] == 3);
  CHECK_FALSE(built.parameters.find(1));
  REQUIRE(built.samples.size() == 1);
  CHECK(built.samples.at(7).duration_ns == std::vector<double>{1234.5});
  CHECK(built.samples.at(7).parameters[0][0] == 512);
  CHECK(built.anomalies == 0);
}

TEST_CASE("a task at a code that has a kernel is of that kernel, unless the program names it") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  for (const std::uint32_t code : {0x1000U, 0x2000U, 0x1000U}) {
    const Name task = trace.create(0, 30, 0, code);
    if (task.number == 4) trace.kernel(0, 30, 9, {});
    trace.run(0, 40, task);
    trace.parameter(0, 50, 0, 100);
    trace.end(0, 50);
  }
  trace.end_team(60);
  const graph::RecordedGraph built = trace.build({}, 0, {}, false, {}, {{0x1000, 5}, {0x3000, 6}});
  const auto site_of = [&built](std::uint32_t task) { return built.kernels[built.kernel_of_task[task]]; };
  CHECK(site_of(2).kind == graph::KernelSite::Kind::kNamed);
  CHECK(site_of(2).code == 5);
  CHECK(site_of(3).kind == graph::KernelSite::Kind::kTask);
  CHECK(site_of(3).code == 0x2000);
  CHECK(site_of(4).code == 9);
  // The region and the initial thread are two more; of kernel 6 there is no task.
  CHECK(built.kernels.size() == 3 + 2);
  CHECK(built.anomalies == 0);
}

TEST_CASE("a name before any task, an index beyond the last and a time below nothing are counted and left out") {
  TraceBuilder trace(1);
  trace.begin_team(1);
  trace.kernel(0, 30, 7, {});
  const Name task = trace.create(0, 32);
  trace.run(0, 40, task);
  trace.parameter(0, 45, 8, 1);
  trace.sample(0, 46, 7, -1, {});
  trace.sample(0, 47, 7, std::nan(""), {});
  trace.end(0, 50);
  trace.end_team(60);
  const graph::RecordedGraph built = trace.build();
  CHECK(built.anomalies == 4);
  CHECK(built.samples.empty());
}

TEST_CASE("the workers that were active during a task are the mean over its strands") {
  TraceBuilder trace(2);
  const auto members = trace.begin_team(2);
  const Name first = trace.create(0, 20);
  const Name second = trace.create(0, 20);
  trace.barrier(1, 20);
  trace.barrier(0, 20);
  trace.run(0, 100, first);  // alone for 100 ns, beside the other for 300
  trace.run(1, 200, second);
  trace.end(0, 500);
  trace.end(1, 600);  // 300 of its 400 ns beside the first
  trace.barrier_end(0, 700);
  trace.member_end(0, 710, members[0]);
  const graph::RecordedGraph built = trace.build();
  const std::uint32_t kernel = built.kernel_of_task[3];
  REQUIRE(built.observations.size() > kernel);
  const auto& kept = built.observations[kernel].kept();
  REQUIRE(kept.size() == 2);
  CHECK(kept[0].time_ns == 400);
  CHECK(kept[0].active_workers == Approx(1.75));
  CHECK(kept[0].worker == 0);
  CHECK(kept[1].active_workers == Approx(1.75));
  CHECK(kept[1].worker == 1);
}

TEST_CASE("of many tasks an even sample is kept, always the same") {
  graph::Observations observations;
  graph::Observations again;
  constexpr std::uint32_t kTasks = 200'000;
  for (std::uint32_t task = 0; task < kTasks; ++task) {
    observations.add(task, task, 1, 0);
    again.add(task, task, 1, 0);
  }
  CHECK(observations.seen() == kTasks);
  REQUIRE(observations.kept().size() == graph::Observations::kMost);
  double mean = 0;
  for (std::size_t i = 0; i < graph::Observations::kMost; ++i) {
    mean += static_cast<double>(observations.kept()[i].task) / static_cast<double>(graph::Observations::kMost);
    CHECK(observations.kept()[i].task == again.kept()[i].task);
  }
  // Of 16,384 numbers evenly from 0 to 200,000: 100,000 with a standard error of 451.
  CHECK(mean > 97'700);
  CHECK(mean < 102'300);
}
