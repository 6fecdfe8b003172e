// SPDX-License-Identifier: Apache-2.0
// Times from stored models. The kernel takes 2 n + 100 ns on a GPU, so that every expected time is counted by hand.
#include "foretask/analysis/model_times.hpp"

#include "catch.hpp"
#include "model/store/store.hpp"
#include "runtime/recording/topology.hpp"
#include "trace/kernel_file.hpp"
#include "trace/run_file.hpp"
#include "unit/graph/reconstruction/trace_builder.hpp"
#include "unit/model/online/feed.hpp"
#include "unit/simulate/graph_text.hpp"

namespace analysis = foretask::analysis;
using analysis::ModelTimes;
using analysis::TaskGraph;
using foretask::model::Store;
using foretask::test::TempFolder;
using foretask::test::TraceBuilder;
using foretask::test::write_content;
using online_test::KernelModel;

namespace {

const std::string kHeader = "{\"foretask_graph\": 1, \"time_unit\": \"ns\"}\n";

class Home {
 public:
  Home() : store_(folder_.path(), foretask::runtime::read_machine().fingerprint, [](const std::string&) {}) {}

  // Learns base + slope n, exactly, for n = 10, 20, ... 1000.
  void learn(const std::string& kernel, const std::string& worker_class, double base, double slope,
             const std::string& version = "v1") {
    KernelModel model({{"n"}, {*foretask::model::parse_term("1"), *foretask::model::parse_term("n")}});
    for (int i = 0; i < 400; ++i) {
      const double n = 10 + 10 * (i * 37 % 100);
      online_test::feed(model, {n}, base + slope * n);
    }
    save({kernel, worker_class, version}, model);
  }
  void save(const foretask::model::StoreKey& key, const KernelModel& model) {
    REQUIRE(store_.save({{key, 0, &model, {}}}).ok());
  }
  [[nodiscard]] std::string path_of(const std::string& kernel) const { return store_.path_of(kernel); }

  std::vector<ModelTimes> add(TaskGraph& graph, const std::vector<std::string>& classes) const {
    auto times = analysis::add_model_times(graph, classes, folder_.path());
    REQUIRE(times.ok());
    return *std::move(times);
  }

 private:
  TempFolder folder_;
  Store store_;
};

// "1@gpu 130": node, class and time of all that the graph has.
std::vector<std::string> times_of(const TaskGraph& graph) {
  std::vector<std::string> times;
  for (const analysis::ClassDuration& own : graph.class_durations)
    times.push_back(std::to_string(own.node) + "@" + graph.class_names[own.worker_class] + " " +
                    std::to_string(own.duration_ns));
  return times;
}

// "k gpu 2/3 1: why": predicted of the tasks that needed it, extrapolated.
std::vector<std::string> words_of(const std::vector<ModelTimes>& all) {
  std::vector<std::string> words;
  for (const ModelTimes& one : all)
    words.push_back(one.kernel + " " + one.worker_class + " " + std::to_string(one.predicted) + "/" +
                    std::to_string(one.tasks) + " " + std::to_string(one.extrapolated) + ": " + one.reason);
  return words;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("a task without a time on a class takes what the kernel's model says there") {
  Home home;
  home.learn("k", "gpu", 100, 2);
  TaskGraph graph = graph_of_text(kHeader + R"({"id": 0, "kernel": "k", "duration": 900, "params": {"n": 15}}
{"id": 1, "kernel": "k", "duration": 900, "params": {"m": 1, "n": 235.5}}
{"id": 2, "kernel": "k", "duration": 900, "params": {"n": 15}, "on": {"gpu": 7}}
{"id": 3, "kernel": "k", "duration": 0, "cores": 0, "params": {"n": 15}}
{"id": 4, "kernel": "k", "duration": 900, "params": {"n": 2000}})");
  const auto times = home.add(graph, {"cpu", "gpu"});
  CHECK(times_of(graph) == Lines{"0@gpu 130", "1@gpu 571", "2@gpu 7", "4@gpu 4100"});
  CHECK(words_of(times) == Lines{"k gpu 3/3 1: "});
  CHECK(graph.duration_ns == std::vector<std::int64_t>{900, 900, 900, 0, 900});
  CHECK(home.add(graph, {"cpu", "gpu"}).empty());
}

TEST_CASE("a task that nothing is known of stays as it is, and the reason is said") {
  Home home;
  home.learn("k", "gpu", 100, 2);
  write_content(home.path_of("torn"), "{");
  TaskGraph graph = graph_of_text(kHeader + R"({"id": 0, "kernel": "k", "duration": 9, "params": {"n": 20}}
{"id": 1, "kernel": "k", "duration": 9, "params": {"n": "20", "m": 20}}
{"id": 2, "kernel": "k", "duration": 9}
{"id": 3, "kernel": "other", "duration": 9, "params": {"n": 20}}
{"id": 4, "kernel": "torn", "duration": 9, "params": {"n": 20}})");
  const auto times = home.add(graph, {"gpu", "fpga"});
  CHECK(times_of(graph) == Lines{"0@gpu 140"});
  CHECK(graph.class_names == Lines{"gpu"});
  const std::string torn = home.path_of("torn") + ": it is not whole";
  CHECK(words_of(times) == Lines{"k gpu 1/3 0: 2 without the parameter 'n'", "other gpu 0/1 0: nothing is stored of it",
                                 "torn gpu 0/1 0: " + torn,
                                 "k fpga 0/3 0: there is no model of it on that worker class",
                                 "other fpga 0/1 0: nothing is stored of it", "torn fpga 0/1 0: " + torn});
}

TEST_CASE("a plain core's time that is missing comes from the models of the class cpu") {
  Home home;
  home.learn("k", "cpu", 100, 2);
  TaskGraph graph = graph_of_text(kHeader + R"({"id": 0, "kernel": "k", "params": {"n": 50}, "on": {"gpu": 7}}
{"id": 1, "kernel": "k", "params": {"n": 50}, "on": {"gpu": 7, "cpu": 8}})");
  CHECK(words_of(home.add(graph, {"cpu", "gpu"})) == Lines{"k cpu 1/1 0: "});
  CHECK(graph.duration_ns == std::vector<std::int64_t>{200, analysis::kNoDuration});
}

TEST_CASE("of the versions of a kernel's code the one saved last predicts") {
  Home home;
  home.learn("k", "gpu", 100, 2, "v2");
  home.learn("k", "gpu", 300, 4, "v1");
  TaskGraph graph = graph_of_text(kHeader + R"({"id": 0, "kernel": "k", "duration": 9, "params": {"n": 50}})");
  home.add(graph, {"gpu"});
  CHECK(times_of(graph) == Lines{"0@gpu 500"});
}

TEST_CASE("no time is shorter than a nanosecond") {
  Home home;
  KernelModel model({{}, {}});
  for (int i = 0; i < 20; ++i) online_test::feed(model, {}, 0.1);
  home.save({"k", "gpu", "v1"}, model);
  TaskGraph graph = graph_of_text(kHeader + R"({"id": 0, "kernel": "k", "duration": 9})");
  home.add(graph, {"gpu"});
  CHECK(times_of(graph) == Lines{"0@gpu 1"});
}

TEST_CASE("a recorded task's time is for its parameters, and shared out over its strands") {
  Home home;
  home.learn("named", "gpu", 100, 2);
  // The named task runs for 5 ns, creates another, runs for 5 ns, waits for it, and runs for 20 ns.
  TraceBuilder trace(1);
  trace.begin_team(1);
  const auto named = trace.create(0, 30);
  trace.kernel(0, 30, 7, {25});
  trace.run(0, 40, named);
  const auto child = trace.create(0, 45);
  trace.wait(0, 50);
  trace.run(0, 55, child);
  trace.end(0, 60);
  trace.wait_end(0, 65);
  trace.end(0, 85);
  trace.end_team(90);
  const TempFolder folder;
  foretask::trace::RunFile description;
  description.state = "complete";
  description.streams = 1;
  description.ticks_per_second = 1e9;
  description.command = {"app"};
  const auto bytes = trace.stream(0).bytes();
  write_content(folder / "stream_0", {bytes.begin(), bytes.end()});
  write_content(folder / "run.json", foretask::trace::to_json(description));
  write_content(folder / foretask::trace::kKernelFile, foretask::trace::kernel_line({7, "named", {"n"}}));
  const auto run = analysis::Run::open(folder.path());
  REQUIRE(run.ok());

  TaskGraph graph = analysis::graph_with_parameters(*run);
  REQUIRE(graph.parameters.size() == 1);
  CHECK(graph.parameter_names == Lines{"n"});
  CHECK(graph.parameters[0].value == 25);
  home.add(graph, {"cpu", "gpu"});
  std::vector<std::int64_t> shares;
  for (const analysis::ClassDuration& own : graph.class_durations) {
    CHECK(graph.kernel_names[graph.kernel[own.node]] == "named");
    shares.push_back(own.duration_ns);
  }
  CHECK(shares == std::vector<std::int64_t>{25, 25, 100});
  CHECK(graph.duration_ns == run->graph().duration_ns);
}
