// SPDX-License-Identifier: Apache-2.0
// What foretask decided of a program's subtrees, as reports show it: by the program's own counts.
#include "integration/recorded.hpp"

using namespace record_test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("reports show the tasks that were made, and the calls in their place") {
  const Scratch scratch;
  const Recorded recorded = record(scratch, "subtrees", {"14"});
  const json& granularity = recorded.report.at("granularity");
  REQUIRE(granularity.size() == 1);
  const json& tree = granularity[0];
  CHECK(tree.at("name") == "tree");
  CHECK(recorded.outcome.out == std::to_string(tree.at("tasks").get<long>()) + " tasks, " +
                                    std::to_string(tree.at("calls").get<long>()) + " calls\n");
  CHECK(tree.at("tasks").get<long>() > 0);
  CHECK(tree.at("decision_ns").get<double>() > 0);
  std::int64_t before = -1;
  for (const json& step : tree.at("thresholds")) {
    CHECK(step.at("time_ns").get<std::int64_t>() > before);
    CHECK(step.at("threshold_ns").get<double>() > 0);
    before = step.at("time_ns").get<std::int64_t>();
  }
  CHECK(before >= 0);
  CHECK(before <= recorded.report.at("recorded_elapsed_ns").get<std::int64_t>());
  CHECK_THAT(cli_test::foretask(scratch, {"report", recorded.folder}).out,
             ContainsSubstring("Parts that foretask made tasks, or had called:"));
}

TEST_CASE("a program that does not ask has nothing of it in its report") {
  const Scratch scratch;
  const Recorded recorded = record(scratch, "fib", {"10"});
  CHECK(recorded.report.at("granularity").empty());
  CHECK_THAT(cli_test::foretask(scratch, {"report", recorded.folder}).out, !ContainsSubstring("made tasks"));
}
