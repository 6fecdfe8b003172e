// SPDX-License-Identifier: Apache-2.0

#include "catch.hpp"
#include "foretask/analysis/scheduling_costs.hpp"

using namespace foretask::analysis;

TEST_CASE("costs of a size that was measured are those") {
  const std::vector<TeamCosts> teams{{.threads = 1, .create_ns = 3}, {.threads = 4, .create_ns = 40, .steal_ns = 7}};
  CHECK(team_costs(teams, 1).create_ns == 3);
  CHECK(team_costs(teams, 4).create_ns == 40);
  CHECK(team_costs(teams, 4).threads == 4);
}

TEST_CASE("between two sizes costs follow the logarithm of the threads, beyond them the nearest holds") {
  const std::vector<TeamCosts> teams{
      {.threads = 1, .create_ns = 3}, {.threads = 2, .create_ns = 100}, {.threads = 32, .create_ns = 500}};
  // 8 is halfway from 2 to 32 on a logarithmic scale.
  CHECK(team_costs(teams, 8).create_ns == 300);
  CHECK(team_costs(teams, 1000).create_ns == 500);
  CHECK(team_costs({teams[0], teams[2]}, 2).create_ns == 500);
}

TEST_CASE("a team of one says nothing of larger ones, nor they of it") {
  CHECK(team_costs({{.threads = 1, .create_ns = 3}}, 2).create_ns == 0);
  CHECK(team_costs({{.threads = 2, .create_ns = 3}}, 1).create_ns == 0);
  CHECK(team_costs({}, 5).create_ns == 0);
  CHECK(team_costs({}, 5).threads == 5);
}
