// SPDX-License-Identifier: Apache-2.0
// Replays that divide loops: what is refused, and when.
#include <string>

#include "catch.hpp"
#include "foretask/analysis/simulate.hpp"
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
