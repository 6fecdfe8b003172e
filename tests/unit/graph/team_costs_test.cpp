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

TEST_CASE("a task comes from a wait or from the end of another, and in a team of one within its creation") {
  const TeamCosts two{.threads = 2,
                      .create_ns = 1,
                      .wait_ns = 2,
                      .body_ns = 4,
                      .at_once_ns = 1000,
                      .dispatch_ns = 8,
                      .next_ns = 16,
                      .resume_ns = 32};
  // Of two tasks behind one wait: two creations and bodies, the wait; from it one task, then the other, and back.
  CHECK(2 * task_costs(two, 0.5).within_ns == 2 * (1 + 4) + 2);
  CHECK(2 * task_costs(two, 0.5).between_ns == 8 + 16 + 32);
  // A wait that waits for nothing comes from no task.
  CHECK(task_costs(two, 3).between_ns == 8 + 32);
  const TeamCosts one{.threads = 1, .create_ns = 1, .wait_ns = 2, .body_ns = 4, .at_once_ns = 64};
  CHECK(task_costs(one, 0.5).ns() == 1 + 4 + 1 + 64);
}
