// SPDX-License-Identifier: Apache-2.0
// Small tasks that become one event with the task that they are within: what is counted stays exact.
#include <filesystem>

#include "integration/recorded.hpp"

using namespace record_test;
using Catch::Matchers::ContainsSubstring;

namespace {

std::uintmax_t bytes_of(const std::string& folder) {
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().filename().string().starts_with("stream_")) bytes += entry.file_size();
  return bytes;
}

Recorded record_with_grain(const Scratch& scratch, const std::string& name, const std::vector<std::string>& arguments,
                           Settings settings, const std::string& grain) {
  settings.options = {"--no-samples", "--grain", grain};
  settings.folder = "grain" + grain;
  Recorded recorded;
  recorded.outcome = run_recorder(scratch, name, arguments, settings);
  recorded.folder = scratch / settings.folder;
  INFO(name << " on " << settings.threads << " threads of " << settings.runtime.name << ": " << recorded.outcome.out
            << recorded.outcome.err);
  REQUIRE(recorded.outcome.exit_code == 0);
  recorded.report = report_of(scratch, recorded.folder);
  check_figures(recorded.report, {});
  return recorded;
}

}  // namespace

TEST_CASE("of fib(20) without a cut-off each creation and each wait is counted, whatever the grain") {
  const std::string program = GENERATE("fib", "untied_fib");
  for_each_runtime({1, 2}, [&](const Settings& settings) {
    const Scratch scratch;
    const Recorded whole = record_with_grain(scratch, program, {"20"}, settings, "0");
    const Recorded contracted = record_with_grain(scratch, program, {"20"}, settings, "100us");
    for (const Recorded* recorded : {&whole, &contracted}) {
      CHECK((*recorded)["tasks"] == 2 * 10945);
      CHECK((*recorded)["create_task"] == 2 * 10945);
      CHECK((*recorded)["wait_tasks"] == 10945);
      CHECK(kernel(*recorded, "fib.c", "left").count == 10945);
      CHECK(kernel(*recorded, "fib.c", "right").count == 10945);
    }
    CHECK(whole["contracted_tasks"] == 0);
    // Two threads may take parts of each other's subtrees, which then stay.
    if (settings.threads != 1) return;
    CHECK(contracted["contracted_tasks"] > contracted["tasks"] / 2);
    CHECK(contracted["strands"] < whole["strands"] / 10);
    CHECK(bytes_of(contracted.folder) < bytes_of(whole.folder) / 5);
  });
}

TEST_CASE("a replay of contracted tasks takes the runtime's time for them, and cut-offs ask for the tasks themselves") {
  const Scratch scratch;
  Settings settings;
  settings.threads = 1;
  settings.environment = "FORETASK_HOME=" + quoted(scratch / "home");
  const Recorded recorded = record_with_grain(scratch, "fib", {"20"}, settings, "100us");
  const auto makespan_ns = [&](const std::vector<std::string>& options) {
    std::vector<std::string> words = {"simulate", recorded.folder, "--cores", "1", "--json"};
    words.insert(words.end(), options.begin(), options.end());
    const Outcome outcome = cli_test::foretask(scratch, words);
    INFO(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    return json::parse(outcome.out).at("runs").at(0).at("makespan_ns").get<std::int64_t>();
  };
  // Without costs it is the tasks' own time; fib's are nearly all the runtime's.
  CHECK(makespan_ns({"--policy", "ready-fifo"}) <= recorded["work_ns"] + recorded["outside_ns"]);
  // Of fib's tasks nothing may be left where costs are taken out that were measured on a busy machine.
  const Outcome cut_offs =
      run(scratch, {cli_test::kForetask, "whatif", recorded.folder, "--grain", "1ns", "--cores", "2"},
          "export FORETASK_CALIBRATE=0 " + settings.environment + ";");
  CHECK(cut_offs.exit_code == 1);
  CHECK_THAT(cut_offs.err, ContainsSubstring("--grain 0"));
}

TEST_CASE("without --grain the environment has the grain, and --grain 0 is none") {
  const Scratch scratch;
  Settings settings;
  settings.threads = 1;
  settings.environment = "FORETASK_GRAIN_NS=100000";
  CHECK(record_with_grain(scratch, "fib", {"18"}, settings, "0")["contracted_tasks"] == 0);
  settings.folder = "given";
  REQUIRE(run_recorder(scratch, "fib", {"18"}, settings).exit_code == 0);
  CHECK(report_of(scratch, scratch / "given").at("contracted_tasks") > 0);
}

TEST_CASE("a grain is one time, of at most 10 ms") {
  const Scratch scratch;
  for (const char* wrong : {"10", "1us,2us", "1s", "-1us", "x"}) {
    const Outcome outcome = cli_test::foretask(scratch, {"record", "--grain", wrong, "--", "true"});
    INFO(wrong);
    CHECK(outcome.exit_code == 2);
  }
}
