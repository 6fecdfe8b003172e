// SPDX-License-Identifier: Apache-2.0
// Cancelled taskgroups: what began ran, what did not is counted apart, and nobody's time is taken for another's.
#include "integration/recorded.hpp"

using namespace record_test;

TEST_CASE("the tasks of a cancelled group either ran or are counted as cancelled") {
  for_each_runtime({1, 2}, [](const Settings& base) {
    const Scratch scratch;
    Settings settings = base;
    settings.environment = "OMP_CANCELLATION=true";
    const Recorded recorded = record(scratch, "cancels", {"40"}, settings);
    const std::vector<std::int64_t> printed = numbers(recorded.outcome.out);
    REQUIRE(printed.size() == 2);
    REQUIRE(printed[0] == 1);
    CHECK(recorded["create_task"] == 41);
    CHECK(kernel(recorded, "cancels.c", "search").count == printed[1]);
    CHECK(kernel(recorded, "cancels.c", "after").count == 1);
    CHECK(recorded["cancelled_tasks"] == 40 - printed[1]);
    if (settings.threads == 2) CHECK(recorded["cancelled_tasks"] > 0);
    // A millisecond of spinning each: by the clock, so that a busy machine cannot make it less.
    CHECK(kernel(recorded, "cancels.c", "search").work_ns >= printed[1] * 900'000);
  });
}
