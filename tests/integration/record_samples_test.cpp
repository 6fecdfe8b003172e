// SPDX-License-Identifier: Apache-2.0
// Makespans of runs to come, sampled from recordings by the real command line.
#include "integration/recorded.hpp"

using namespace record_test;
using Catch::Matchers::Contains;

namespace {

void record_fib(const Scratch& scratch, const std::string& folder, const std::string& n, const std::string& threads) {
  const Outcome outcome =
      cli_test::foretask(scratch, {"record", "--param", "n=" + n, "--out", folder, "--", program("fib"), n},
                         "export OMP_NUM_THREADS=" + threads + ";");
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
}

Outcome samples(const Scratch& scratch, std::vector<std::string> words) {
  words.insert(words.begin(), {"simulate", "run", "--cores", "1,2", "--samples", "60"});
  return cli_test::foretask(scratch, words);
}

}  // namespace

TEST_CASE("what a run took over its replay is in its samples, but not on one core, nor under another policy") {
  const Scratch scratch;
  record_fib(scratch, "run", "14", "2");
  const Outcome outcome = samples(scratch, {"--json"});
  REQUIRE(outcome.exit_code == 0);
  const json found = json::parse(outcome.out);
  const double measured_ns = found.at("measured").at("elapsed_ns").get<double>();
  const double replayed_ns = found["runs"][1]["makespan_ns"].get<double>();
  const double ratio = found.at("sampled").at("run_over_replay").get<double>();
  // The mean logarithm of the same replays, whose median is shown.
  const double range =
      std::log(found["runs"][1]["highest_ns"].get<double>() / found["runs"][1]["lowest_ns"].get<double>());
  CHECK(std::abs(std::log(measured_ns / replayed_ns) - std::log(ratio)) <= range + 1e-9);
  // Around what was measured on as many cores; on one core around the work.
  const auto median = [&](int at) { return found["runs"][at]["samples"]["quantiles_ns"]["p50"].get<double>(); };
  CHECK(median(1) == Approx(measured_ns).epsilon(0.25));
  CHECK(median(0) == Approx(found["runs"][0]["makespan_ns"].get<double>()).epsilon(0.25));
  const json ideal = json::parse(samples(scratch, {"--json", "--policy", "critical-path"}).out);
  CHECK(ideal.at("sampled").at("run_over_replay") == 1);
  CHECK_THAT(samples(scratch, {}).out, Contains("One recording does not show how whole runs differ, for example by "
                                                "clock rate or other load. Give more recordings: --runs."));
}

TEST_CASE("other recordings are of the same program, parameters and workers, and came to their end") {
  const Scratch scratch;
  record_fib(scratch, "run", "12", "2");
  record_fib(scratch, "again", "12", "2");
  record_fib(scratch, "larger", "13", "2");
  record_fib(scratch, "wider", "12", "3");
  const Outcome good = samples(scratch, {"--runs", "again"});
  CHECK(good.exit_code == 0);
  CHECK_THAT(good.out, Contains("according to 2 recordings."));
  const auto refusal = [&](const std::string& folder) {
    const Outcome outcome = samples(scratch, {"--runs", "again," + folder});
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.out.empty());
    return outcome.err;
  };
  CHECK_THAT(refusal("larger"), Contains("larger: it was recorded with other parameters than run"));
  CHECK_THAT(refusal("wider"),
             Contains("wider: it is not a recording of the same program on the same number of workers as run"));
  CHECK_THAT(refusal("again"), Contains("this recording is given twice"));
}

TEST_CASE("a recording of a killed program is no other run") {
  const Scratch scratch;
  const std::vector<std::pair<std::string, std::string>> runs{{"run", "return"}, {"killed", "kill"}};
  for (const auto& [folder, how] : runs)
    cli_test::foretask(scratch, {"record", "--out", folder, "--", program("ends"), how, "500"},
                       "export OMP_NUM_THREADS=2;");
  const Outcome outcome = samples(scratch, {"--runs", "killed"});
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.err, Contains("killed: its program did not finish"));
}
