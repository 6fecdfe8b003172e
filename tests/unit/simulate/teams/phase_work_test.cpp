// SPDX-License-Identifier: Apache-2.0
// What each of another number of threads does of a phase outside of loops; counted by hand.
#include "simulate/teams/phase_work.hpp"

#include "catch.hpp"
#include "unit/simulate/team_graph_of.hpp"

using foretask::analysis::TaskGraph;
using foretask::simulate::PhaseWork;

namespace {

std::vector<double> rest(const TaskGraph& graph, std::uint32_t threads) {
  return PhaseWork(graph, graph.duration_ns, graph.team.phases[0], threads, nullptr).rest_ns();
}

}  // namespace

TEST_CASE("a region that may be a loop is divided, along the slope between its threads") {
  const TaskGraph graph = team_graph_of({300, 100});
  CHECK(rest(graph, 1) == std::vector<double>{400});
  // From the first thread's middle to the second's its cost falls to a third, and on to nothing at the end: of quarters
  // in steps of 50.
  const std::vector<double> quarters = rest(graph, 4);
  REQUIRE(quarters.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) CHECK(quarters[i] == Approx(175.0 - 50 * static_cast<double>(i)).epsilon(0.01));
}

TEST_CASE("what each thread does for itself more threads do as the mean, and fewer do what is left of the others") {
  TaskGraph graph = team_graph_of({100, 500, 300});
  graph.team.phases[0].rest_divides = false;
  CHECK(rest(graph, 5) == std::vector<double>{500, 300, 100, 300, 300});
  CHECK(rest(graph, 2) == std::vector<double>{500 + 50, 300 + 50});
  CHECK(rest(graph, 1) == std::vector<double>{900});
}

TEST_CASE("what one thread does for all is done once") {
  TaskGraph graph = team_graph_of({70, 30});
  graph.team.strands[1].is_of_one = true;
  graph.team.phases[0].rest_divides = false;
  // 70 of one of two threads: a further thread's mean is 35.
  CHECK(rest(graph, 3) == std::vector<double>{30 + 70, 35, 35});
}
