// SPDX-License-Identifier: Apache-2.0
// Threads of the program's own: through task_hook.hpp, and with scopes alone.
#include <map>
#include <string>

#include "recorded.hpp"
#include "task_edges.hpp"

namespace {

using namespace record_test;
using Catch::Matchers::ContainsSubstring;

// Of replays on so many cores each.
std::map<int, double> makespans(const Scratch& scratch, const std::string& folder, const std::string& cores) {
  const Outcome outcome = run(scratch, {cli_test::kForetask, "simulate", folder, "--cores", cores, "--json"});
  INFO(outcome.out << outcome.err);
  REQUIRE(outcome.exit_code == 0);
  std::map<int, double> result;
  const json simulated = json::parse(outcome.out);
  for (const json& one : simulated.at("runs")) result[one.at("cores")] = one.at("makespan_ns");
  return result;
}

}  // namespace

TEST_CASE("scopes outside of every runtime are tasks, independent between two times when none runs") {
  const Scratch scratch;
  Settings settings;
  settings.warnings = {"81 tasks are of the program's own threads"};
  // Two rounds of 40 jobs of 10 ms on four threads, and 30 ms on the first thread.
  const Recorded recorded = record(scratch, "own_jobs", {"4", "40", "10", "2"}, settings);
  CHECK(recorded["tasks"] == 81);
  CHECK(recorded["workers"] == 4);
  CHECK(tasks_of(recorded, "job") == 80);
  CHECK(tasks_of(recorded, "last") == 1);
  for (const json& samples : recorded.report.at("samples")) CHECK(samples.at("count") == 80);  // those within jobs
  // The round's jobs are not before those of the round before: five of 10 ms on each of eight, twice, and the last.
  std::map<int, double> times = makespans(scratch, recorded.folder, "4,8");
  CHECK(times[8] >= 0.9 * 130e6);
  CHECK(times[8] <= 0.8 * times[4]);
  // 10, 20, 10 and 30 ms, one after the other, of which waits for a core may take a little. The 20 ms before the last
  // one are seen if a thread that has had a scope is still there.
  CHECK(recorded["span_ns"] >= 63'000'000);
}

TEST_CASE("a runtime that tells of its tasks is recorded, learned and predicted") {
  const Scratch scratch;
  const std::string home = "export FORETASK_HOME=" + quoted(scratch / "home") + ";";
  const std::string program = std::string(FORETASK_BIN_DIR) + "/own_runtime_wavefront";
  if (!cli_test::fs::exists(program)) FORETASK_SKIP("the examples are not built");
  const Outcome first =
      run(scratch, {cli_test::kForetask, "record", "--learn", "--out", scratch / "run", "--", program, "2", "10", "4"},
          home);
  INFO(first.out << first.err);
  REQUIRE(first.exit_code == 0);
  CHECK_THAT(first.err, ContainsSubstring("learned 400 samples of 1 kernels"));
  const Outcome shown = run(scratch, {cli_test::kForetask, "report", scratch / "run", "--json"});
  const json report = json::parse(shown.out);
  CHECK(report.at("tasks") == 400);
  CHECK(report.at("workers") == 2);
  CHECK(report.at("warnings").empty());
  CHECK(json::parse(contents(scratch / "run/run.json")).at("runtime").at("name") == "pool");
  // In each of four rounds all tiles but those of the first row and of the first column come after two others.
  const TaskEdges graph(scratch, scratch / "run", [](const std::string& kernel) { return kernel == "tile"; });
  CHECK(graph.kernels.size() == 400);
  CHECK(graph.edges.size() == 4 * 2 * 10 * 9);
  // What the first process has learned the second one knows.
  const Outcome second = run(scratch, {program, "2", "10", "4"}, home + "export FORETASK=learn;");
  CHECK_THAT(second.out, ContainsSubstring("400 of 400 tiles predicted, ok"));
}

TEST_CASE("Taskflow's tasks come after their predecessors, a subflow's after what made it") {
  if (!cli_test::fs::exists(program("taskflow"))) FORETASK_SKIP("no Taskflow");
  const Scratch scratch;
  Settings settings;
  settings.warnings = {"37 tasks are of the program's own threads"};
  const Recorded recorded = record(scratch, "taskflow", {}, settings);
  for (const char* name : {"a", "b", "c", "d", "x", "y", "z"}) CHECK(tasks_of(recorded, name) == 5);
  CHECK(tasks_of(recorded, "taskflow async") == 2);
  // a>b a>c; b>x b>y, x>z y>z; b>d c>d x>d y>d z>d.
  const TaskEdges graph(scratch, recorded.folder);
  std::map<std::string, int> edges;
  for (const auto& [from, to] : graph.edges) ++edges[graph.kernels[from] + ">" + graph.kernels[to]];
  CHECK(edges == std::map<std::string, int>{{"a>b", 5},
                                            {"a>c", 5},
                                            {"b>x", 5},
                                            {"b>y", 5},
                                            {"x>z", 5},
                                            {"y>z", 5},
                                            {"b>d", 5},
                                            {"c>d", 5},
                                            {"x>d", 5},
                                            {"y>d", 5},
                                            {"z>d", 5}});
  // a, b, x, z, d one after the other take 12 ms, of which waits for a core may take a little.
  CHECK(recorded["span_ns"] >= 5 * 11'000'000);
}
