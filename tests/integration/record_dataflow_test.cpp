// SPDX-License-Identifier: Apache-2.0
// The dataflow examples: what the annotated sequential program and the OpenMP program from the same source leave is one
// graph, and it is the graph that was counted by hand.
#include "integration/recorded.hpp"
#include "integration/task_edges.hpp"

using namespace record_test;

namespace {

using Words = std::vector<std::string>;

// Records an example of bin/ into `folder`.
void record_example(const Scratch& scratch, const std::string& name, const Words& arguments,
                    const std::string& folder) {
  Words words{cli_test::kForetask, "record", "--out", folder, "--", cli_test::example(name)};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const Outcome outcome = run(scratch, words, "export OMP_NUM_THREADS=2;");
  INFO(outcome.out << outcome.err);
  REQUIRE(outcome.exit_code == 0);
}

struct Example {
  const char* name;
  Words arguments;
  std::size_t tasks;
  std::size_t edges;
};

// (earlier, later) of a task-graph file whose ids are 0, 1, 2, ...
TaskEdges::Edges edges_of_file(const std::string& path, std::vector<std::string>& kernels) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  TaskEdges::Edges edges;
  while (std::getline(in, line)) {
    const json task = json::parse(line);
    REQUIRE(task.at("id").get<std::size_t>() == kernels.size());
    if (task.contains("after"))
      for (const json& one : task.at("after")) edges.emplace(one.get<std::size_t>(), kernels.size());
    kernels.push_back(task.at("kernel"));
  }
  return edges;
}

}  // namespace

TEST_CASE("a sequential program and its OpenMP variant have the same task graph") {
  // Cholesky of 8 tiles a side: 8 potrf, 28 trsm, 28 syrk, 56 gemm; edges into them 7, 28 + 21, 28 + 21, 2 * 56 + 35.
  // LU of 6: 6 lu0, 15 fwd, 15 bdiv, 55 bmod; edges 5, 15 + 10, 15 + 10, 2 * 55 + 30.
  // Jacobi of 6 tiles a side has 120 borders within; four iterations: 4 * 120 edges from borders to steps, 3 * (120 +
  // 36) from steps to what reads them, and, as the buffers are used again, 3 * 240 from their readers. Transposition of
  // 5 tiles a side, three times: 3 * (5 + 10) tasks, each after the one on the same tiles.
  const Example example = GENERATE(Example{"fig2", {"-n", "500", "-w", "10"}, 33, 42},
                                   Example{"cholesky", {"-n", "80", "-b", "10"}, 120, 252},
                                   Example{"lu", {"-n", "60", "-b", "10"}, 91, 195},
                                   Example{"jacobi", {"-n", "96", "-b", "16", "-s", "4"}, 4 * (120 + 36), 948 + 720},
                                   Example{"transpose", {"-n", "80", "-b", "16", "-p", "3"}, 45, 30});
  CAPTURE(example.name);
  const Scratch scratch;
  const std::string program = std::string("dataflow_") + example.name;
  record_example(scratch, program, example.arguments, "sequential");
  record_example(scratch, program + "_openmp", example.arguments, "openmp");
  const TaskEdges sequential(scratch, scratch / "sequential");
  const TaskEdges openmp(scratch, scratch / "openmp");
  CHECK(sequential.kernels.size() == example.tasks);
  CHECK(sequential.edges.size() == example.edges);
  CHECK(sequential.kernels == openmp.kernels);
  CHECK(sequential.edges == openmp.edges);
  for (const char* folder : {"sequential", "openmp"}) CHECK(report_of(scratch, folder).at("warnings").empty());
}

TEST_CASE("with buffers renamed Jacobi's borders wait for no reader") {
  const Scratch scratch;
  record_example(scratch, "dataflow_jacobi", {"-n", "96", "-b", "16", "-s", "4"}, "run");
  const TaskEdges plain(scratch, scratch / "run");
  const TaskEdges renamed(scratch, scratch / "run", {"--rename"});
  CHECK(renamed.edges.size() == 4 * 120 + 3 * (120 + 36));
  CHECK(std::includes(plain.edges.begin(), plain.edges.end(), renamed.edges.begin(), renamed.edges.end()));
  const auto span = [&](const Words& options) {
    Words words{"simulate", "run", "--cores", "4", "--json"};
    words.insert(words.end(), options.begin(), options.end());
    return json::parse(cli_test::foretask(scratch, words).out).at("span_ns").get<std::int64_t>();
  };
  CHECK(span({"--rename"}) <= span({}));
  const auto edges = [&](const Words& options) {
    Words words{"report", "run", "--json"};
    words.insert(words.end(), options.begin(), options.end());
    return json::parse(cli_test::foretask(scratch, words).out).at("edges").get<std::size_t>();
  };
  CHECK(edges({}) - edges({"--rename"}) == plain.edges.size() - renamed.edges.size());
}

TEST_CASE("the paper's figure 2 comes out of a run on one core") {
  const Scratch scratch;
  record_example(scratch, "dataflow_fig2", {}, "run");
  const TaskEdges graph(scratch, scratch / "run");
  std::vector<std::string> kernels;
  CHECK(graph.edges == edges_of_file(std::string(FORETASK_TESTS_DIR) + "/golden/graphs/fig2.jsonl", kernels));
  CHECK(graph.kernels == kernels);

  // Table I, where all tasks take the same time and what creates them takes none.
  std::ofstream file(scratch / "equal.jsonl");
  file << R"({"foretask_graph": 1, "time_unit": "us"})" << '\n';
  for (json node : graph.nodes) {
    const bool is_task = node.at("kernel").get<std::string>().rfind("comp", 0) == 0;
    node["duration"] = is_task ? 1 : 0;
    if (!is_task) node["cores"] = 0;
    file << node.dump() << '\n';
  }
  file.close();
  const Outcome outcome = cli_test::foretask(
      scratch, {"simulate", "equal.jsonl", "--cores", "1-4:1", "--policy", "critical-path", "--json"});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const json replay = json::parse(outcome.out);
  CHECK(replay.at("span_ns") == 11'000);
  std::vector<double> speedups;
  for (const json& one : replay.at("runs")) speedups.push_back(one.at("speedup"));
  CHECK(speedups == std::vector<double>{1.0, 33.0 / 17.0, 3.0, 3.0});

  // The critical path is 11 tasks long, six of them comp1 (section IV): a comp1 of 909 ns, not 1000, takes six times 91
  // ns off it.
  const Outcome faster =
      cli_test::foretask(scratch, {"simulate", "equal.jsonl", "--cores", "1", "--speedup", "comp1=1.1", "--json"});
  REQUIRE(faster.exit_code == 0);
  CHECK(json::parse(faster.out).at("span_ns") == 5 * 1000 + 6 * 909);
}

TEST_CASE("a task-graph file cannot be asked for renamed buffers") {
  const Scratch scratch;
  const std::string path = std::string(FORETASK_TESTS_DIR) + "/golden/graphs/fig2.jsonl";
  const Outcome outcome = cli_test::foretask(scratch, {"simulate", path, "--cores", "1", "--rename"});
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.err, Catch::Matchers::ContainsSubstring("--rename needs a recorded run"));
}
