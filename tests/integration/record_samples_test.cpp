// SPDX-License-Identifier: Apache-2.0
// How far makespans and runs differ, from recordings by the real command line.
#include <numeric>

#include "integration/recorded.hpp"

using namespace record_test;
using Catch::Matchers::ContainsSubstring;

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

TEST_CASE("five recordings give the range of runs, by Student's t about their own times") {
  const Scratch scratch;
  std::vector<double> logs;
  for (const char* folder : {"run", "b", "c", "d", "e"}) {
    record_fib(scratch, folder, "14", "2");
    const json report = json::parse(cli_test::foretask(scratch, {"report", folder, "--json"}).out);
    logs.push_back(std::log(report.at("elapsed_ns").get<double>()));
  }
  const double mean = std::accumulate(logs.begin(), logs.end(), 0.0) / 5;
  double squares = 0;
  for (const double log : logs) squares += (log - mean) * (log - mean);
  const double sd = std::sqrt(squares / 4);

  const json found = json::parse(samples(scratch, {"--json", "--runs", "b,c,d,e"}).out);
  const json& range = found["runs"][1].at("between_runs");
  const auto log_of = [&](const char* name) { return std::log(range.at(name).get<double>()); };
  CHECK(log_of("p50_ns") == Approx(mean).epsilon(1e-6));
  CHECK(log_of("p95_ns") - mean == Approx(2.1318 * sd * std::sqrt(1.2)).epsilon(1e-4));
  CHECK(mean - log_of("p05_ns") == Approx(2.1318 * sd * std::sqrt(1.2)).epsilon(1e-4));
  CHECK(found["sampled"]["run_spread"].get<double>() == Approx(sd));
  // On one core nobody waits: the replay's own time.
  CHECK(found["runs"][0]["between_runs"]["p50_ns"].get<double>() ==
        Approx(found["runs"][0]["makespan_ns"].get<double>()));
  // How far an ideal scheduler's replay is from a run nobody has seen.
  const json ideal = json::parse(samples(scratch, {"--json", "--runs", "b,c,d,e", "--policy", "critical-path"}).out);
  CHECK(ideal["sampled"]["run_over_replay"] == 1);
  CHECK_THAT(samples(scratch, {"--runs", "b,c,d,e"}).out,
             ContainsSubstring("the range that 90 % of future runs fall into, according to 5 recordings."));
}

TEST_CASE("fewer than five recordings give no range of runs") {
  const Scratch scratch;
  record_fib(scratch, "run", "12", "2");
  const Outcome one = samples(scratch, {});
  CHECK_THAT(one.out, ContainsSubstring("on a machine that never varies. Whole runs differ more."));
  CHECK_THAT(one.out, ContainsSubstring("For the range of future runs give 4 other recordings: --runs."));
  CHECK_THAT(one.out, !ContainsSubstring("90 %"));
  CHECK_FALSE(json::parse(samples(scratch, {"--json"}).out)["sampled"].contains("run_over_replay"));
  record_fib(scratch, "b", "12", "2");
  record_fib(scratch, "c", "12", "2");
  record_fib(scratch, "d", "12", "2");
  const Outcome four = samples(scratch, {"--runs", "b,c,d"});
  CHECK_THAT(four.out, ContainsSubstring("The recordings differ by "));
  CHECK_THAT(four.out, !ContainsSubstring("90 %"));
  CHECK_FALSE(json::parse(samples(scratch, {"--runs", "b,c,d", "--json"}).out)["runs"][1].contains("between_runs"));
}

TEST_CASE("other recordings are of the same program, parameters and workers, and came to their end") {
  const Scratch scratch;
  record_fib(scratch, "run", "12", "2");
  record_fib(scratch, "again", "12", "2");
  record_fib(scratch, "larger", "13", "2");
  record_fib(scratch, "wider", "12", "3");
  const Outcome good = samples(scratch, {"--runs", "again"});
  CHECK(good.exit_code == 0);
  CHECK_THAT(good.out, ContainsSubstring("The recordings differ by "));
  const auto refusal = [&](const std::string& folder) {
    const Outcome outcome = samples(scratch, {"--runs", "again," + folder});
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.out.empty());
    return outcome.err;
  };
  CHECK_THAT(refusal("larger"), ContainsSubstring("larger: it was recorded with other parameters than run"));
  CHECK_THAT(
      refusal("wider"),
      ContainsSubstring("wider: it is not a recording of the same program on the same number of workers as run"));
  CHECK_THAT(refusal("again"), ContainsSubstring("this recording is given twice"));
}

TEST_CASE("a recording of a killed program is no other run") {
  const Scratch scratch;
  const std::vector<std::pair<std::string, std::string>> runs{{"run", "return"}, {"killed", "kill"}};
  for (const auto& [folder, how] : runs)
    cli_test::foretask(scratch, {"record", "--out", folder, "--", program("ends"), how, "500"},
                       "export OMP_NUM_THREADS=2;");
  const Outcome outcome = samples(scratch, {"--runs", "killed"});
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.err, ContainsSubstring("killed: its program did not finish"));
}
