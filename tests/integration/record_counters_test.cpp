// SPDX-License-Identifier: Apache-2.0
// Counters of tasks, from the program through the recording into the report. The kernel's own events serve as counters
// where the machine shows no others: they go the same way.
#include <algorithm>
#include <optional>

#include "integration/recorded.hpp"

using namespace record_test;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr const char* kSoftware = "perf::TASK-CLOCK,perf::PAGE-FAULTS,perf::CONTEXT-SWITCHES";

// What of the kernel's events cannot be had here, as doctor says it; empty where all can.
std::string missing(const Scratch& scratch) {
  const Outcome doctor = cli_test::foretask(scratch, {"doctor"});
  std::istringstream lines(doctor.out);
  for (std::string line; std::getline(lines, line);)
    if (line.find("perf::") != std::string::npos && line.find(" ok ") == std::string::npos) return line;
  return {};
}

json row(const Recorded& recorded, const std::string& mark) {
  const std::string place = "(counts.c:" + std::to_string(line_of("counts.c", mark)) + ")";
  for (const json& kernel : recorded.report.at("kernels"))
    if (kernel.at("name").get<std::string>().find(place) != std::string::npos) return kernel;
  FAIL("no kernel at " << place);
  return {};
}

std::optional<json> counter(const json& kernel, const std::string& name) {
  for (const json& one : kernel.at("counters"))
    if (one.at("name") == name) return one;
  return std::nullopt;
}

double total(const json& kernel, const std::string& name) {
  const auto found = counter(kernel, name);
  REQUIRE(found);
  return found->at("mean").get<double>() * found->at("tasks").get<double>();
}

json status_of(const json& report, const std::string& name) {
  for (const json& one : report.at("counters"))
    if (one.at("name") == name) return one;
  FAIL(name << " has no status");
  return {};
}

// A recording of `counts`, and what the program read itself within its tasks.
struct Counted {
  Recorded recorded;
  std::int64_t faults = 0;
  std::int64_t compute_ns = 0;
  std::int64_t switches = 0;

  // What the counted times of the tasks that compute, and of the 2 ms of each child, are off by: the larger part.
  [[nodiscard]] double error() const {
    const double computes = total(row(recorded, "compute"), "perf::TASK-CLOCK");
    const double children = total(row(recorded, "child"), "perf::TASK-CLOCK");
    return std::max(time_error(computes, static_cast<double>(compute_ns)), time_error(children, 20 * 2e6));
  }
};

Counted counted_run(Settings settings) {
  const Scratch scratch;
  settings.options = {"--counters", kSoftware};
  Recorded recorded = record(scratch, "counts", {"20"}, settings);
  const std::vector<std::int64_t> said = numbers(recorded.outcome.out);
  REQUIRE(said.size() == 3);
  return {std::move(recorded), said[0], said[1], said[2]};
}

Recorded record_processor_counters(const Scratch& scratch) {
  Settings settings;
  settings.options = {"--counters", "PAPI_TOT_INS,PAPI_TOT_CYC"};
  return record(scratch, "fib", {"15"}, settings);
}

}  // namespace

TEST_CASE("a task's page faults, its time on a core and its context switches are those that the kernel says") {
  const Scratch scratch;
  if (const std::string reason = missing(scratch); !reason.empty()) FORETASK_SKIP(reason);
  // By the kernels' places, which GCC's debug information does not say of all.
  for_each_libomp({1, 2}, [](const Settings& base) {
    const Counted best =
        nearest_run([&base] { return counted_run(base); }, [](const Counted& run) { return run.error(); });
    CHECK(best.error() <= 0.1);
    const Recorded& recorded = best.recorded;
    const json touch = row(recorded, "touch");
    CHECK(counter(touch, "perf::PAGE-FAULTS")->at("tasks") == 20);
    CHECK(total(touch, "perf::PAGE-FAULTS") >= 20 * 50);
    CHECK(total(touch, "perf::PAGE-FAULTS") <= static_cast<double>(best.faults + 40));
    CHECK(static_cast<double>(best.faults) <= total(touch, "perf::PAGE-FAULTS") + 40);
    const json compute = row(recorded, "compute");
    CHECK(total(compute, "perf::PAGE-FAULTS") <= 20);
    const json sleep = row(recorded, "sleep");
    CHECK(total(sleep, "perf::CONTEXT-SWITCHES") >= 40);  // two sleeps each
    CHECK(total(sleep, "perf::CONTEXT-SWITCHES") <= static_cast<double>(best.switches + 20));
    CHECK(total(sleep, "perf::TASK-CLOCK") < 20 * 1e6);  // of 4 ms each
    // Paused while it waits: the child's 2 ms are the child's, on whichever thread it ran.
    CHECK(total(row(recorded, "parent"), "perf::TASK-CLOCK") < 20 * 0.5e6);
    for (const char* name : {"perf::TASK-CLOCK", "perf::PAGE-FAULTS", "perf::CONTEXT-SWITCHES"})
      CHECK(status_of(recorded.report, name).at("status") == "ok");
  });
}

TEST_CASE("the reference reader reads the counters, and as many values as there are counters") {
  const Scratch scratch;
  if (const std::string reason = missing(scratch); !reason.empty()) FORETASK_SKIP(reason);
  if (!has_referee()) FORETASK_SKIP("babeltrace2 is not installed");
  Settings settings;
  settings.options = {"--counters", kSoftware};
  const Recorded recorded = record(scratch, "fib", {"12"}, settings);
  // Each task is read at its start and at its end at least.
  CHECK(read_by_referee(recorded.folder).of("task_counters") >= 2 * static_cast<std::uint64_t>(recorded["tasks"]));
  const Outcome text = run(scratch, {"babeltrace2", recorded.folder});
  CHECK_THAT(text.out, ContainsSubstring("task_counters: ") && ContainsSubstring("{ count = 3, values = [ [0] = "));
}

TEST_CASE("a counter that cannot be had is a status with a reason, and no figure") {
  const Scratch scratch;
  Settings settings;
  settings.options = {"--counters", "no such counter,PAPI_NO_SUCH"};
  const Recorded recorded = record(scratch, "fib", {"10"}, settings);
  CHECK(recorded.outcome.out == "fib(10) = 55\n");
  for (const char* name : {"no such counter", "PAPI_NO_SUCH"}) {
    const json status = status_of(recorded.report, name);
    CHECK((status.at("status") == "unavailable" || status.at("status") == "unsupported"));
    CHECK_FALSE(status.at("reason").get<std::string>().empty());
    CHECK_THAT(recorded.outcome.err, ContainsSubstring(std::string(name) + " is not counted ("));
  }
  for (const json& kernel : recorded.report.at("kernels")) CHECK(kernel.at("counters").empty());
  const json run = json::parse(contents(scratch / "run/run.json"));
  CHECK(run.at("counters")[0].at("name") == "no such counter");
  CHECK_FALSE(run.at("counters")[0].at("reason").get<std::string>().empty());
}

TEST_CASE("the processor's counters are read or said to be missing, never 0") {
  const Scratch scratch;
  const Recorded recorded = record_processor_counters(scratch);
  const json instructions = status_of(recorded.report, "PAPI_TOT_INS");
  const json cycles = status_of(recorded.report, "PAPI_TOT_CYC");
  for (const json& kernel : recorded.report.at("kernels"))
    for (const json& one : kernel.at("counters"))
      if (one.at("tasks") > 100) CHECK(one.at("mean") > 0);
  for (const json& status : {instructions, cycles})
    CHECK((status.at("status") == "ok" || !status.at("reason").get<std::string>().empty()));
}

TEST_CASE("where instructions and cycles are counted, their ratio is reported") {
  const Scratch scratch;
  const Recorded recorded = record_processor_counters(scratch);
  const json instructions = status_of(recorded.report, "PAPI_TOT_INS");
  const json cycles = status_of(recorded.report, "PAPI_TOT_CYC");
  if (instructions.at("status") != "ok" || cycles.at("status") != "ok")
    FORETASK_SKIP("no processor counters here: " + instructions.value("reason", cycles.value("reason", "")));
  for (const json& kernel : recorded.report.at("kernels"))
    if (kernel.at("count") > 100) {
      REQUIRE(kernel.at("ratios").size() == 1);
      CHECK(kernel.at("ratios")[0].at("name") == "instructions per cycle");
      CHECK(kernel.at("ratios")[0].at("value") > 0.05);
      CHECK(kernel.at("ratios")[0].at("value") < 10);
    }
}

TEST_CASE("one task in so many is counted where that is asked for") {
  const Scratch scratch;
  if (const std::string reason = missing(scratch); !reason.empty()) FORETASK_SKIP(reason);
  const auto counted = [&scratch](const std::string& folder, const std::vector<std::string>& options) {
    Settings settings;
    settings.folder = folder;
    settings.options = {"--counters", "perf::TASK-CLOCK"};
    settings.options.insert(settings.options.end(), options.begin(), options.end());
    const Recorded recorded = record(scratch, "many", {"2000"}, settings);
    std::int64_t tasks = 0;
    for (const json& kernel : recorded.report.at("kernels"))
      if (kernel.at("name").get<std::string>().find("many.c:13") != std::string::npos)
        for (const json& one : kernel.at("counters")) tasks += one.at("tasks").get<std::int64_t>();
    return std::pair(tasks, recorded.report.at("counter_sampling").get<int>());
  };
  const auto [all, sampling_all] = counted("all", {});
  const auto [some, sampling_some] = counted("some", {"--counter-sampling", "10"});
  // Binomial at 1/10: 200 with a standard deviation of 13.4.
  CHECK(all == 2000);
  CHECK(sampling_all == 1);
  CHECK(some > 130);
  CHECK(some < 270);
  CHECK(sampling_some == 10);
}

TEST_CASE("groups of counters run the program once each, and are reported together") {
  const Scratch scratch;
  if (const std::string reason = missing(scratch); !reason.empty()) FORETASK_SKIP(reason);
  Settings settings;
  settings.options = {"--counters", "perf::TASK-CLOCK; perf::PAGE-FAULTS,no such counter ;perf::CONTEXT-SWITCHES"};
  const Recorded recorded = record(scratch, "counts", {"10"}, settings);
  CHECK(numbers(recorded.outcome.out).size() == 9);  // three runs' output
  CHECK_THAT(recorded.outcome.err, ContainsSubstring("runs 3 times"));
  for (const char* folder : {"run", "run.2", "run.3"}) CHECK(cli_test::fs::exists(scratch / folder));
  const json touch = row(recorded, "touch");
  REQUIRE(touch.at("counters").size() == 3);
  CHECK(counter(touch, "perf::TASK-CLOCK")->at("run") == 0);
  CHECK(counter(touch, "perf::PAGE-FAULTS")->at("run") == 1);
  CHECK(counter(touch, "perf::CONTEXT-SWITCHES")->at("run") == 2);
  CHECK(total(touch, "perf::PAGE-FAULTS") >= 10 * 50);
  CHECK(status_of(recorded.report, "no such counter").at("run") == 1);
  // Each of them is a recording of its own; without one of them the rest is reported.
  CHECK(report_of(scratch, "run.2").at("tasks") == recorded["tasks"]);
  if (has_referee()) CHECK(read_by_referee(scratch / "run.3").of("task_counters") > 0);
  cli_test::fs::rename(scratch / "run.2", scratch / "elsewhere");
  const json rest = report_of(scratch, "run");
  REQUIRE(rest.at("warnings").size() == 1);
  CHECK_THAT(rest.at("warnings")[0].get<std::string>(), ContainsSubstring("counters of another run are missing"));
  CHECK(rest.at("kernels")[0].at("counters").size() == 2);
}

TEST_CASE("the status of a program that runs several times is that of the first run that failed") {
  const Scratch scratch;
  const auto recorded = [&scratch](const std::string& name, const std::vector<std::string>& program) {
    std::vector<std::string> words{"record", "--out", name, "--counters", "perf::TASK-CLOCK;perf::PAGE-FAULTS", "--"};
    words.insert(words.end(), program.begin(), program.end());
    return cli_test::foretask(scratch, words, "export OMP_NUM_THREADS=2;");
  };
  const std::string first_fails = "touch again; " + quoted(program("fib")) + " 5; n=$(ls ran* 2>/dev/null | wc -l); " +
                                  "touch ran$n; [ $n = 0 ] && exit 9; exit 0";
  CHECK(recorded("a", {"sh", "-c", first_fails}).exit_code == 9);
  CHECK(cli_test::fs::exists(scratch / "ran1"));
  const Outcome killed = recorded("b", {"sh", "-c", quoted(program("fib")) + " 5; echo ran; kill -TERM $$"});
  CHECK(killed.signal == SIGTERM);
  CHECK(killed.out == "fib(5) = 5\nran\n");  // a signal ends all
  const Outcome taken = recorded("a", {"true"});
  CHECK(taken.exit_code == 1);
  cli_test::fs::create_directory(scratch / "c.2");
  CHECK(recorded("c", {"touch", "started"}).exit_code == 1);
  CHECK_FALSE(cli_test::fs::exists(scratch / "started"));
}

TEST_CASE("each run of a program has the signals and streams that the user gave it") {
  const Scratch scratch;
  const Outcome outcome = run(scratch, {"sh", "-c",
                                        "trap '' HUP; exec " + quoted(cli_test::kForetask) +
                                            " record --counters 'perf::TASK-CLOCK;perf::PAGE-FAULTS' -- sh -c '" +
                                            program("fib") + " 5; grep Sig[BI] /proc/self/status'"});
  std::vector<std::string> lines;
  std::istringstream in(outcome.out);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  REQUIRE(lines.size() == 6);
  for (std::size_t i = 0; i < 3; ++i) CHECK(lines[i] == lines[i + 3]);
}

TEST_CASE("a program that closes every file keeps its own while counters are read") {
  const Scratch scratch;
  if (const std::string reason = missing(scratch); !reason.empty()) FORETASK_SKIP(reason);
  for_each_runtime({2}, [](const Settings& base) {
    const Scratch inner;
    Settings settings = base;
    settings.options = {"--counters", kSoftware};
    settings.warnings = {"the counters of"};
    const Recorded recorded = record(inner, "closes", {"1000"}, settings);
    CHECK(recorded.outcome.out == "1000 1000\n");
    for (int i = 0; i < 16; ++i)
      CHECK(contents(inner / ("own_" + std::to_string(i))) == "mine " + std::to_string(i) + "\n");
  });
}

TEST_CASE("constructs of every kind are counted without harm") {
  const Scratch scratch;
  if (const std::string reason = missing(scratch); !reason.empty()) FORETASK_SKIP(reason);
  const std::vector<std::vector<std::string>> programs{{"untied"},    {"taskyield"}, {"cancels"},   {"detach"},
                                                       {"nested"},    {"regions"},   {"forks"},     {"depend_wait"},
                                                       {"taskgroup"}, {"taskloop"},  {"undeferred"}};
  for (const auto& words : programs) {
    const Scratch inner;
    Settings settings;
    settings.options = {"--counters", kSoftware};
    const Outcome plain = run_recorder(inner, words[0], {}, settings);
    Settings without;
    without.folder = "without";
    const Outcome reference = run_recorder(inner, words[0], {}, without);
    INFO(words[0] << ": " << plain.err);
    CHECK(plain.exit_code == reference.exit_code);
    if (!cli_test::fs::exists(inner / "run")) continue;
    const json report = report_of(inner, "run");
    CHECK(report.at("identity_error").get<double>() <= 1e-6);
  }
}

TEST_CASE("an unprivileged user's denied counter is a denial, where the system denies it") {
  const Scratch scratch;
  if (::geteuid() != 0) FORETASK_SKIP("only root can become somebody else");
  if (const std::string reason = missing(scratch); !reason.empty()) FORETASK_SKIP(reason);
  cli_test::fs::permissions(scratch.path(), cli_test::fs::perms::all);
  const std::vector<std::string> as_nobody{"setpriv", "--reuid=65534", "--clear-groups", "--inh-caps=-all",
                                           "--bounding-set=-all"};
  if (run(scratch,
          [&] {
            auto words = as_nobody;
            words.insert(words.end(), {"env", program("fib"), "5"});  // setpriv itself may still look into any folder
            return words;
          }())
          .exit_code != 0)
    FORETASK_SKIP("setpriv cannot run the program as another user");
  std::ifstream level_file("/proc/sys/kernel/perf_event_paranoid");
  int level = 0;
  if (!(level_file >> level) || level < 2) FORETASK_SKIP("this system lets everybody count in the kernel");
  auto words = as_nobody;
  words.insert(words.end(), {cli_test::kForetask, "record", "--out", "run", "--counters",
                             "perf::CONTEXT-SWITCHES,perf::TASK-CLOCK", "--", program("fib"), "10"});
  const Outcome outcome = run(scratch, words);
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const json report = report_of(scratch, "run");
  const json denied = status_of(report, "perf::CONTEXT-SWITCHES");
  CHECK(denied.at("status") == "denied");
  CHECK_THAT(denied.at("reason").get<std::string>(),
             ContainsSubstring("perf_event_paranoid is " + std::to_string(level)));
  for (const json& kernel : report.at("kernels")) CHECK_FALSE(counter(kernel, "perf::CONTEXT-SWITCHES"));
}
