// SPDX-License-Identifier: Apache-2.0
// The documented output of simulate and export on task graphs whose makespans were found independently.
#include <zlib.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "integration/cli_command.hpp"

using namespace cli_test;
using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

namespace {

const std::string kGraphs = std::string(FORETASK_TESTS_DIR) + "/golden/graphs/";

}  // namespace

TEST_CASE("simulate --json agrees with the independent makespans") {
  const Scratch scratch;
  const json expected = json::parse(contents(kGraphs + "expected.json"));
  int compared = 0;
  for (const auto& [name, graph] : expected.items()) {
    for (const auto& [policy, makespans] : graph["makespan_ns"].items()) {
      std::string cores;
      for (const auto& [count, ns] : makespans.items()) cores += (cores.empty() ? "" : ",") + count;
      const Outcome outcome =
          foretask(scratch, {"simulate", kGraphs + name, "--cores", cores, "--policy", policy, "--json"});
      INFO(name << " " << policy << " " << outcome.err);
      REQUIRE(outcome.exit_code == 0);
      const json found = json::parse(outcome.out);
      CHECK(found["tasks"] == graph["tasks"]);
      CHECK(found["edges"] == graph["edges"]);
      CHECK(found["work_ns"] == graph["work_ns"]);
      CHECK(found["span_ns"] == graph["span_ns"]);
      REQUIRE(found["runs"].size() == makespans.size());
      for (const json& run : found["runs"]) {
        CHECK(run["policy"] == policy);
        CHECK(run["makespan_ns"] == makespans[run["cores"].dump()]);
        const double speedup = graph["work_ns"].get<double>() / run["makespan_ns"].get<double>();
        CHECK(run["speedup"].get<double>() == Approx(speedup));
        CHECK(run["utilization"].get<double>() <= 1.0);
        ++compared;
      }
    }
  }
  CHECK(compared > 100);
}

TEST_CASE("the default policy of a task-graph file is critical-path") {
  const Scratch scratch;
  const Outcome outcome = foretask(scratch, {"simulate", kGraphs + "chain.jsonl", "--cores", "3", "--json"});
  CHECK(json::parse(outcome.out)["runs"][0]["policy"] == "critical-path");
}

TEST_CASE("a speed-up divides the kernel's durations, and its last factor counts") {
  const Scratch scratch;
  std::ofstream(scratch / "g.jsonl") << R"({"foretask_graph": 1, "time_unit": "ns"}
{"id": 1, "kernel": "slow=er", "duration": 1001}
{"id": 2, "kernel": "other", "duration": 10, "after": [1]}
)";
  // 1001 / 2 = 500.5, rounded away from zero to 501.
  const Outcome outcome = foretask(
      scratch, {"simulate", "g.jsonl", "--cores", "1", "--speedup", "slow=er=7", "--speedup", "slow=er=2", "--json"});
  REQUIRE(outcome.exit_code == 0);
  const json found = json::parse(outcome.out);
  CHECK(found["runs"][0]["makespan_ns"] == 511);
  CHECK(found["work_ns"] == 511);
  CHECK(found["span_ns"] == 511);
}

TEST_CASE("the text says where scaling stops and why") {
  const Scratch scratch;
  const Outcome chain = foretask(scratch, {"simulate", kGraphs + "chain.jsonl", "--cores", "1,2,4"});
  CHECK_THAT(chain.out, ContainsSubstring("stops scaling at 1 core:"));
  const Outcome wide = foretask(scratch, {"simulate", kGraphs + "cholesky12.jsonl", "--cores", "1,2"});
  CHECK_THAT(wide.out, ContainsSubstring("still scales at 2 cores"));
}

TEST_CASE("an exported graph replays as the original, also through gzip") {
  const Scratch scratch;
  REQUIRE(foretask(scratch, {"export", kGraphs + "lu8.jsonl", "--format", "graph", "-o", "copy.jsonl"}).exit_code == 0);
  const auto simulated = [&scratch](const std::string& graph) {
    json found = json::parse(foretask(scratch, {"simulate", graph, "--cores", "1-8", "--json"}).out);
    found.erase("input");
    return found;
  };
  CHECK(simulated("copy.jsonl") == simulated(kGraphs + "lu8.jsonl"));
  REQUIRE(
      foretask(scratch, {"export", kGraphs + "lu8.jsonl", "--format", "graph", "--gzip", "-o", "copy.gz"}).exit_code ==
      0);
  const gzFile in = gzopen((scratch / "copy.gz").c_str(), "rb");
  REQUIRE(in != nullptr);
  std::string unpacked(1 << 20, '\0');
  unpacked.resize(static_cast<std::size_t>(gzread(in, unpacked.data(), static_cast<unsigned>(unpacked.size()))));
  gzclose(in);
  CHECK(unpacked == contents(scratch / "copy.jsonl"));
}

TEST_CASE("csv and dot hold every task and edge") {
  const Scratch scratch;
  const Outcome csv = foretask(scratch, {"export", kGraphs + "cholesky12.jsonl", "--format", "csv"});
  CHECK(std::count(csv.out.begin(), csv.out.end(), '\n') == 1 + 364);
  CHECK_THAT(csv.out, Catch::Matchers::StartsWith("task,kernel,duration_ns\n0,potrf,2800\n1,trsm,6100\n"));
  const Outcome dot = foretask(scratch, {"export", kGraphs + "cholesky12.jsonl", "--format", "dot"});
  std::size_t edges = 0;
  for (std::size_t at = 0; (at = dot.out.find(" -> ", at)) != std::string::npos; ++at) ++edges;
  CHECK(edges == 858);
}

TEST_CASE("simulate --samples gives the distribution of the makespan, the same for the same seed") {
  const Scratch scratch;
  // Two tasks of 10 and 30 ms, drawn and halved, and one that keeps its 5 ms, one after another: 15, 25 or 35 ms, the
  // middle one as often as the others together.
  std::ofstream(scratch / "g.jsonl") << R"({"foretask_graph": 1, "time_unit": "ns"}
{"id": 1, "kernel": "a", "duration": 10000000}
{"id": 2, "kernel": "a", "duration": 30000000}
{"id": 3, "kernel": "b", "duration": 5000000, "after": [1, 2]}
)";
  const std::vector<std::string> words{"simulate", "g.jsonl", "--cores",   "1",    "--speedup", "a=2",
                                       "--seed",   "7",       "--samples", "4000", "--json"};
  const Outcome outcome = foretask(scratch, words);
  REQUIRE(outcome.exit_code == 0);
  const json found = json::parse(outcome.out);
  CHECK(found["runs"][0]["makespan_ns"] == 25'000'000);
  const json& samples = found["runs"][0]["samples"];
  CHECK(samples["count"] == 4000);
  CHECK(samples["quantiles_ns"]["p01"] == 15'000'000);
  CHECK(samples["quantiles_ns"]["p50"] == 25'000'000);
  CHECK(samples["quantiles_ns"]["p99"] == 35'000'000);
  CHECK(samples["mean_ns"].get<double>() == Approx(25e6).margin(4e6 * std::sqrt(50.0 / 4000)));  // standard errors
  CHECK_FALSE(found["runs"][0].contains("between_runs"));
  CHECK(found["sampled"]["kept"] == 1);
  CHECK(foretask(scratch, words).out == outcome.out);
  const Outcome text = foretask(scratch, {"simulate", "g.jsonl", "--cores", "2", "--samples", "100"});
  CHECK_THAT(text.out, ContainsSubstring("   sampled "));
  CHECK_THAT(text.out, ContainsSubstring("spread on a machine that never varies. Whole runs differ more."));
  CHECK_THAT(text.out, !ContainsSubstring("90 %"));
  CHECK_THAT(text.out, ContainsSubstring("1 of 3 tasks have no similar tasks. They keep their own times."));
}

TEST_CASE("samples that cannot be are refused") {
  const Scratch scratch;
  const std::string chain = kGraphs + "chain.jsonl";
  for (const std::string samples : {"0", "100001", "-1", "x", "1.5"})
    CHECK(foretask(scratch, {"simulate", chain, "--cores", "1", "--samples", samples}).exit_code == 2);
  CHECK(foretask(scratch, {"simulate", chain, "--cores", "1", "--runs", "other"}).exit_code == 2);
  const Outcome file = foretask(scratch, {"simulate", chain, "--cores", "1", "--samples", "5", "--runs", "other"});
  CHECK(file.exit_code == 1);
  CHECK_THAT(file.err, ContainsSubstring("--runs needs a recorded run as INPUT"));
}
