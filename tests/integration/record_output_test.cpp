// SPDX-License-Identifier: Apache-2.0
// The program's own words: its arguments, its output and its exit code are the same with and without foretask.
#include "integration/recorded.hpp"

using namespace record_test;

namespace {

// The launcher's own lines say where the recording is.
std::string without_launcher(const std::string& text) {
  std::istringstream in(text);
  std::string rest;
  for (std::string line; std::getline(in, line);)
    if (line.rfind("foretask: ", 0) != 0) rest += line + "\n";
  return rest;
}

}  // namespace

TEST_CASE("standard output and standard error are the same bytes with and without recording") {
  const Scratch scratch;
  const Outcome plain = run(scratch, {program("writes"), "300"}, "export OMP_NUM_THREADS=2;");
  Settings settings;
  settings.exit_code = 5;
  const Recorded recorded = record(scratch, "writes", {"300"}, settings);
  CHECK(plain.exit_code == 5);
  CHECK(recorded.outcome.out == plain.out);
  CHECK(without_launcher(recorded.outcome.err) == plain.err);
  CHECK(plain.out.size() > 1000);
}

TEST_CASE("parameters and the command are kept with the run") {
  const Scratch scratch;
  Settings settings;
  settings.options = {"--param", "n=10", "--param", "note=a b=c"};
  const Recorded recorded = record(scratch, "fib", {"10"}, settings);
  CHECK(recorded.report.at("command") == json({program("fib"), "10"}));
  const json description = json::parse(contents(scratch / "run/run.json"));
  CHECK(description.at("params") == json({{"n", "10"}, {"note", "a b=c"}}));
  CHECK(description.at("foretask_run") == 2);
}
