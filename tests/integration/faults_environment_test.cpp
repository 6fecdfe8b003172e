// SPDX-License-Identifier: Apache-2.0
// The variables that turn recording on and off, and those that nobody knows.
#include "integration/recorded.hpp"

using namespace record_test;
using Catch::Matchers::ContainsSubstring;

namespace {

// fib(10) with the hook named to the runtime, as a user without the launcher does it.
Outcome run_with_hook(const Scratch& scratch, const std::string& environment) {
  return run(scratch, {program("fib"), "10"},
             "export OMP_NUM_THREADS=2 OMP_TOOL_LIBRARIES=" + quoted(kHook) + " " + environment + ";");
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
  return count;
}

bool is_empty_but_for_output(const Scratch& scratch) {
  for (const auto& entry : cli_test::fs::directory_iterator(scratch.path()))
    if (entry.path().filename() != "stdout" && entry.path().filename() != "stderr") return false;
  return true;
}

}  // namespace

TEST_CASE("off is off: no word, no folder") {
  for (const std::string environment : {"FORETASK=off", "FORETASK=", "FORETASK_OUT=run"}) {
    const Scratch scratch;
    const Outcome outcome = run_with_hook(scratch, environment);
    INFO(environment);
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.out == "fib(10) = 55\n");
    CHECK(outcome.err.empty());
    CHECK(is_empty_but_for_output(scratch));
  }
}

TEST_CASE("FORETASK=record records without the launcher") {
  const Scratch scratch;
  const Outcome outcome = run_with_hook(scratch, "FORETASK=record FORETASK_OUT=run");
  CHECK(outcome.out == "fib(10) = 55\n");
  CHECK(outcome.err.empty());
  // fib(10): F(11) - 1 = 88 calls make two tasks each.
  const json report = report_of(scratch, scratch / "run");
  CHECK(report.at("create_task") == 2 * 88);
  check_figures(report, {});
}

TEST_CASE("a mode that is none is one warning, and the program runs unrecorded") {
  const Scratch scratch;
  const Outcome outcome = run_with_hook(scratch, "FORETASK=recrod FORETASK_OUT=run");
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out == "fib(10) = 55\n");
  CHECK(count_of(outcome.err, "\n") == 1);
  CHECK_THAT(outcome.err, ContainsSubstring("foretask: warning: ") && ContainsSubstring("recrod"));
  CHECK(is_empty_but_for_output(scratch));
}

TEST_CASE("an unknown variable is one warning, and the recording goes on") {
  const Scratch scratch;
  Settings settings;
  settings.environment = "FORETASK_X=1";
  const Recorded recorded = record(scratch, "fib", {"10"}, settings);
  CHECK(count_of(recorded.outcome.err, "warning") == 1);
  CHECK_THAT(recorded.outcome.err, ContainsSubstring("unknown variable FORETASK_X"));
}

TEST_CASE("a malformed limit is one warning, and there is none") {
  for (const std::string limit : {"many", "-1", "10x", "1.5G", "99999999999999999999"}) {
    const Scratch scratch;
    Settings settings;
    settings.environment = "FORETASK_MAX_BYTES=" + limit;
    const Recorded recorded = record(scratch, "fib", {"10"}, settings);
    CHECK(count_of(recorded.outcome.err, "warning") == 1);
    CHECK_THAT(recorded.outcome.err, ContainsSubstring("FORETASK_MAX_BYTES=" + limit));
  }
}
