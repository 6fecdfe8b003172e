// SPDX-License-Identifier: Apache-2.0
// foretask whatif on the graph of paper 004's motivating example, whose table of gains is known, and on machines.
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "integration/cli_command.hpp"

using namespace cli_test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using nlohmann::json;

namespace {

const std::string kGraphs = std::string(FORETASK_TESTS_DIR) + "/golden/graphs/";

// By kernel, factor and cores.
using Speedups = std::map<std::tuple<std::string, double, int>, double>;

Speedups speedups_of(const json& answer) {
  Speedups speedups;
  for (const json& row : answer["rows"]) speedups[{row["kernel"], row["factor"], row["cores"]}] = row["speedup"];
  return speedups;
}

// To the three digits that are known.
bool is_about(double value, double expected) { return std::abs(value - expected) < 0.0005; }

}  // namespace

TEST_CASE("whatif gives paper 004's table for its motivating example") {
  const Scratch scratch;
  const Outcome outcome =
      foretask(scratch, {"whatif", kGraphs + "fig2.jsonl", "--factors", "2,100", "--cores", "1,2,3,4", "--json"});
  REQUIRE(outcome.exit_code == 0);
  const json answer = json::parse(outcome.out);
  CHECK(answer["policy"] == "critical-path");
  CHECK(answer["rows"].size() == 3 * 2 * 4);
  CHECK(answer["rows"][0]["kernel"] == "comp1");
  CHECK(answer["rows"][1]["cores"] == 2);
  CHECK(answer["rows"][4]["factor"] == 100.0);
  const Speedups found = speedups_of(answer);
  const auto is = [&found](double factor, int cores, double first, double second, double third) {
    CAPTURE(factor, cores);
    CHECK(is_about(found.at({"comp1", factor, cores}), first));
    CHECK(is_about(found.at({"comp2", factor, cores}), second));
    CHECK(is_about(found.at({"comp3", factor, cores}), third));
  };
  is(2, 1, 1.200, 1.200, 1.200);
  is(2, 2, 1.214, 1.214, 1.214);
  is(2, 3, 1.158, 1.100, 1.100);
  is(2, 4, 1.222, 1.100, 1.158);
  is(100, 3, 1.372, 1.220, 1.221);
  is(100, 4, 1.372, 1.220, 1.370);
}

TEST_CASE("whatif agrees with simulate --speedup under every policy that has one answer") {
  const Scratch scratch;
  for (const std::string policy : {"fifo", "ready-fifo", "lifo", "critical-path", "priority", "work-stealing"}) {
    const Outcome outcome = foretask(
        scratch, {"whatif", kGraphs + "lu8.jsonl", "--factors", "3", "--cores", "2,5", "--policy", policy, "--json"});
    REQUIRE(outcome.exit_code == 0);
    for (const json& row : json::parse(outcome.out)["rows"]) {
      const std::string cores = row["cores"].dump();
      const auto makespan = [&](const std::vector<std::string>& more) {
        std::vector<std::string> words = {"simulate", kGraphs + "lu8.jsonl", "--cores", cores, "--policy", policy,
                                          "--json"};
        words.insert(words.end(), more.begin(), more.end());
        return json::parse(foretask(scratch, words).out)["runs"][0]["makespan_ns"];
      };
      CAPTURE(policy, row.dump());
      CHECK(row["base_ns"] == makespan({}));
      CHECK(row["makespan_ns"] == makespan({"--speedup", row["kernel"].get<std::string>() + "=3"}));
    }
  }
}

TEST_CASE("the text leads with the kernel to make faster") {
  const Scratch scratch;
  const Outcome outcome = foretask(scratch, {"whatif", kGraphs + "fig2.jsonl", "--cores", "1,2,3,4"});
  CHECK_THAT(outcome.out, StartsWith("On 3 and 4 cores make comp1 faster: 2 times as fast, it gives 15.8 to 22.2 %"));
  CHECK_THAT(outcome.out, ContainsSubstring("On 1 and 2 cores make any of comp1, comp2 and comp3 faster"));
}

TEST_CASE("a removed kernel costs nothing, and more cores are held against faster code") {
  const Scratch scratch;
  std::ofstream(scratch / "g.jsonl") << R"({"foretask_graph": 1, "time_unit": "ns"}
{"id": 0, "kernel": "a", "duration": 100}
{"id": 1, "kernel": "b", "duration": 60, "after": [0]}
{"id": 2, "kernel": "b", "duration": 60, "after": [0]}
)";
  const Outcome outcome =
      foretask(scratch, {"whatif", "g.jsonl", "--cores", "1", "--remove", "a", "--add-cores", "--json"});
  REQUIRE(outcome.exit_code == 0);
  const json answer = json::parse(outcome.out);
  REQUIRE(answer["removed"].size() == 1);
  CHECK(answer["removed"][0]["kernel"] == "a");
  CHECK(answer["removed"][0]["base_ns"] == 220);
  CHECK(answer["removed"][0]["makespan_ns"] == 120);
  REQUIRE(answer["more_cores"].size() == 1);
  CHECK(answer["more_cores"][0]["more"] == 2);
  CHECK(answer["more_cores"][0]["makespan_ns"] == 160);
  const Outcome text = foretask(scratch, {"whatif", "g.jsonl", "--cores", "1", "--remove", "a", "--add-cores"});
  // 220 / 160 against b twice as fast: 220 / 160.
  CHECK_THAT(
      text.out,
      ContainsSubstring("From 1 to 2 cores: gain 37.5 %; b 2 times as fast on 1 core: gain 37.5 %; both help equally"));
  CHECK_THAT(text.out, ContainsSubstring("Without a (45.5 % of the work): gain 83.3 % on 1 core."));
}

TEST_CASE("the table is CSV where that is asked for") {
  const Scratch scratch;
  std::ofstream(scratch / "g.jsonl") << R"({"foretask_graph": 1, "time_unit": "ns"}
{"id": 0, "kernel": "a, \"b\"", "duration": 100}
)";
  const Outcome outcome = foretask(scratch, {"whatif", "g.jsonl", "--cores", "1", "--factors", "2", "--csv"});
  CHECK(outcome.out ==
        "kernel,factor,cores,base_ns,makespan_ns,speedup,below_overhead\n\"a, \"\"b\"\"\",2,1,100,50,2,0\n");
}

TEST_CASE("a kernel that is not there is answered with those near it") {
  const Scratch scratch;
  for (const char* option : {"--kernel", "--remove"}) {
    const Outcome outcome = foretask(scratch, {"whatif", kGraphs + "fig2.jsonl", "--cores", "1", option, "cmp1"});
    CHECK(outcome.exit_code == 1);
    CHECK_THAT(outcome.err, ContainsSubstring("no kernel is called 'cmp1'; there are comp1, comp2, comp3"));
  }
}

TEST_CASE("factors and cores that cannot be are wrong usage") {
  const Scratch scratch;
  for (const char* factors : {"0", "-2", "nan", "inf", "1e12", "2,", "", "x", "2;3"}) {
    const Outcome outcome = foretask(scratch, {"whatif", kGraphs + "fig2.jsonl", "--cores", "1", "--factors", factors});
    INFO(factors << ": " << outcome.err);
    CHECK(outcome.exit_code == 2);
    CHECK_THAT(outcome.err, ContainsSubstring("--factors"));
  }
  for (const char* cores : {"0", "-1", "4-2", "1e9", "10000000", ""}) {
    const Outcome outcome = foretask(scratch, {"whatif", kGraphs + "fig2.jsonl", "--cores", cores});
    INFO(cores << ": " << outcome.err);
    CHECK(outcome.exit_code == 2);
  }
  CHECK(foretask(scratch, {"whatif", kGraphs + "fig2.jsonl"}).exit_code == 2);
  CHECK(foretask(scratch, {"whatif", kGraphs + "fig2.jsonl", "--cores", "1", "--json", "--csv"}).exit_code == 2);
  CHECK(foretask(scratch, {"whatif", kGraphs + "fig2.jsonl", "--cores", "1", "--workers", "cpu=1"}).exit_code == 2);
}

TEST_CASE("worker classes and platforms are machines for simulate and whatif") {
  const Scratch scratch;
  std::ofstream(scratch / "g.jsonl") << R"({"foretask_graph": 1, "time_unit": "us"}
{"id": 0, "kernel": "send", "duration": 100, "on": {"gpu": 10}}
{"id": 1, "kernel": "receive", "duration": 100, "node": 1, "after": [{"id": 0, "bytes": 1000}]}
)";
  std::ofstream(scratch / "p.json") << R"({"foretask_platform": 1,
"nodes": [{"workers": {"cpu": 1, "gpu": 1}}, {"workers": {"cpu": 2}}],
"network": {"latency_us": 5, "bandwidth_bytes_per_s": 1e9}})";
  const Outcome simulated = foretask(scratch, {"simulate", "g.jsonl", "--platform", "p.json", "--json"});
  REQUIRE(simulated.exit_code == 0);
  const json run = json::parse(simulated.out)["runs"][0];
  CHECK(run["makespan_ns"] == 10'000 + 5'000 + 1'000 + 100'000);
  CHECK(run["workers"] == 4);
  const Outcome whatif = foretask(scratch, {"whatif", "g.jsonl", "--platform", "p.json", "--json"});
  REQUIRE(whatif.exit_code == 0);
  CHECK(json::parse(whatif.out)["rows"][0]["makespan_ns"] == 5'000 + 5'000 + 1'000 + 100'000);
  const Outcome plain = foretask(scratch, {"simulate", "g.jsonl", "--workers", "cpu=1", "--json"});
  CHECK(json::parse(plain.out)["runs"][0]["makespan_ns"] == 200'000);
  std::ofstream(scratch / "one.json") << R"({"foretask_platform": 1, "nodes": [{}]})";
  const Outcome missing = foretask(scratch, {"simulate", "g.jsonl", "--platform", "one.json", "--json"});
  CHECK(missing.exit_code == 1);
  CHECK_THAT(missing.err, ContainsSubstring("task 1 (receive) is placed on node 1, but the platform has only node 0"));
  const Outcome typo = foretask(scratch, {"simulate", "g.jsonl", "--workers", "cpu=1,gpp=1"});
  CHECK_THAT(typo.err,
             ContainsSubstring("no task has a duration on the worker class 'gpp'; the known classes are cpu, gpu"));
}

TEST_CASE("a graph without enough memory is refused before it is read, with what it needs") {
  const Scratch scratch;
  {
    std::ofstream graph(scratch / "g.jsonl");
    graph << "{\"foretask_graph\": 1, \"time_unit\": \"ns\"}\n";
    for (int i = 0; i < 1'500'000; ++i) graph << "{\"id\": " << i << ", \"kernel\": \"a\", \"duration\": 1}\n";
  }
  const Outcome outcome = foretask(scratch, {"simulate", "g.jsonl", "--cores", "1"}, "ulimit -v 60000 &&");
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.err,
             ContainsSubstring("g.jsonl: needs about 0.1 GB of memory (some 1.6 million tasks and 0.0 million"));
  CHECK(foretask(scratch, {"simulate", "g.jsonl", "--cores", "1"}).exit_code == 0);
}

TEST_CASE("twice the cores need numbers of cores: wrong usage without them") {
  const Scratch scratch;
  std::ofstream(scratch / "g.jsonl") << R"({"foretask_graph": 1, "time_unit": "us"}
{"id": 0, "kernel": "a", "duration": 1}
)";
  const Outcome outcome = foretask(scratch, {"whatif", "g.jsonl", "--workers", "cpu=1", "--add-cores"});
  CHECK(outcome.exit_code == 2);
  CHECK_THAT(outcome.err, Catch::Matchers::ContainsSubstring("--add-cores requires --cores"));
}

TEST_CASE("whatif --samples says how far gains differ, and marks those that may be none") {
  const Scratch scratch;
  // On two cores b is done long before a in all but a few samples; twice as fast, all of a's times are half.
  std::ofstream(scratch / "g.jsonl") << R"({"foretask_graph": 1, "time_unit": "ns"}
{"id": 1, "kernel": "a", "duration": 1000000000}
{"id": 2, "kernel": "b", "duration": 10000000}
{"id": 3, "kernel": "b", "duration": 30000000}
{"id": 4, "kernel": "a", "duration": 3000000000, "after": [1]}
)";
  const Outcome outcome = foretask(scratch, {"whatif", "g.jsonl", "--cores", "2", "--samples", "200", "--json"});
  REQUIRE(outcome.exit_code == 0);
  const nlohmann::json found = nlohmann::json::parse(outcome.out);
  for (const char* quantile : {"p05", "p50", "p95"})
    CHECK(found["rows"][0]["gain"][quantile].get<double>() == Approx(1).epsilon(1e-5));  // rounded to 1 ns
  CHECK(found["rows"][1]["gain"]["p95"] == 0.0);
  CHECK(found["rows"][1]["below_overhead"] == true);
  const Outcome text = foretask(scratch, {"whatif", "g.jsonl", "--cores", "2", "--samples", "200"});
  CHECK_THAT(text.out, Catch::Matchers::ContainsSubstring("100.0 % ± 0.0"));
  CHECK_THAT(text.out, Catch::Matchers::ContainsSubstring("~0.0 % ± 0.0"));
}

TEST_CASE("a graph without parallel loops has no schedule to change") {
  const Scratch scratch;
  const Outcome outcome = foretask(scratch, {"whatif", kGraphs + "fig2.jsonl", "--schedules", "--cores", "2"});
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, StartsWith("There is no loop to change"));
  const Outcome named =
      foretask(scratch, {"whatif", kGraphs + "fig2.jsonl", "--schedules", "--cores", "2", "--kernel", "comp1"});
  CHECK(named.exit_code == 1);
  CHECK_THAT(named.err, ContainsSubstring("comp1 is no parallel loop"));
}

TEST_CASE("what does not go with whatif --schedules is refused") {
  const Scratch scratch;
  const auto refused = [&](const std::vector<std::string>& more, const std::string& why) {
    std::vector<std::string> words = {"whatif", kGraphs + "fig2.jsonl", "--schedules"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = foretask(scratch, words);
    CHECK(outcome.exit_code != 0);
    CHECK_THAT(outcome.err, ContainsSubstring(why));
  };
  refused({"--cores", "2", "--factors", "3"}, "--factors");
  refused({"--cores", "2", "--samples", "3"}, "--samples");
  refused({"--workers", "cpu=2"}, "--workers");
  refused({"--cores", "2", "--policy", "heft"}, "identical cores");
}

TEST_CASE("what does not go with whatif --grain and --depth is refused") {
  const Scratch scratch;
  const auto refused = [&](const std::vector<std::string>& more, const std::string& why) {
    std::vector<std::string> words = {"whatif", kGraphs + "fig2.jsonl", "--cores", "2"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = foretask(scratch, words);
    CHECK(outcome.exit_code != 0);
    CHECK_THAT(outcome.err, ContainsSubstring(why));
  };
  refused({"--grain", "10us"}, "--grain needs a recorded run");
  refused({"--depth", "auto"}, "--depth needs a recorded run");
  refused({"--grain", "10"}, "'10' is not a time: write 500ns, 10us");
  refused({"--depth", "x"}, "'x' is not a depth");
  for (const char* option : {"--grain", "--depth"}) {
    refused({option, "auto", "--factors", "3"}, "--factors");
    refused({option, "auto", "--samples", "3"}, "--samples");
    refused({option, "auto", "--speedup", "comp1=2"}, "--speedup");
    refused({option, "auto", "--schedules"}, "--schedules");
  }
  refused({"--grain", "auto", "--depth", "auto"}, "--grain");
}
