// SPDX-License-Identifier: Apache-2.0
// From which iterations on a recording knows costs anew.
#include "simulate/teams/pooled_pieces.hpp"

#include "catch.hpp"
#include "unit/simulate/team_graph_of.hpp"

using foretask::analysis::LoopPiece;
using foretask::analysis::LoopSchedule;
using foretask::analysis::TaskGraph;
using foretask::simulate::cuts_of;
using Cuts = std::vector<std::int64_t>;

namespace {

Cuts cuts(const std::vector<LoopPiece>& pieces) {
  const TaskGraph graph = loop_graph_of(pieces, LoopSchedule::kDynamic, 1);
  const auto shares = foretask::graph::shares_of_phase(graph.team, graph.team.phases[0], graph.duration_ns);
  return cuts_of({graph.team, 0, shares, graph.team.phases[0].threads});
}

}  // namespace

TEST_CASE("blocks one behind the other are cut at each end, however long they are") {
  CHECK(cuts({{0, 0, 9, 10, 1}}).empty());
  CHECK(cuts({{0, 0, 3, 4, 1}, {1, 4, 4, 1, 1}, {2, 5, 9, 5, 1}}) == Cuts{4, 5});
  CHECK(cuts({{0, 0, 0, 1, 1}, {0, 9, 9, 1, 1}, {1, 1, 8, 8, 1}}) == Cuts{1, 9});
}

TEST_CASE("pieces that lie in each other are known together") {
  // Two threads take turns: 0, 2, 4 and 1, 3, 5, then 6 to 11 likewise.
  CHECK(cuts({{0, 0, 4, 3, 1}, {0, 6, 10, 3, 1}, {1, 1, 5, 3, 1}, {1, 7, 11, 3, 1}}) == Cuts{6});
  // Behind them a block of its own.
  CHECK(cuts({{0, 0, 4, 3, 1}, {0, 6, 7, 2, 1}, {1, 1, 5, 3, 1}}) == Cuts{6});
  CHECK(cuts({{0, 0, 9, 6, 1}, {1, 2, 11, 6, 1}}).empty());
  // Where each lies in the next one, stretches are as long as the longest of them: 0 to 7, 4 to 11, 8 to 15 and so on
  // up to 20 to 27.
  CHECK(cuts({{0, 0, 7, 4, 1},
              {0, 8, 15, 4, 1},
              {0, 16, 23, 4, 1},
              {1, 4, 11, 4, 1},
              {1, 12, 19, 4, 1},
              {1, 20, 27, 8, 1}}) == Cuts{8, 16});
}

TEST_CASE("a piece that claims iterations beyond the loop's may be any of them") {
  CHECK(cuts({{0, 0, 3, 4, 1}, {1, 4, 7, 4, 1}, {1, 80, 83, 4, 1}}).empty());
  CHECK(cuts({{0, 5, 2, 4, 1}, {1, 4, 7, 4, 1}}).empty());
}
