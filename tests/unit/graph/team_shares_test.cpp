// SPDX-License-Identifier: Apache-2.0
// What one thread must do of a phase alone, counted by hand.
#include "graph/team_shares.hpp"

#include "catch.hpp"
#include "unit/simulate/team_graph_of.hpp"

namespace analysis = foretask::analysis;
namespace graph = foretask::graph;
using analysis::LoopSchedule;
using analysis::TaskGraph;

namespace {

std::vector<std::int64_t> indivisible(const TaskGraph& of) {
  return indivisible_ns(of.team, graph::TeamShares(of.team, of.duration_ns), of.duration_ns);
}

}  // namespace

TEST_CASE("of a dynamic loop one thread must do the longest chunk") {
  // Chunks of two; the first of them takes 30, the other thread's are one piece of three chunks of 20 each.
  const TaskGraph replayed = loop_graph_of({{0, 0, 1, 2, 30}, {1, 2, 7, 6, 60}}, LoopSchedule::kDynamic, 2);
  CHECK(indivisible(replayed) == std::vector<std::int64_t>{10, 30, 0, 10});
}

TEST_CASE("a share without pieces is spread over all iterations where others have some, as replays spread it") {
  // Ten iterations in chunks of four. Thread 0's pieces are lost: of its 100 ns a chunk has 40.
  TaskGraph replayed = loop_graph_of({{0, 0, 0, 1, 100}, {1, 8, 9, 2, 10}}, LoopSchedule::kDynamic, 4);
  replayed.team.pieces.erase(replayed.team.pieces.begin());
  replayed.team.loops[0].end_piece = 1;
  replayed.team.loops[0].iterations = 10;
  CHECK(indivisible(replayed)[1] == 40);
  // Its iterations are not known either: up to the last one that was recorded.
  replayed.team.loops[0].iterations = 0;
  CHECK(indivisible(replayed)[1] == 40);
}

TEST_CASE("where no share has pieces each lies in its thread's block of the iterations") {
  TaskGraph replayed = loop_graph_of({{0, 0, 0, 1, 100}, {1, 8, 9, 2, 10}}, LoopSchedule::kDynamic, 4);
  replayed.team.pieces.clear();
  replayed.team.loops[0].end_piece = 0;
  replayed.team.loops[0].iterations = 10;
  // Thread 0's block is 0 to 4, of which the first chunk has four.
  CHECK(indivisible(replayed)[1] == 80);
}

TEST_CASE("of a static loop one thread must do an iteration of the costlier block") {
  const TaskGraph replayed = loop_graph_of({{0, 0, 4, 5, 300}, {1, 5, 9, 5, 100}}, LoopSchedule::kStatic, 0);
  CHECK(indivisible(replayed) == std::vector<std::int64_t>{10, 60, 0, 10});
}

TEST_CASE("a region that may be a loop divides to nothing, what each thread does for itself does not") {
  TaskGraph replayed = team_graph_of({100, 500, 300});
  CHECK(indivisible(replayed) == std::vector<std::int64_t>{10, 0, 0, 0, 10});
  replayed.team.phases[0].rest_divides = false;
  // 500, the longest; a phase's first strand outside of loops has it.
  CHECK(indivisible(replayed) == std::vector<std::int64_t>{10, 500, 0, 0, 10});
}

TEST_CASE("what one thread does for all is not divided") {
  TaskGraph replayed = team_graph_of({70, 30});
  replayed.team.strands[1].is_of_one = true;
  CHECK(indivisible(replayed) == std::vector<std::int64_t>{10, 30, 0, 10});
}

TEST_CASE("a phase that does not divide keeps its durations") {
  TaskGraph replayed = team_graph_of({100, 500});
  replayed.team.phases[0].divides = false;
  CHECK(indivisible(replayed).empty());
}

TEST_CASE("shares are visited loop by loop, what is outside of loops last") {
  TaskGraph replayed = loop_graph_of({{0, 0, 1, 2, 30}, {1, 2, 7, 6, 60}}, LoopSchedule::kDynamic, 2);
  replayed.team.strands[0].loop = analysis::kNoLoop;
  const graph::TeamShares shares(replayed.team, replayed.duration_ns);
  std::vector<std::pair<std::uint32_t, std::int64_t>> visited;
  graph::for_each_loop(shares.of_phase(0), [&](std::uint32_t loop, std::span<const graph::TeamShare> of_loop) {
    REQUIRE(of_loop.size() == 1);
    visited.emplace_back(loop, of_loop[0].ns);
  });
  CHECK(visited == std::vector<std::pair<std::uint32_t, std::int64_t>>{{0, 60}, {analysis::kNoLoop, 30}});
}
