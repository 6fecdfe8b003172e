// SPDX-License-Identifier: Apache-2.0
// Replays that divide loops: what is refused, and when.
#include <string>

#include "catch.hpp"
#include "foretask/analysis/simulate.hpp"
#include "unit/simulate/recording_of.hpp"
#include "unit/simulate/team_graph_of.hpp"

namespace analysis = foretask::analysis;

TEST_CASE("loops divided among too many cores are refused before the first replay") {
  analysis::TaskGraph graph = team_graph_of({300, 100});
  graph.team.phases.assign(100'000, graph.team.phases[0]);
  analysis::SimulationOptions options;
  options.policy = analysis::Policy::kFifo;
  analysis::ReplayGrid grid;
  grid.cores = {2, 1'000'000};
  int replays = 0;
  grid.threads = 1;
  grid.progress = [&replays](double) { ++replays; };
  const auto result = simulate(graph, options, grid);
  REQUIRE_FALSE(result.ok());
  CHECK_THAT(result.error().message(), Catch::Matchers::ContainsSubstring("100000 parallel phases on 1000000 cores"));
  CHECK(replays == 0);
  CHECK_FALSE(graph_on_cores(graph, 1'000'000).ok());
}

TEST_CASE("a loop that changes where a kept schedule leaves loops undivided is an error") {
  const analysis::TaskGraph graph =
      loop_graph_of({{0, 0, 4, 5, 300}, {1, 5, 9, 5, 100}}, analysis::LoopSchedule::kStatic, 0);
  analysis::SimulationOptions options;
  options.cores = 2;
  options.policy = analysis::Policy::kFifo;
  options.keep_schedule = true;
  CHECK(simulate(graph, options).value().makespan_ns == 10 + 300 + 10);
  options.loops = {{2, analysis::LoopSchedule::kDynamic, 1}};
  CHECK_FALSE(simulate(graph, options).ok());
}

namespace {

// A taskloop of eight iterations on two threads: two tasks, of 300 and 100 ns. So the first iteration takes 93.75 ns,
// and each 12.5 less than the one before.
analysis::TaskGraph taskloop_graph(std::uint64_t iterations) {
  Recording run;
  const std::uint32_t root = run.add_task(analysis::kNoNode, 0);
  const std::uint32_t first = run.create(root, 300, 0);
  const std::uint32_t second = run.create(root, 100, 0);
  run.wait(root, 10);
  analysis::TaskGraph graph = run.graph();
  const auto half = static_cast<std::int64_t>(iterations / 2);
  graph.team.loops = {{.iterations = iterations, .is_taskloop = true, .end_piece = 2}};
  graph.team.pieces = {{0, 0, half - 1, iterations / 2, 1}, {1, half, 2 * half - 1, iterations / 2, 1}};
  graph.team.strands = {{.node = run.tasks[first].first, .thread = 0, .loop = 0},
                        {.node = run.tasks[second].first, .thread = 1, .loop = 0}};
  graph.team.phases = {{.threads = 2, .rest_divides = false, .end_strand = 2}};
  return graph;
}

}  // namespace

TEST_CASE("a taskloop that says nothing of its tasks has as many as there are threads") {
  const analysis::TaskGraph graph = taskloop_graph(8);
  const auto makespan_ns = [&graph](std::uint32_t cores, analysis::Policy policy) {
    analysis::SimulationOptions options;
    options.cores = cores;
    options.policy = policy;
    return simulate(graph, options).value().makespan_ns;
  };
  for (const auto policy : {analysis::Policy::kFifo, analysis::Policy::kWorkStealing}) {
    CHECK(makespan_ns(1, policy) == 400 + 10);
    CHECK(makespan_ns(2, policy) == 300 + 10);
    CHECK(makespan_ns(4, policy) == 175 + 10);
    CHECK(makespan_ns(64, policy) == 94 + 10);
  }
  CHECK(span_ns(graph) == 75 + 10);  // an iteration of the first task's mean
  const analysis::TaskGraph on_four = graph_on_cores(graph, 4).value().value();
  CHECK(work_ns(on_four) == work_ns(graph));
  CHECK(on_four.parent_of_task.back() == graph.parent_of_task.back());
}

TEST_CASE("a taskloop has no more tasks than iterations") {
  analysis::SimulationOptions options;
  options.cores = 16;
  options.policy = analysis::Policy::kFifo;
  CHECK(simulate(taskloop_graph(2), options).value().makespan_ns == 300 + 10);
}
