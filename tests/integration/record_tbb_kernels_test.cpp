// SPDX-License-Identifier: Apache-2.0
// The kernels of oneTBB programs, their parameters, and what is learned of them. Counts are made by hand.
#include <cmath>

#include "integration/recorded.hpp"

using namespace record_test;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr const char* kKernels = "tbb_kernels";
constexpr const char* kHome = "export FORETASK_HOME=home;";

Recorded record_kernels(const Scratch& scratch, const std::string& how) {
  Settings settings;
  settings.folder = how;
  return record(scratch, kKernels, {how, "2"}, settings);
}

std::string at(const std::string& function, const std::string& mark) {
  return function + " (kernels.cpp:" + std::to_string(line_of("tbb/kernels.cpp", mark)) + ")";
}

// What the kernel's tasks have run together, of `tasks` tasks: their mean is the only term of a model.
double iterations_of(const Scratch& scratch, const Recorded& recorded, const json& kernel) {
  const Outcome outcome =
      cli_test::foretask(scratch, {"model", "fit", recorded.folder, "--kernel", kernel.at("name"), "--target",
                                   "iterations", "--params", "time", "--terms", "1", "--json"});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const json fit = json::parse(outcome.out);
  CHECK(fit.at("n") == kernel.at("count"));
  return fit.at("terms")[0].at("coef").get<double>() * fit.at("n").get<double>();
}

}  // namespace

TEST_CASE(
    "each filter of a pipeline is a kernel, each node of a flow graph, and each function that tasks call by pointer") {
  const Scratch scratch;
  // The source is called once more, to say that there is nothing left.
  const Recorded pipeline = record_kernels(scratch, "pipeline");
  CHECK(pipeline.outcome.out == "61\n");
  CHECK(tasks_of(pipeline, at("pipeline", "source")) == 21);
  CHECK(tasks_of(pipeline, at("pipeline", "middle")) == 20);
  CHECK(tasks_of(pipeline, at("pipeline", "sink")) == 20);
  const Recorded graph = record_kernels(scratch, "graph");
  CHECK(graph.outcome.out == "50\n");
  CHECK(tasks_of(graph, at("graph", "first node")) == 10);
  CHECK(tasks_of(graph, at("Doubles", "second node")) == 10);
  CHECK(tasks_of(graph, at("graph", "last node")) == 10);
  CHECK(tasks_of(graph, at("Third", "third node")) == 10);
  CHECK(tasks_of(graph, at("Fourth", "fourth node")) == 10);
  // Of six functions that are invoked, the caller's task runs three with two tasks below.
  const Recorded functions = record_kernels(scratch, "functions");
  CHECK(functions.outcome.out == "9\n");
  CHECK(tasks_of(functions, at("one", "one")) == 2);
  CHECK(tasks_of(functions, at("other", "other")) == 1 + 5);
}

TEST_CASE("the tasks of a loop have the iterations that they run themselves as a parameter") {
  const Scratch scratch;
  const Recorded recorded = record_kernels(scratch, "ranges");
  CHECK(recorded.outcome.out == "1000\n");
  std::vector<double> iterations;
  for (const json& kernel : recorded.report.at("kernels"))
    if (kernel.at("name") != "(serial part)") iterations.push_back(iterations_of(scratch, recorded, kernel));
  std::sort(iterations.begin(), iterations.end());
  REQUIRE(iterations.size() == 5);
  for (std::size_t loop = 0; loop < iterations.size(); ++loop) {
    const double expected = loop < 3 ? 100 : loop == 3 ? 300 : 400;
    CHECK(std::abs(iterations[loop] - expected) < 1e-6);
  }
  // Of pointers and iterators too, where the size of what they point to is known.
  const Recorded pointers = record_kernels(scratch, "pointers");
  CHECK(pointers.outcome.out == "650\n");
  iterations.clear();
  for (const json& kernel : pointers.report.at("kernels")) {
    const std::string name = kernel.at("name");
    if (name != "(serial part)" && name != at("pointers", "own class"))
      iterations.push_back(iterations_of(scratch, pointers, kernel));
  }
  std::sort(iterations.begin(), iterations.end());
  CHECK(iterations.size() == 3);
  for (std::size_t loop = 0; loop < iterations.size(); ++loop)
    CHECK(std::abs(iterations[loop] - 100 * (static_cast<double>(loop) + 1)) < 1e-6);
  // A loop in the body of the same loop takes nothing from it.
  const Recorded nested = record_kernels(scratch, "recursive");
  REQUIRE(nested.report.at("kernels").size() == 2);
  for (const json& kernel : nested.report.at("kernels"))
    if (kernel.at("name") != "(serial part)")
      CHECK(std::abs(iterations_of(scratch, nested, kernel) - (4 + 16 + 64)) < 1e-6);
}

TEST_CASE("tasks of oneTBB are learned, and their kernel predicts a loop's part from its iterations") {
  const Scratch scratch;
  const Outcome learned = cli_test::foretask(scratch, {"learn", "--", program(kKernels), "learned", "2"}, kHome);
  INFO(learned.err);
  REQUIRE(learned.exit_code == 0);
  CHECK(learned.out == "2560\n");
  const json models = json::parse(cli_test::foretask(scratch, {"model", "show", "--json"}, kHome).out).at("models");
  REQUIRE(models.size() == 1);
  CHECK(models[0].at("code") == at("learned", "learned loop"));
  // 400 iterations in parts of 10 at most, halved: 64 of them, forty times.
  CHECK(models[0].at("samples") == 40 * 64);
  const json& parameter = models[0].at("parameters")[0];
  CHECK(parameter.at("name") == "iterations");
  CHECK(parameter.at("smallest") == 6);
  CHECK(parameter.at("largest") == 7);
  const Outcome shown =
      cli_test::foretask(scratch, {"model", "show", models[0].at("kernel"), "--set", "iterations=6", "--json"}, kHome);
  INFO(shown.err);
  CHECK(shown.exit_code == 0);
  // A loop in the body of the same loop takes nothing from it here either.
  const std::string home = "export FORETASK_HOME=nested;";
  CHECK(cli_test::foretask(scratch, {"learn", "--", program(kKernels), "recursive", "2"}, home).out == "64\n");
  const json nested = json::parse(cli_test::foretask(scratch, {"model", "show", "--json"}, home).out).at("models");
  REQUIRE(nested.size() == 1);
  CHECK(nested[0].at("samples") == 4 + 16 + 64);
  CHECK(nested[0].at("parameters")[0].at("smallest") == 1);
}

TEST_CASE("a oneTBB program names its loop, and is told how long a part of it takes, also by what is stored") {
  const Scratch scratch;
  const auto learn = [&scratch] {
    return cli_test::foretask(scratch, {"learn", "--", program("tbb_annotated"), "asks"}, kHome);
  };
  const Outcome first = learn();
  INFO(first.err);
  CHECK(first.out == "ok: uncalibrated, 0 samples\nok: ready, 2560 samples\n0 failed\n");
  CHECK(learn().out == "ok: ready, 2560 samples\nok: ready, 5120 samples\n0 failed\n");
  // Recorded, all tasks of the loop are of that kernel and have run 400 iterations forty times.
  Settings settings;
  settings.folder = "named";
  const Recorded recorded = record(scratch, "tbb_annotated", {"asks"}, settings);
  CHECK(tasks_of(recorded, "named loop") == 2560);
  for (const json& kernel : recorded.report.at("kernels"))
    if (kernel.at("name") == "named loop") CHECK(std::abs(iterations_of(scratch, recorded, kernel) - 40 * 400) < 1e-6);
}

TEST_CASE("the progress of a oneTBB program is followed beside its recording, beside the learner and alone") {
  const std::string mode = GENERATE("record", "learn", "");
  CAPTURE(mode);
  const Scratch scratch;
  const Outcome outcome =
      run(scratch, {program(kKernels), "learned", "2"},
          "export FORETASK=" + mode + " FORETASK_OUT=run FORETASK_PROGRESS=json FORETASK_HOME=home LD_PRELOAD=" +
              quoted(std::string(FORETASK_BIN_DIR) + "/../lib/libforetask_tbb.so") + ";");
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out == "2560\n");
  CHECK_THAT(outcome.err, ContainsSubstring("\"end\"") && ContainsSubstring("\"tasks\": 2560, \"workers\": 2}"));
  if (mode == "record") CHECK(report_of(scratch, "run").at("tasks") == 2560);
}
