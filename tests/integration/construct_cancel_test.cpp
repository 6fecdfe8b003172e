// SPDX-License-Identifier: Apache-2.0
// Cancelled taskgroups: what began ran, what did not is counted apart, and nobody's time is taken for another's.
#include "integration/recorded.hpp"

using namespace record_test;

namespace {

// The only or-parallel section, in which 40 tasks search and the first one wins.
json check_section(const Recorded& recorded, std::int64_t begun) {
  REQUIRE(recorded.report.at("speculative").size() == 1);
  const json& section = recorded.report["speculative"][0];
  const std::string place = "(cancels.c:" + std::to_string(line_of("cancels.c", "search")) + ")";
  CHECK_THAT(section.at("name").get<std::string>(), Catch::Matchers::ContainsSubstring(place));
  CHECK(section.at("groups") == 1);
  CHECK(section.at("cancelled") == 1);
  CHECK(section.at("members") == 40);
  CHECK(section.at("never_ran") == recorded["cancelled_tasks"]);
  CHECK(section.at("ended").get<std::int64_t>() + section.at("cut_short").get<std::int64_t>() == begun - 1);
  CHECK(section.at("winner_ns").at("mean").get<double>() >= 1e6);
  CHECK(section.at("left_ns").get<double>() > 0);
  CHECK(section.at("winner_work_ns").get<double>() >= 0.9e6);
  CHECK((section.at("wasted_work_ns").get<double>() > 0) == (begun > 1));
  return section;
}

}  // namespace

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
    if (names_all_tasks(settings)) CHECK(kernel(recorded, "cancels.c", "after").count == 1);
    CHECK(recorded["cancelled_tasks"] == 40 - printed[1]);
    if (settings.threads == 2) CHECK(recorded["cancelled_tasks"] > 0);
    // A millisecond of spinning each: by the clock, so that a busy machine cannot make it less.
    CHECK(kernel(recorded, "cancels.c", "search").work_ns >= printed[1] * 900'000);
    check_section(recorded, printed[1]);
  });
}

TEST_CASE("tasks that find their group cancelled are cut short") {
  for_each_runtime({2}, [](const Settings& base) {
    const Scratch scratch;
    Settings settings = base;
    settings.environment = "OMP_CANCELLATION=true";
    const Recorded recorded = record(scratch, "cancels", {"40", "forever"}, settings);
    const std::vector<std::int64_t> printed = numbers(recorded.outcome.out);
    REQUIRE(printed.size() == 2);
    const json section = check_section(recorded, printed[1]);
    CHECK(section.at("cut_short") == printed[1] - 1);
    CHECK(section.at("ended") == 0);
  });
}

namespace {

// No event contradicts another one (record()), and all tasks are there.
void check_nested(const Settings& base, const std::vector<std::string>& arguments) {
  const Scratch scratch;
  Settings settings = base;
  settings.environment = "OMP_CANCELLATION=true";
  const Recorded recorded = record(scratch, "cancels_nested", arguments, settings);
  const std::vector<std::int64_t> printed = numbers(recorded.outcome.out);
  REQUIRE(printed.size() == 2);
  REQUIRE(printed[0] == 1);
  CHECK(recorded["create_task"] == printed[1]);
  CHECK(recorded["cancelled_tasks"] > 0);
}

}  // namespace

TEST_CASE("tasks of a cancelled group may make tasks and wait for them") {
  for_each_runtime({1, 2}, [](const Settings& settings) { check_nested(settings, {}); });
}

TEST_CASE("of a cancelled region's tasks only those that ran are learned and counted as done") {
  for_each_runtime({2}, [](Settings settings) {
    const Scratch scratch;
    settings.environment += " OMP_CANCELLATION=true FORETASK_HOME=home FORETASK_PROGRESS=json";
    const std::string name = program(settings.runtime.is_libgomp() ? "gcc_cancels" : "cancels");
    const Outcome learned = run(scratch, {"timeout", "60", cli_test::kForetask, "learn", "--", name, "40", "region"},
                                assignments(settings));
    INFO(learned.err);
    REQUIRE(learned.exit_code == 0);
    const std::vector<std::int64_t> printed = numbers(learned.out);
    REQUIRE(printed.size() == 2);
    REQUIRE(printed[0] == 1);
    CHECK(printed[1] > 0);
    CHECK(printed[1] < 40);
    CHECK_THAT(learned.err, Catch::Matchers::ContainsSubstring("\"tasks\": " + std::to_string(printed[1]) + ", \"wor"));
    CHECK_THAT(learned.err, Catch::Matchers::ContainsSubstring("learned " + std::to_string(printed[1]) + " samples"));
  });
}

// LLVM's runtime says of a task that a cancelled region discards that it is complete.
TEST_CASE("tasks of a cancelled region may make tasks and wait for them") {
  for_each_runtime({1, 2}, [](const Settings& settings) { check_nested(settings, {"regions"}); });
}
