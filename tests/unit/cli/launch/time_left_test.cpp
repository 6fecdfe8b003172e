// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/time_left.hpp"

#include "catch.hpp"

using foretask::cli::CampaignRun;
using foretask::cli::TimeLeft;

TEST_CASE("the time left is told from the same runs, else from the same work, else from all runs") {
  const CampaignRun small_alone{{"8"}, 1, 1, ""};
  const CampaignRun small_on_four{{"8"}, 4, 1, ""};
  const CampaignRun large{{"64"}, 1, 1, ""};
  const std::vector<const CampaignRun*> runs{&small_alone, &small_on_four, &large};
  TimeLeft left;
  CHECK(left.of(runs, 0) == 0);
  left.add(small_alone, 12);
  CHECK(left.of(runs, 0) == 12 + 12.0 / 4 + 12);
  CHECK(left.of(runs, 1) == 12.0 / 4 + 12);
  left.add(small_on_four, 4);
  CHECK(left.of(runs, 0) == 12 + 4 + (12 + 4) / 2.0);
  CHECK(left.of(runs, 3) == 0);
}
