// SPDX-License-Identifier: Apache-2.0
// A kernel is the code that the compiler made of a construct, wherever it is called from and however it was optimised.
#include <algorithm>
#include <vector>

#include "integration/recorded.hpp"

using namespace record_test;

namespace {

// How many tasks each kernel has whose name begins so, fewest first.
std::vector<std::int64_t> counts(const json& report, const std::string& name) {
  std::vector<std::int64_t> found;
  for (const json& kernel : report.at("kernels"))
    if (kernel.at("name").get<std::string>().starts_with(name)) found.push_back(kernel.at("count"));
  std::sort(found.begin(), found.end());
  return found;
}

using Counts = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("a construct is one kernel at every level of optimisation") {
  for_each_runtime({1, 2}, [](const Settings& settings) {
    const bool is_gcc = settings.runtime.is_libgomp();
    for (const std::string level : {"O0", "O1", "O2", "O3", "flto"}) {
      CAPTURE(level);
      const Scratch scratch;
      const Recorded recorded = record(scratch, "code_" + level, {}, settings);
      const auto name = [is_gcc](const std::string& function, const std::string& source) {
        return function + " (" + source + (is_gcc ? "" : ":" + std::to_string(line_of(source, function)) + ")");
      };
      CHECK(counts(recorded.report, name("load", "code.c")) == Counts{12});
      CHECK(counts(recorded.report, name("store", "code.c")) == Counts{12});
      CHECK(counts(recorded.report, name("big", "code.c")) == Counts{40});
      CHECK(counts(recorded.report, name("little", "code.c")) == Counts{40});
      CHECK(counts(recorded.report, name("copied", "code.c")) == Counts{3});
      CHECK(counts(recorded.report, name("step", "code_library.c")) == Counts{3, 5});
    }
  });
}

TEST_CASE("what is learned of a construct is one model") {
  for_each_runtime({2}, [](const Settings& settings) {
    const Scratch scratch;
    const std::string name = settings.runtime.is_libgomp() ? "gcc_code_O2" : "code_O2";
    const std::string home = assignments(settings) + "export FORETASK_HOME=home;";
    REQUIRE(cli_test::foretask(scratch, {"learn", "--", program(name)}, home).exit_code == 0);
    const json models = json::parse(cli_test::foretask(scratch, {"model", "show", "--json"}, home).out).at("models");
    const auto samples = [&models](const std::string& function) {
      Counts found;
      for (const json& model : models)
        if (model.at("code").get<std::string>().starts_with(function + " (")) found.push_back(model.at("samples"));
      return found;
    };
    CHECK(samples("load") == Counts{12});
    CHECK(samples("store") == Counts{12});
    CHECK(samples("big") == Counts{40});
    CHECK(samples("little") == Counts{40});
  });
}

TEST_CASE("each instance of a template is a kernel, and so is a region that is forked by a jump") {
  for_each_runtime({2}, [](const Settings& settings) {
    for (const std::string level : {"O0", "O1", "O2", "O3", "flto"}) {
      CAPTURE(level);
      const Scratch scratch;
      const Recorded recorded = record(scratch, "instances_" + level, {}, settings);
      CHECK(counts(recorded.report, "instance<int> (") == Counts{7});
      CHECK(counts(recorded.report, "instance<double> (") == Counts{9});
      CHECK(counts(recorded.report, "first_region (").size() == 1);
      CHECK(counts(recorded.report, "second_region (").size() == 1);
    }
  });
}

TEST_CASE("what foretask::invoke makes tasks is called after what it was given") {
  for_each_runtime({2}, [](const Settings& settings) {
    const Scratch scratch;
    const Recorded recorded = record(scratch, "invoked", {}, settings);
    const std::string name = "fib (invoked.cpp:" + std::to_string(line_of("invoked.cpp", "part")) + ")";
    REQUIRE(recorded["tasks"] > 0);
    CHECK(tasks_of(recorded, name) == recorded["tasks"]);
  });
}

TEST_CASE("a report's lines have at most 120 columns, whatever its kernels are called") {
  const Scratch scratch;
  const Recorded recorded = record(scratch, "deep_names");
  const Outcome report = cli_test::foretask(scratch, {"report", "--details", recorded.folder});
  INFO(report.out);
  REQUIRE(report.exit_code == 0);
  std::istringstream lines(report.out);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 120);
  CHECK(counts(recorded.report, "lib::Pair<").size() == 2);
}
