// SPDX-License-Identifier: Apache-2.0
#include "report/run/run_report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "report/plain_text.hpp"
#include "report/run/reading.hpp"

using namespace foretask;
using namespace foretask::report;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using nlohmann::json;

namespace {

// Two workers for 100 us: 150 us of work, 20 of delay, 30 without work.
analysis::Report some_report() {
  analysis::Report report;
  report.program = "/bin/app";
  report.command = {"./app", "-n", "8"};
  report.workers = 2;
  report.elapsed_ns = 100'000;
  report.recorded_elapsed_ns = 101'000;
  report.tasks = 12;
  report.strands = 20;
  report.edges = 30;
  report.work_ns = 150'000;
  report.span_ns = 50'000;
  report.burdened_span_ns = 52'000;
  report.burden_ns = 1'000;
  report.delay_ns = 20'000;
  report.no_work_ns = 30'000;
  report.create_task = 12;
  report.wait_tasks = 3;
  report.probe_ns = 1'000;
  report.kernels = {{"big (a.c:1)", "", 10, 120'000, 12'000, 0.5, 40'000},
                    {"small (a.c:9)", "", 2, 30'000, 15'000, 0, 10'000}};
  report.longest_work = {50'000, 5'000, {{0, 40'000}, {1, 10'000}}};
  report.core_time = {
      100'000,
      150'000,
      {{analysis::Cause::kCriticalPath, 30'000, "big (a.c:1)"}, {analysis::Cause::kTaskCosts, 20'000, "big (a.c:1)"}},
      {}};
  return report;
}

// The cores had nothing but useful work.
analysis::Report busy_report() {
  analysis::Report report = some_report();
  report.work_ns = 195'000;
  report.delay_ns = 5'000;
  report.no_work_ns = 0;
  report.core_time = {100'000, 195'000, {{analysis::Cause::kTaskCosts, 5'000, "big (a.c:1)"}}, {}};
  return report;
}

}  // namespace

TEST_CASE("the JSON begins with the documented keys, in their order") {
  const auto parsed = nlohmann::ordered_json::parse(report_json(some_report()));
  std::vector<std::string> keys;
  for (const auto& [key, value] : parsed.items()) keys.push_back(key);
  const std::vector<std::string> documented{
      "workers",    "elapsed_ns",  "tasks",      "work_ns",  "span_ns",        "burdened_span_ns", "delay_ns",
      "no_work_ns", "create_task", "wait_tasks", "probe_ns", "dropped_events", "kernels"};
  REQUIRE(keys.size() > documented.size());
  CHECK(std::vector<std::string>(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(documented.size())) ==
        documented);
  const json first = {{"name", "big (a.c:1)"}, {"count", 10}, {"work_ns", 120000},
                      {"mean_ns", 12000.0},    {"cv", 0.5},   {"critical_path_ns", 40000}};
  for (const auto& [key, value] : first.items()) CHECK(json(parsed["kernels"][0][key]) == value);
  CHECK(parsed["critical_paths"]["longest_work"]["kernels"][1]["name"] == "small (a.c:9)");
}

TEST_CASE("names that are not UTF-8 do not break the JSON") {
  analysis::Report report = some_report();
  report.kernels[0].name = "\xff\xfe";
  report.command = {"\x80"};
  CHECK(json::accept(report_json(report)));
}

TEST_CASE("the text leads with the answer") {
  const std::string text = report_text(some_report());
  CHECK_THAT(text, Catch::Matchers::StartsWith("./app -n 8\n"));
  CHECK_THAT(text, ContainsSubstring("\nTook 100 us on 2 workers.\n1.50 of 2 cores did useful work; 15.0 % went to "
                                     "critical_path, 10.0 % went to task_costs."));
  CHECK_THAT(text, ContainsSubstring("The parallelism (work / critical path) is 3.0."));
  CHECK_THAT(text, ContainsSubstring("big (a.c:1)") && ContainsSubstring("80.0 %"));  // of work, of the critical path
}

TEST_CASE("the answer takes eight lines, and what few readers need comes with --details") {
  analysis::Report report = some_report();
  report.blocked_ns = 10'000;
  report.kernels[0].variability.verdict = analysis::SpreadVerdict::kRegular;
  report.kernels[0].variability.text = "its tasks are alike";
  const std::string text = report_text(report);
  const std::string lead = text.substr(0, text.find("\nKernels, most work first"));
  const std::string wrapped_text = wrapped(text);
  const std::string answer = wrapped_text.substr(0, wrapped_text.find("\n\n"));
  CHECK(std::count(answer.begin(), answer.end(), '\n') < 8);
  CHECK_THAT(text, !ContainsSubstring("alike") && !ContainsSubstring("last finisher") &&
                       !ContainsSubstring("burdened") && ContainsSubstring("--details"));
  CHECK_THAT(report_text(report, Detail::kAll),
             Catch::Matchers::StartsWith(lead) && ContainsSubstring("its tasks are alike") &&
                 ContainsSubstring("to the last finisher") &&
                 ContainsSubstring("burdened span 52.0 us (1.00 us for each possible steal)") &&
                 ContainsSubstring("12 explicit tasks   20 strands   30 edges"));
}

TEST_CASE("what was blocked in the system is a share of the work") {
  analysis::Report report = some_report();
  CHECK_THAT(report_text(report, Detail::kAll), ContainsSubstring("running the program's code\n"));
  report.system_blocked_ns = 30'000;
  report.core_wait_ns = 80'000;
  report.core_wait_elapsed_ns = 40'000;
  report.kernels[1].system_blocked_ns = 30'000;
  CHECK_THAT(report_text(report, Detail::kAll),
             ContainsSubstring("running the program's code: on a core 80.0 %, blocked in the system 20.0 %"));
  const json parsed = json::parse(report_json(report));
  CHECK(parsed["system_blocked_ns"] == 30'000);
  CHECK(parsed["core_wait_ns"] == 80'000);
  CHECK(parsed["core_wait_elapsed_ns"] == 40'000);
  CHECK(parsed["kernels"][1]["system_blocked_ns"] == 30'000);
}

TEST_CASE("one worker and one task are no plural") {
  analysis::Report report = some_report();
  report.workers = 1;
  report.tasks = report.create_task = report.wait_tasks = 1;
  CHECK_THAT(report_text(report, Detail::kAll),
             ContainsSubstring("on 1 worker.") && ContainsSubstring("1 explicit task   ") &&
                 ContainsSubstring("1 creation   1 wait   ") && !ContainsSubstring("1 explicit tasks"));
}

TEST_CASE("where recording took more than 5 %, the elapsed time is an estimate, and an unrecorded run settles it") {
  const auto range = [](const analysis::Report& report) {
    const json unrecorded = json::parse(report_json(report)).at("unrecorded");
    return std::pair<std::int64_t, std::int64_t>(unrecorded.at("lowest_ns"), unrecorded.at("highest_ns"));
  };
  analysis::Report report = some_report();  // 100 us
  report.recorded_elapsed_ns = 105'000;
  CHECK(range(report) == std::pair<std::int64_t, std::int64_t>(100'000, 100'000));
  CHECK_THAT(report_text(report), !ContainsSubstring("--baseline"));
  report.recorded_elapsed_ns = 130'000;
  CHECK(range(report) == std::pair<std::int64_t, std::int64_t>(70'000, 130'000));
  CHECK_THAT(report_text(report),
             ContainsSubstring("Took 100 us (without recording it may be 70.0 us to 130 us; foretask "
                               "record --baseline measures it) on 2 workers"));
  // Waits for a core are none of recording's.
  report.core_wait_elapsed_ns = 26'000;
  CHECK(range(report) == std::pair<std::int64_t, std::int64_t>(100'000, 100'000));
  report.core_wait_elapsed_ns = 0;
  report.baseline = analysis::Baseline{{.elapsed_ns = 80'000}, {.elapsed_ns = 131'000}};
  CHECK(range(report) == std::pair<std::int64_t, std::int64_t>(80'000, 80'000));
  CHECK_THAT(report_text(report), !ContainsSubstring("--baseline"));
  report.baseline->own.exit_code = 1;  // it did something else
  CHECK(range(report) == std::pair<std::int64_t, std::int64_t>(70'000, 130'000));
}

TEST_CASE("a path of region code is not said to be as long for any number of threads") {
  analysis::Report report = some_report();
  report.workers = 1;
  report.elapsed_ns = report.work_ns = report.span_ns = 100'000;
  report.delay_ns = report.no_work_ns = 0;
  report.kernels = {{"sweep (a.f90:9) [parallel]", "app+0x10 [parallel]", 1, 80'000, 80'000, 0, 80'000},
                    {"(serial part)", "", 1, 20'000, 20'000, 0, 20'000}};
  CHECK_THAT(
      report_text(report),
      ContainsSubstring("so the work takes as long on more cores, if it is divided as it was on 1 worker. 80.0 % "
                        "of the path is code of parallel regions outside of loops. A program may divide that by "
                        "the number of its threads: a recording on 2 threads would show it."));
  report.kernels.front().code = "app+0x10";  // a task's
  CHECK_THAT(report_text(report), !ContainsSubstring("code of parallel regions"));
}

TEST_CASE("losses come before the figures, and warnings are all there") {
  analysis::Report report = some_report();
  report.dropped_events = 1234;
  report.warnings = {"stream_1 is cut"};
  const std::string text = report_text(report);
  CHECK_THAT(text, Catch::Matchers::StartsWith("INCOMPLETE: 1,234 events were dropped"));
  CHECK_THAT(text, ContainsSubstring("- stream_1 is cut"));
}

TEST_CASE("the advice follows where the time went") {
  analysis::Report busy = busy_report();
  CHECK_THAT(report_text(busy),
             ContainsSubstring("busy with the program's own code") &&
                 ContainsSubstring("takes 50.0 us of the 100 us elapsed, so more cores can make the run, if "
                                   "its work is divided as it was, at most 2.0 times as fast as it was on 2 workers") &&
                 !ContainsSubstring("parallel loops") && !ContainsSubstring("idle time"));
  busy.span_ns = 1'000;
  CHECK_THAT(report_text(busy), ContainsSubstring("They can help, up to about 195"));
  CHECK_THAT(report_text(some_report()),
             ContainsSubstring("The critical path takes 50.0 us") && ContainsSubstring("counts their idle time") &&
                 ContainsSubstring("Too few tasks could run at once: workers waited for those that ran, most in big "
                                   "(a.c:1). Split these, or make them faster: foretask whatif RUN --cores 2 says"));
}

TEST_CASE("what is said of more cores names what it takes for granted") {
  analysis::Report report = some_report();
  CHECK_THAT(report_text(report), !ContainsSubstring("divides evenly"));
  report.has_regions = true;
  report.assumed_even_ns = 30'000;
  CHECK_THAT(report_text(report), ContainsSubstring("assumes that 20.0 % of the work divides evenly") &&
                                      ContainsSubstring("no iterations were seen"));
  report.workers = 1;
  CHECK_THAT(report_text(report), ContainsSubstring("record on two threads or more"));
  report.work_ns = 95'000;
  report.span_ns = 1'000;
  CHECK_THAT(report_text(report), ContainsSubstring("up to about 95") && ContainsSubstring("is 95.0."));
  report.assumed_even_ns = 60'000;
  CHECK_THAT(report_text(report), ContainsSubstring("More of them may help. ") && !ContainsSubstring("up to about"));
}

TEST_CASE("what is said of more cores names loops that were divided for this number of threads") {
  analysis::Report report = some_report();
  report.work_ns = 195'000;
  report.span_ns = 1'000;
  CHECK_THAT(report_text(report), ContainsSubstring("They can help") && !ContainsSubstring("Parts of loops"));
  report.loop_parts_span_ns = 400;
  CHECK_THAT(report_text(report), ContainsSubstring("Parts of loops are 40.0 % of the critical path"));
}

TEST_CASE("no bound is told of work that was not seen to divide") {
  analysis::Report report = some_report();
  for (analysis::KernelSummary& kernel : report.kernels) kernel.code = "app+0x10 [parallel]";
  report.tasks = 0;
  report.has_regions = true;
  report.span_ns = 100;
  report.assumed_even_ns = 120'000;
  const std::string text = report_text(report);
  CHECK_THAT(text, ContainsSubstring("The parallelism (work / critical path) is not known: how 80.0 % of the work "
                                     "divides was not seen"));
  CHECK_THAT(text, ContainsSubstring("More of them may help.") && !ContainsSubstring("times as fast") &&
                       !ContainsSubstring("1500"));
  // 75 us of 150 are the serial part's: no number of cores makes it more than twice as fast as one.
  report.kernels.push_back({"(serial part)", "", 1, 75'000, 75'000, 0, 75'000});
  CHECK_THAT(report_text(report),
             ContainsSubstring("is at most 2.0, for the serial part alone; how 80.0 % of the work"));
}

// By hand: 4 us of tasks, 100 of a loop, 46 of serial part.
TEST_CASE("the words are of tasks where these have the work") {
  analysis::Report report = some_report();
  report.has_regions = true;
  report.kernels = {{"main (a.c:3) loop", "app+0x10 loop", 2, 100'000, 50'000, 0, 0},
                    {"(serial part)", "", 1, 46'000, 46'000, 0, 46'000},
                    {"main (a.c:9)", "app+0x20", 12, 4'000, 333, 0, 4'000}};
  report.loops = {{.name = "main (a.c:3) loop", .work_ns = 100'000}};
  CHECK_THAT(report_text(report, Detail::kAll), ContainsSubstring("a thread waited for the others") &&
                                                    ContainsSubstring("shares") && !ContainsSubstring("no task"));
  report.loops.front().work_ns = report.kernels[0].work_ns = 3'000;
  CHECK_THAT(report_text(report, Detail::kAll),
             ContainsSubstring("a worker was idle, and no task was ready") && !ContainsSubstring("  shares"));
}

TEST_CASE("loops are listed, and the slowest thread's share is the answer where the others waited for it") {
  analysis::Report report = some_report();
  report.tasks = 0;
  report.has_regions = true;
  report.loops = {{.name = "main (a.c:3) loop",
                   .instances = 2,
                   .iterations = 200,
                   .schedule = "static",
                   .work_ns = 120'000,
                   .imbalance = 1.25,
                   .waited_ns = 30'000,
                   .waits = analysis::WaitCauses{.numbers_ns = 6'000, .costs_ns = 24'000},
                   .threads = 2}};
  report.core_time.lost = {{analysis::Cause::kImbalance, 50'000, "main (a.c:3) loop"}};
  const std::string text = report_text(report);
  CHECK_THAT(text, ContainsSubstring("main (a.c:3) loop, whose slowest thread took 1.25 times as long as the mean"));
  CHECK_THAT(text, ContainsSubstring("200") && ContainsSubstring("static") && ContainsSubstring("30.0 us"));
  CHECK_THAT(text, ContainsSubstring("the mean. The loop's iterations cost unequally, or"));
  CHECK_THAT(text, ContainsSubstring("80.0 % costs, 20.0 % numbers ") && !ContainsSubstring("% speeds"));
  CHECK_THAT(text, !ContainsSubstring("no task was ready"));
  CHECK_THAT(report_text(report, Detail::kAll), ContainsSubstring("has only the longest chunk of each parallel loop"));
  const json parsed = json::parse(report_json(report));
  CHECK(parsed["loops"][0]["imbalance"] == 1.25);
  CHECK(parsed["loops"][0]["schedule"] == "static");
  CHECK(parsed["loops"][0]["waits"] == json({{"numbers_ns", 6'000}, {"costs_ns", 24'000}, {"speeds_ns", 0}}));
}

TEST_CASE("what a recording has is told in its own words") {
  analysis::Report report = some_report();
  CHECK(contents_words(report) == "12 tasks, 30 edges");
  report.loops = {{.name = "f (a.c:3) loop", .instances = 1}};
  CHECK(contents_words(report) == "12 tasks, 1 parallel loop (run once)");
  report.tasks = 0;
  report.has_regions = true;
  report.loops.push_back({.name = "g (a.c:9) loop", .instances = 1'500});
  CHECK(contents_words(report) == "2 parallel loops (run 1,501 times)");
  report.loops.clear();
  CHECK(contents_words(report) == "20 strands, 30 edges");
}

TEST_CASE("no line of names is longer than 120 letters") {
  analysis::Report report = some_report();
  report.has_regions = true;
  const std::string arguments = std::string(280, 'x');
  report.kernels[0].name = "Generator<int, " + arguments + ">::MakeRMatEL (generator.h:75) [parallel]";
  report.kernels[1].name = "Generator<int, " + arguments + ">::Permute (generator.h:96) [parallel]";
  report.loops = {{.name = report.kernels[0].name, .instances = 1, .schedule = "unknown", .work_ns = 120'000}};
  report.last_finisher = report.longest_work;
  const std::string text = wrapped(report_text(report, Detail::kAll));
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) CHECK(text.find('\n', at) - at <= 120);
  CHECK_THAT(text,
             ContainsSubstring("MakeRMatEL (generator.h:75) [parallel]") && ContainsSubstring("Long names are cut"));
  CHECK(json::parse(report_json(report))["kernels"][0]["name"] == report.kernels[0].name);
}

TEST_CASE("waits for locks are a part of delay and no work, and no share beside them") {
  analysis::Report report = some_report();
  CHECK_THAT(report_text(report, Detail::kAll), !ContainsSubstring("locks"));
  report.blocked_ns = 10'000;
  CHECK_THAT(report_text(report, Detail::kAll),
             ContainsSubstring("Delay and no work include 10.0 us (5.0 % of the workers' time) of waits"));
}

TEST_CASE("an empty report is printed without a division by nothing") {
  const std::string text = report_text({});
  CHECK_THAT(text, !ContainsSubstring("nan") && !ContainsSubstring("inf"));
  CHECK(json::accept(report_json({})));
}

TEST_CASE("or-parallel sections are told where there are some") {
  analysis::Report report = some_report();
  CHECK_THAT(report_text(report), !ContainsSubstring("Or-parallel"));
  CHECK(json::parse(report_json(report)).at("speculative").empty());
  analysis::SpeculativeSection section;
  section.name = "search (a.c:7)";
  section.groups = 10;
  section.cancelled = 8;
  section.members = 40;
  section.cut_short = 20;
  section.never_ran = 2;
  section.winner_ns = {2e6, 1e6, 1.8e6, 3e6};
  section.left_ns = 5'000;
  section.winner_work_ns = 10'000'000;
  section.wasted_work_ns = 30'000'000;
  report.speculative = {section};
  CHECK_THAT(report_text(report),
             ContainsSubstring("search (a.c:7): 10 groups, 8 with a winner, 4.0 tasks per group") &&
                 ContainsSubstring(
                     "the winner took 2.00 ms (standard deviation 1.00 ms, 90 % quantile 3.00 ms); the group ended "
                     "5.00 us later") &&
                 ContainsSubstring(
                     "30.0 ms of work, 75.0 % of the work in cancelled groups; 20 tasks cut short, 2 never ran"));
  const json one = json::parse(report_json(report)).at("speculative").at(0);
  CHECK(one.at("name") == "search (a.c:7)");
  CHECK(one.at("winner_ns").at("p90") == 3e6);
  CHECK(one.at("wasted_share") == 0.75);
}

TEST_CASE("what a cut-off would gain is said below the answer, and is null where nothing is") {
  const analysis::CutOffAdvice advice{.grain_ns = 20'000,
                                      .depth = {},
                                      .workers = 2,
                                      .tasks = 3,
                                      .unrecorded = {100'000, 100'000},
                                      .predicted_ns = 80'000};
  CHECK_THAT(
      report_text(some_report(), Detail::kShort, advice),
      ContainsSubstring("\nWith a cut-off at 20 us this run would take 80.0 us on 2 workers instead of 100 us."));
  CHECK_THAT(report_text(some_report()), !ContainsSubstring("cut-off"));
  const json parsed = json::parse(report_json(some_report(), advice))["cut_off"];
  CHECK(parsed == json{{"grain_ns", 20'000}, {"depth", nullptr}, {"tasks", 3}, {"makespan_ns", 80'000}});
  CHECK(json::parse(report_json(some_report()))["cut_off"].is_null());
}

TEST_CASE("the processes of a launch come first, with their shares of its CPU time") {
  analysis::Report report = some_report();
  report.processes.processes = {
      {"1", "run", "/bin/prepare", {"prepare", "-n"}, 1'000'000, 200'000'000, 100'000'000, true},
      {"2", "run.2", "/bin/solve", {"solve"}, 300'000'000, 700'000'000, 900'000'000, true},
      {"4", "run.4", "/bin/killed", {}, 400'000'000, 100'000'000, std::nullopt, false}};
  report.processes.shown = 1;
  report.processes.cpu_ns = 1'000'000'000;
  report.processes.elapsed_ns = 1'000'000'000;
  report.processes.idle_ns = 100'000'000;
  report.processes.left_out = 936;
  report.processes.most_processes = 64;
  const std::string text = report_text(report);
  const std::string first = text.substr(0, text.find('\n'));
  CHECK_THAT(first,
             StartsWith("3 processes were recorded. From the launch to the end of the last one it took 1.00 s; "));
  CHECK_THAT(first,
             ContainsSubstring("; none of them ran in 10.0 % of this time. 936 later processes were not recorded: "));
  CHECK_THAT(first, ContainsSubstring("recorded: 64 is the most (--processes). The end of 1 process was not seen: "));
  CHECK_THAT(text, ContainsSubstring("  1             1.00 ms      200 ms      100 ms    10.0 %   prepare -n\n"
                                     "  2              300 ms      700 ms      900 ms    90.0 %   solve\n"
                                     "  4              400 ms      100 ms           -         -   killed\n"));
  CHECK_THAT(text, ContainsSubstring("\nWhat follows is about process 2 alone, in run.2. Another one: --process N.\n\n"
                                     "./app -n 8\n"));
  const json parsed = json::parse(report_json(report)).at("processes");
  CHECK(parsed.at("shown") == "2");
  CHECK(parsed.at("left_out") == 936);
  CHECK(parsed.at("list")[2].at("cpu_ns").is_null());
  CHECK(parsed.at("list")[1].at("elapsed_ns") == 700'000'000);
  CHECK(json::parse(report_json(some_report())).at("processes").is_null());
}
