// SPDX-License-Identifier: Apache-2.0
// Loops as the learner and the progress line know them: a thread's share is a sample, an iteration is a step. Examples
// of both compilers.
#include <map>
#include <sstream>

#include "integration/learning.hpp"

using cli_test::example;
using cli_test::Outcome;
using cli_test::Scratch;
using learning_test::contents;
using learning_test::json;
using learning_test::path_of;

namespace {

constexpr const char* kHome = "export FORETASK_HOME=home FORETASK_CALIBRATE=0;";

// 100 rows, dealt out by fours.
const std::vector<std::string> kMandelbrot{"-n", "100", "-m", "5000", "-t", "2"};
// 100 inner rows, 50 for each thread; 5 pairs of loops.
const std::vector<std::string> kStencil{"-n", "102", "-s", "5", "-t", "2"};
// 200 rows, 3 times.
const std::vector<std::string> kTriangular{"-n", "200", "-s", "3", "-t", "2"};

Outcome launch(const Scratch& scratch, std::vector<std::string> command, const std::string& name,
               const std::vector<std::string>& arguments, const std::string& before = "") {
  command.insert(command.end(), {"--", example(name)});
  command.insert(command.end(), arguments.begin(), arguments.end());
  Outcome outcome = cli_test::foretask(scratch, command, kHome + before);
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  return outcome;
}

// What `foretask learn` stored, by code and worker class.
json models_after(const Scratch& scratch, const std::string& name, const std::vector<std::string>& arguments,
                  const std::string& before = "") {
  launch(scratch, {"learn"}, name, arguments, before);
  return json::parse(cli_test::foretask(scratch, {"model", "show", "--json"}, kHome).out).at("models");
}

// Tasks of each kernel of the last stored run, by name.
std::map<std::string, double> stored_tasks(const Scratch& scratch, const std::string& name) {
  std::map<std::string, double> tasks;
  const json rows = json::parse(contents(path_of(scratch, name + ".json"))).at("rows");
  for (const json& kernel : rows.back().at("kernels")) tasks[kernel.at("kernel")] = kernel.at("tasks");
  return tasks;
}

double iterations_of(const std::map<std::string, double>& tasks) {
  double iterations = 0;
  for (const auto& [name, count] : tasks)
    if (name.ends_with(" loop")) iterations += count;
  return iterations;
}

// Without the region's own code, which is listed where a thread was kept from its core.
std::vector<std::string> names_of_loops(const json& report) {
  std::vector<std::string> names;
  for (const json& loop : report.at("loops"))
    if (const std::string name = loop.at("name"); name.ends_with(" loop")) names.push_back(name);
  return names;
}

// What an example's name ends in, by its compiler.
const std::vector<std::string> kBuilds{"", "_gcc"};

}  // namespace

TEST_CASE("a thread's share of a loop is a sample, with its iterations as the parameter") {
  for (const std::string& suffix : kBuilds) {
    INFO(suffix);
    const Scratch scratch;
    const json models = models_after(scratch, "triangular" + suffix, kTriangular, "export OMP_SCHEDULE=dynamic,20;");
    REQUIRE(models.size() == 1);
    const json& loop = models[0];
    CHECK(loop.at("code").get<std::string>().rfind("multiply (triangular.cpp:", 0) == 0);
    CHECK(loop.at("code").get<std::string>().ends_with(" loop"));
    // A thread may get nothing.
    CHECK(loop.at("samples").get<int>() >= 3);
    CHECK(loop.at("samples").get<int>() <= 6);
    REQUIRE(loop.at("parameters").size() == 1);
    CHECK(loop.at("parameters")[0].at("name") == "iterations");
    CHECK(loop.at("parameters")[0].at("smallest").get<double>() >= 20);
    CHECK(loop.at("parameters")[0].at("largest").get<double>() <= 200);
    const Outcome asked =
        cli_test::foretask(scratch, {"model", "show", loop.at("kernel"), "--set", "iterations=100", "--json"}, kHome);
    INFO(asked.err);
    CHECK(json::parse(asked.out).at("models")[0].at("prediction").at("value_ns").get<double>() > 0);
  }
}

TEST_CASE("a static loop's shares are its blocks") {
  const Scratch scratch;
  const json models = models_after(scratch, "stencil", kStencil);
  REQUIRE(models.size() == 1);
  CHECK(models[0].at("samples") == 20);
  CHECK(models[0].at("parameters")[0].at("smallest") == 50);
  CHECK(models[0].at("parameters")[0].at("largest") == 50);
}

TEST_CASE("a region whose loops call no runtime is a kernel, with its threads as the parameter") {
  const Scratch scratch;
  const json models = models_after(scratch, "stencil_gcc", kStencil);
  REQUIRE(models.size() == 1);
  CHECK(models[0].at("code").get<std::string>().ends_with(" [parallel]"));
  CHECK(models[0].at("samples") == 2);
  REQUIRE(models[0].at("parameters").size() == 1);
  CHECK(models[0].at("parameters")[0].at("name") == "threads");
  CHECK(models[0].at("parameters")[0].at("smallest") == 2);
}

TEST_CASE("a loop has the same name in the store, in the progress and in a recording") {
  for (const std::string& suffix : kBuilds) {
    const std::string name = "mandelbrot" + suffix;
    INFO(name);
    const Scratch scratch;
    const json models = models_after(scratch, name, kMandelbrot, "export FORETASK_PROGRESS=quiet;");
    REQUIRE(models.size() == 1);
    CHECK(stored_tasks(scratch, name).count(models[0].at("kernel")) == 1);
    launch(scratch, {"record", "--out", "run"}, name, kMandelbrot);
    const json report = json::parse(cli_test::foretask(scratch, {"report", "run", "--json"}).out);
    CHECK(names_of_loops(report) == std::vector<std::string>{models[0].at("code")});
  }
}

TEST_CASE("loops are followed by their iterations, with the hook in front of the runtime or without") {
  const std::string alone = "export FORETASK_PROGRESS=quiet OMP_TOOL_LIBRARIES=" + cli_test::quoted(FORETASK_TEST_HOOK);
  struct Case {
    const char* program;
    const std::vector<std::string>& arguments;
    double iterations;
  };
  for (const Case& one : {Case{"mandelbrot", kMandelbrot, 100},
                          {"stencil", kStencil, 1000},
                          {"triangular", kTriangular, 600},
                          {"mandelbrot_gcc", kMandelbrot, 100},
                          {"triangular_gcc", kTriangular, 600}}) {
    INFO(one.program);
    const Scratch scratch;
    for (const char* const command : {"learn", "record"}) {
      launch(scratch, {command}, one.program, one.arguments, "export FORETASK_PROGRESS=quiet;");
      CHECK(iterations_of(stored_tasks(scratch, one.program)) == one.iterations);
    }
    // The tool in GCC's programs is the launcher's work.
    if (std::string(one.program).ends_with("_gcc")) continue;
    std::vector<std::string> words{example(one.program)};
    words.insert(words.end(), one.arguments.begin(), one.arguments.end());
    REQUIRE(cli_test::run(scratch, words, kHome + alone + ";").exit_code == 0);
    CHECK(iterations_of(stored_tasks(scratch, one.program)) == one.iterations);
    const json rows = json::parse(contents(path_of(scratch, std::string(one.program) + ".json"))).at("rows");
    CHECK(rows.size() == 3);
  }
}

TEST_CASE("a program of loops alone has a progress line from its second run on") {
  for (const std::string& suffix : kBuilds) {
    for (const char* const name : {"mandelbrot", "stencil"}) {
      INFO(name << suffix);
      const Scratch scratch;
      const bool is_stencil = name == std::string("stencil");
      const std::vector<std::string> arguments{"-n", "400", is_stencil ? "-s" : "-m", is_stencil ? "100" : "500",
                                               "-t", "2"};
      std::string state;
      for (const char* const wanted : {"learning", "predicted"}) {
        const Outcome outcome = launch(scratch, {"learn"}, name + suffix, arguments, "export FORETASK_PROGRESS=json;");
        std::vector<json> lines;
        std::istringstream in(outcome.err);
        for (std::string line; std::getline(in, line);)
          if (line.rfind("{", 0) == 0) lines.push_back(json::parse(line));
        REQUIRE(lines.size() >= 2);
        CHECK(lines[lines.size() - 2].at("foretask_progress") == wanted);
        CHECK(lines.back().at("workers") == 2);
        CHECK(lines.back().at("tasks") == 0);
        CHECK(lines.back().contains("done") == (wanted == std::string("predicted")));
        double done = 0;
        for (const json& line : lines) {
          if (!line.contains("done")) continue;
          CHECK(line.at("done").get<double>() <= 1);
          done = line.at("done");
        }
        // All iterations are done; the serial part behind them is the machine's.
        if (lines.back().contains("done")) CHECK(done > 0.7);
      }
    }
  }
}

TEST_CASE("a region with tasks is no kernel: its tasks are") {
  const Scratch scratch;
  const json models = models_after(scratch, "sleepers", {"-s", "flat", "-n", "20", "-m", "100", "-t", "2"});
  for (const json& model : models) CHECK_FALSE(model.at("code").get<std::string>().ends_with(" [parallel]"));
  CHECK(models.size() >= 1);
}
