// SPDX-License-Identifier: Apache-2.0
// What records, learns, counts and predicts at once.
#include <string>
#include <vector>

#include "recorded.hpp"
#include "skip.hpp"

namespace {

using namespace record_test;
using Catch::Matchers::ContainsSubstring;

// A store of this test's own.
std::string home(const Scratch& scratch) { return "FORETASK_HOME=" + quoted(scratch / "home"); }

// How many of 400 tasks were predicted before they were created.
std::int64_t predicted(const Outcome& outcome) { return numbers(outcome.out).front(); }

std::int64_t samples_of(const Scratch& scratch, const std::string& kernel) {
  const Outcome outcome =
      run(scratch, {cli_test::kForetask, "model", "show", "--json"}, "export " + home(scratch) + ";");
  INFO(outcome.out << outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const json models = json::parse(outcome.out);
  for (const json& one : models.at("models"))
    if (one.at("kernel") == kernel) return one.at("samples");
  return 0;
}

}  // namespace

TEST_CASE("a program is recorded and learned at once, and predictions are answered from its first samples on") {
  for_each_runtime({1, 2}, [](Settings settings) {
    const Scratch scratch;
    settings.environment = home(scratch) + " FORETASK_PROGRESS=1";
    settings.options = {"--learn"};
    const Recorded recorded = record(scratch, "predicted", {"400"}, settings);
    CHECK(tasks_of(recorded, "step") == 400);
    CHECK(samples_of(scratch, "step") == 400);
    CHECK(predicted(recorded.outcome) >= 340);  // 60 tasks precede the first answer
    CHECK_THAT(recorded.outcome.err, ContainsSubstring("learned 400 samples of 1 kernels") &&
                                         ContainsSubstring("recorded into ") && ContainsSubstring("done in "));
    // From then on the store answers a recording that does not learn.
    settings.options = {};
    settings.folder = "again";
    CHECK(predicted(record(scratch, "predicted", {"400"}, settings).outcome) == 400);
    CHECK(samples_of(scratch, "step") == 400);
  });
}

TEST_CASE("what is counted of a task is a parameter of its model while the program runs") {
  for_each_runtime({2}, [](Settings settings) {
    const Scratch scratch;
    settings.environment = home(scratch);
    settings.options = {"--learn", "--counters", "perf::PAGE-FAULTS"};
    const Outcome outcome = run_recorder(scratch, "faults", {"2000"}, settings);
    INFO(outcome.out << outcome.err);
    REQUIRE(outcome.exit_code == 0);
    if (outcome.err.find("perf::PAGE-FAULTS is not counted (unavailable)") != std::string::npos)
      FORETASK_SKIP("PAPI counts nothing on this machine");
    CHECK(numbers(outcome.out).front() >= 20);
    CHECK(samples_of(scratch, "touching") == 2000);
    CHECK(samples_of(scratch, "touching with perf::PAGE-FAULTS") == 2000);
  });
}

TEST_CASE("without a model a recording that does not learn predicts nothing") {
  const Scratch scratch;
  Settings settings;
  settings.environment = home(scratch);
  CHECK(predicted(record(scratch, "predicted", {"100"}, settings).outcome) == 0);
  CHECK(!cli_test::fs::exists(scratch / "home/models"));
}

TEST_CASE("where tasks are learned and counted every construct is recorded as it is alone") {
  using Words = std::vector<std::string>;
  const auto [name, arguments] = GENERATE(table<std::string, Words>({{"depend", {}},
                                                                     {"depend_wait", {}},
                                                                     {"detach", {"late"}},
                                                                     {"detach", {"early"}},
                                                                     {"detach", {"foreign"}},
                                                                     {"nested", {}},
                                                                     {"recursive", {}},
                                                                     {"taskgroup", {}},
                                                                     {"taskloop", {}},
                                                                     {"undeferred", {}},
                                                                     {"worksharing", {}}}));
  CAPTURE(name, arguments);
  for_each_runtime({2}, [&name = name, &arguments = arguments](Settings settings) {
    const Scratch scratch;
    settings.environment = home(scratch);
    const Outcome alone = run_recorder(scratch, name, arguments, settings);
    REQUIRE(alone.exit_code == 0);
    const json expected = report_of(scratch, "run");
    settings.environment += " FORETASK_PROGRESS=json";
    settings.options = {"--learn"};
    settings.folder = "both";
    const Outcome both = run_recorder(scratch, name, arguments, settings);
    INFO(both.err);
    REQUIRE(both.exit_code == 0);
    const json found = report_of(scratch, "both");
    for (const char* const key : {"tasks", "create_task", "wait_tasks", "cancelled_tasks", "barriers"})
      CHECK(found.at(key) == expected.at(key));
    // Which thread comes last to a region's end, and how many chunks it runs, varies.
    if (name != "nested" && name != "worksharing") CHECK(found.at("edges") == expected.at("edges"));
    CHECK(found.at("kernels").size() == expected.at("kernels").size());
    CHECK(found.at("loops").size() == expected.at("loops").size());
  });
}
