// SPDX-License-Identifier: Apache-2.0
// Kernels that the program names itself: their tasks, their parameters, scopes and times of its own, from the program
// into the report and into models.
#include <fcntl.h>

#include <set>

#include "integration/recorded.hpp"

using namespace record_test;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string kOdd = "odd \"name\", a \\ and \xc3\xa9";

json named(const json& list, const std::string& name) {
  for (const json& one : list)
    if (one.at("name") == name) return one;
  FAIL("nothing is called " << name);
  return {};
}

json fit(const Scratch& scratch, std::vector<std::string> words) {
  words.insert(words.begin(), {"model", "fit", "run"});
  words.emplace_back("--json");
  const Outcome outcome = cli_test::foretask(scratch, words);
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  return json::parse(outcome.out);
}

}  // namespace

TEST_CASE("tasks that the program names are kernels by that name, and take the time that the program says") {
  for_each_runtime({1, 2}, [](const Settings& settings) {
    // What the program says of the tasks' time, and of the scopes'.
    const auto error = [](const Recorded& run) {
      const std::vector<std::int64_t> said = numbers(run.outcome.out);
      REQUIRE(said.size() == 2);
      const double tasks = named(run.report.at("kernels"), "named").at("work_ns").get<double>();
      const double scopes = named(run.report.at("samples"), "scoped").at("total_ns").get<double>();
      return std::max(time_error(tasks, static_cast<double>(said[0])),
                      time_error(scopes, static_cast<double>(said[1])));
    };
    const Recorded recorded =
        nearest_run([&settings] { return record(Scratch(), "kernels", {"200"}, settings); }, error);
    CHECK(error(recorded) <= 0.1);
    CHECK(named(recorded.report.at("kernels"), "named").at("count") == 200);
    CHECK(kernel(recorded, "kernels.c", "nameless").count == 200);
    CHECK(kernel(recorded, "kernels.c", "named").count == 0);
    CHECK(named(recorded.report.at("kernels"), kOdd).at("count") == 1);
    const json scopes = named(recorded.report.at("samples"), "scoped");
    CHECK(scopes.at("count") == 200);
    const json times = named(recorded.report.at("samples"), "outside");
    CHECK(times.at("count") == 200);
    CHECK(times.at("total_ns") == 1000.0 * 200 * 201 / 2);
    CHECK(times.at("parameters") == json::parse(R"(["k"])"));
  });
}

TEST_CASE("what a kernel's tasks depend on is judged by their parameters") {
  const Scratch scratch;
  const Recorded recorded = record(scratch, "kernels", {"400"});
  const json why = named(recorded.report.at("kernels"), "named").at("variability");
  CHECK(why.at("tasks") == 400);
  // On a machine that is busy with other things, tasks that lost their core take part of the spread.
  CHECK((why.at("verdict") == "explained" || why.at("verdict") == "explained in part"));
  CHECK(why.at("source") == "input dependence");
  CHECK(why.at("factors")[0].at("p") < 0.001);
  const std::string by = why.at("factors")[0].at("by");
  CHECK((by == "n" || by == "twice n" || by == "n, twice n together"));
}

TEST_CASE("the reference reader sees the names' events") {
  if (!has_referee()) FORETASK_SKIP("babeltrace2 is not installed");
  const Scratch scratch;
  const Recorded recorded = record(scratch, "kernels", {"50"});
  const EventCounts events = read_by_referee(recorded.folder);
  CHECK(events.of("task_kernel") == 51);
  CHECK(events.of("task_parameter") == 40);  // four of five
  CHECK(events.of("kernel_sample") == 100);
  const Outcome text = run(scratch, {"babeltrace2", recorded.folder});
  // The 50th time that the program handed over.
  CHECK_THAT(text.out, ContainsSubstring("duration_ns = 50000, count = 1, parameters = [ [0] = 50 ]"));
}

TEST_CASE("models are fitted to a recorded kernel's rows") {
  const Scratch scratch;
  const Recorded recorded = record(scratch, "kernels", {"300"});
  SECTION("times that the program handed over are found to the digit") {
    const json model = fit(scratch, {"--kernel", "outside", "--terms", "1,k"});
    CHECK(model.at("n") == 300);
    CHECK(model.at("target") == "time");
    CHECK(model.at("terms")[1].at("coef").get<double>() == Approx(1000).epsilon(1e-9));
    CHECK(std::abs(model.at("terms")[0].at("coef").get<double>()) < 1e-6);
  }
  SECTION("rows that lack a parameter are left out and said") {
    const Outcome outcome =
        cli_test::foretask(scratch, {"model", "fit", "run", "--kernel", "named", "--terms", "1,n", "--json"});
    INFO(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    CHECK_THAT(outcome.err, ContainsSubstring("60 of 300 tasks of named are left out"));
    const json model = json::parse(outcome.out);
    CHECK(model.at("n") == 240);
    CHECK(model.at("params").size() == 3);
    // 20 us for each of n at least, and no more in all than the program says of all of its named tasks.
    const Outcome rows = cli_test::foretask(
        scratch, {"model", "evaluate", "run", "--kernel", "named", "--params", "n", "--methods", "first", "--json"});
    REQUIRE(rows.exit_code == 0);
    const double total = json::parse(rows.out).at("methods")[0].at("actual_total");
    double least = 0;
    for (int i = 0; i < 300; ++i) least += i % 5 != 0 ? 20'000 * (1 + i % 4) : 0;
    CHECK(total >= least);
    CHECK(total <= 1.1 * static_cast<double>(numbers(recorded.outcome.out).at(0)) + 300 * 20'000);
  }
  SECTION("methods of prediction are judged on it") {
    const Outcome outcome = cli_test::foretask(
        scratch, {"model", "evaluate", "run", "--kernel", "outside", "--params", "k", "--methods", "best", "--json"});
    INFO(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    const json evaluation = json::parse(outcome.out);
    CHECK(evaluation.at("n") == 300);
    CHECK(evaluation.at("methods")[0].at("actual_total") == 1000.0 * 300 * 301 / 2);
  }
  SECTION("without a name, what there is is listed") {
    const Outcome outcome = cli_test::foretask(scratch, {"model", "fit", "run"});
    CHECK(outcome.exit_code == 1);
    for (const char* part :
         {"--kernel", "'named' (300 rows)", "'outside' (300 rows)", "'scoped' (300 rows)", "(1 row)"})
      CHECK_THAT(outcome.err, ContainsSubstring(part));
  }
  SECTION("a wrong name, a kernel with nothing to go by, a file with a kernel") {
    const auto fails = [&scratch](const std::vector<std::string>& words, int code, const std::string& part) {
      const Outcome outcome = cli_test::foretask(scratch, words);
      CHECK(outcome.exit_code == code);
      CHECK_THAT(outcome.err, ContainsSubstring("foretask: error: ") && ContainsSubstring(part));
    };
    fails({"model", "fit", "run", "--kernel", "nmaed"}, 1, "near are named");
    fails({"model", "fit", "run", "--kernel", "named", "--target", "speed"}, 1, "speed");
    std::ofstream(scratch / "table.csv") << "a,b\n1,2\n2,3\n3,5\n";
    fails({"model", "fit", "table.csv", "--target", "a", "--kernel", "named"}, 1,
          "table.csv: is not a recorded run: leave out --kernel");
    fails({"model", "fit", "table.csv"}, 2, "--target");
    fails({"model", "evaluate", "table.csv", "--params", "a"}, 2, "--target");
    const std::string nameless = "kernels.c:" + std::to_string(line_of("kernels.c", "nameless"));
    for (const json& kernel : recorded.report.at("kernels"))
      if (kernel.at("name").get<std::string>().find(nameless) != std::string::npos)
        fails({"model", "fit", "run", "--kernel", kernel.at("name")}, 1, "neither parameters nor counters");
  }
}

TEST_CASE("counters are columns, and targets, of a kernel's rows") {
  const Scratch scratch;
  Settings settings;
  settings.options = {"--counters", "perf::TASK-CLOCK"};
  const Recorded recorded = record(scratch, "kernels", {"200"}, settings);
  if (recorded.report.at("counters")[0].at("status") != "ok")
    FORETASK_SKIP(recorded.report.at("counters")[0].at("reason").get<std::string>());
  const json model =
      fit(scratch, {"--kernel", "named", "--target", "perf::TASK-CLOCK", "--params", "time", "--terms", "1,time"});
  CHECK(model.at("target") == "perf::TASK-CLOCK");
  CHECK(model.at("n") == 160);
  // What a task has of a core is part of its time.
  CHECK(model.at("terms")[1].at("coef").get<double>() < 1.1);
}

TEST_CASE("names survive a kill") {
  const Scratch scratch;
  const Outcome outcome = run_recorder(scratch, "kernels", {"50", "kill"});
  CHECK(outcome.signal == SIGKILL);
  const json report = report_of(scratch, "run");
  CHECK(named(report.at("kernels"), "named").at("count") == 50);
  CHECK(named(report.at("samples"), "outside").at("count") == 50);
}

TEST_CASE("a damaged file of names costs the names it lost, and is said") {
  const Scratch scratch;
  const Recorded recorded = record(scratch, "kernels", {"50"});
  const std::string path = recorded.folder + "/.kernels.jsonl";
  const std::string lines = contents(path);
  std::ofstream(path) << lines.substr(0, lines.size() - 9) << "\n[1]\n{\"kernel\": 1e99}\n";
  const json report = report_of(scratch, "run");
  REQUIRE(report.at("warnings").size() == 1);
  CHECK_THAT(report.at("warnings")[0].get<std::string>(), ContainsSubstring("3 lines of .kernels.jsonl"));
  CHECK(named(report.at("samples"), "(kernel 3)").at("count") == 50);
  CHECK(named(report.at("kernels"), "named").at("count") == 50);
}

TEST_CASE("unrecorded, the calls do nothing") {
  const Scratch scratch;
  const Outcome outcome = run(scratch, {program("kernels"), "20"});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
  std::set<std::string> files;
  for (const auto& entry : cli_test::fs::directory_iterator(scratch.path())) files.insert(entry.path().filename());
  CHECK(files == std::set<std::string>{"stdout", "stderr"});
}
