// SPDX-License-Identifier: Apache-2.0
// What one program has learned on a class of workers, as the times of another's task graph there.
#include "integration/learning.hpp"

using namespace learning_test;
using Catch::Matchers::ContainsSubstring;

namespace {

// Three tasks that nothing orders, 200 ns each on a plain core.
const std::string kGraph = R"({"foretask_graph": 1, "time_unit": "ns"}
{"id": 0, "kernel": "gemm", "duration": 200, "params": {"a": 10}}
{"id": 1, "kernel": "gemm", "duration": 200, "params": {"a": 20}}
{"id": 2, "kernel": "gemm", "duration": 200, "params": {"a": 10}}
)";

Outcome with_store(const Scratch& scratch, const std::vector<std::string>& words) {
  return cli_test::foretask(scratch, words, "export FORETASK_HOME=home;");
}

Outcome simulate(const Scratch& scratch, const std::vector<std::string>& options) {
  std::vector<std::string> words{"simulate", "g.jsonl", "--json", "--policy", "heft"};
  words.insert(words.end(), options.begin(), options.end());
  return with_store(scratch, words);
}

}  // namespace

TEST_CASE("a graph is replayed with the times that were learned on a class") {
  const Scratch scratch;
  std::ofstream(scratch / "g.jsonl") << kGraph;
  steps(scratch, {"define gemm 1", "class gpu", "learn gemm 50 10 120", "learn gemm 50 20 140", "flush", "save"});
  CHECK_THAT(simulate(scratch, {"--workers", "cpu=1,gpu=1"}).err, ContainsSubstring("no task has a duration"));

  // Task 1 comes first (170 ns on average, the others 160) and takes the GPU to 140; then 0 the core, to 200, since the
  // GPU would end it at 260; then 2 the GPU, to 260, since the core would end it at 400.
  const Outcome outcome = simulate(scratch, {"--workers", "cpu=1,gpu=1", "--models"});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
  const json found = json::parse(outcome.out);
  CHECK(found.at("runs")[0].at("makespan_ns") == 260);
  CHECK(found.at("work_ns") == 140 + 200 + 120);

  // Twice as fast: 70, then 70 and 60 more behind it, and the core 100.
  const json gains = json::parse(
      with_store(scratch, {"whatif", "g.jsonl", "--workers", "cpu=1,gpu=1", "--models", "--policy", "heft", "--json"})
          .out);
  CHECK(gains.at("rows")[0].at("base_ns") == 260);
  CHECK(gains.at("rows")[0].at("makespan_ns") == 130);
  const Outcome shown = with_store(
      scratch, {"export", "g.jsonl", "--format", "csv", "--workers", "cpu=1,gpu=1", "--models", "--policy", "heft"});
  CHECK(shown.exit_code == 0);
  CHECK_THAT(shown.out, ContainsSubstring("260"));
}

TEST_CASE("times that the models do not know are said, one line a kernel and class") {
  const Scratch scratch;
  std::ofstream(scratch / "g.jsonl") << kGraph + R"({"id": 3, "kernel": "gemm", "duration": 5}
{"id": 4, "kernel": "trsm", "duration": 5, "params": {"a": 10}}
{"id": 5, "kernel": "gemm", "duration": 5, "params": {"a": 90}}
)";
  steps(scratch, {"define gemm 1", "class gpu", "learn gemm 50 10 120", "learn gemm 50 20 140", "flush", "save"});
  const Outcome outcome = simulate(scratch, {"--workers", "cpu=1,gpu=1", "--models"});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err ==
        "foretask: warning: no time on gpu for 1 of 5 tasks of 'gemm' that need one: 1 without the parameter 'a'\n"
        "foretask: warning: 1 of 4 times of 'gemm' on gpu are extrapolated: their parameters lie outside of what was "
        "learned\n"
        "foretask: warning: no time on gpu for 1 of 1 tasks of 'trsm' that need one: nothing is stored of it\n");

  for (const std::string command : {"simulate", "whatif"}) {
    const Outcome refused = with_store(scratch, {command, "g.jsonl", "--cores", "2", "--models"});
    CHECK(refused.exit_code == 2);
    CHECK_THAT(refused.err, ContainsSubstring("--models") && ContainsSubstring("--workers or --platform"));
  }
  CHECK(with_store(scratch, {"export", "g.jsonl", "--format", "csv", "--cores", "2", "--models"}).exit_code == 2);
}
