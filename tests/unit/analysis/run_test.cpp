// SPDX-License-Identifier: Apache-2.0
// A run folder as its users see it: the report's figures, counted by hand, and what it says of damage.
#include "foretask/analysis/run.hpp"

#include <algorithm>
#include <filesystem>

#include "catch.hpp"
#include "scratch.hpp"
#include "trace/run_file.hpp"
#include "unit/base/temp_folder.hpp"
#include "unit/graph/reconstruction/trace_builder.hpp"

namespace analysis = foretask::analysis;
using analysis::Run;
using foretask::test::Name;
using foretask::test::TempFolder;
using foretask::test::TraceBuilder;
using foretask::test::write_content;

namespace {

// The team of two of fork_join_graph_test.cpp: work 125, span 75, delay 15, no_work 100 in 120 ns.
TraceBuilder two_workers() {
  TraceBuilder trace(2);
  const Name initial = trace.initial(0, 0);
  const Name region = trace.fork(0, 10);
  const Name first = trace.member(0, 20, region, 2, 0);
  trace.member(1, 25, region, 2, 1);
  const Name a = trace.create(0, 30);
  trace.barrier(1, 35);
  const Name b = trace.create(0, 40);
  trace.run(1, 45, a);
  trace.barrier(0, 50);
  trace.run(0, 55, b);
  trace.end(1, 65);
  trace.end(0, 75);
  trace.barrier_end(0, 80);
  trace.barrier_end(1, 82);
  trace.barrier(0, 90);
  trace.barrier(1, 92);
  trace.barrier_end(0, 100);
  trace.member_end(0, 105, first);
  trace.join(0, 110, region);
  trace.member_end(0, 120, initial);
  return trace;
}

struct RunFolder {
  explicit RunFolder(TraceBuilder trace, const std::string& state = "complete") {
    run.state = state;
    run.streams = 2;
    run.ticks_per_second = 1e9;
    run.command = {"app", "-n"};
    for (std::uint32_t worker = 0; worker < 2; ++worker) {
      const auto bytes = trace.stream(worker).bytes();
      write_content(path() + "/stream_" + std::to_string(worker), {bytes.begin(), bytes.end()});
    }
    describe();
  }
  void describe() const { write_content(path() + "/run.json", foretask::trace::to_json(run)); }
  [[nodiscard]] const std::string& path() const { return folder.path(); }

  TempFolder folder;
  foretask::trace::RunFile run;
};

bool warns_of(const analysis::Report& report, const std::string& words) {
  return std::any_of(report.warnings.begin(), report.warnings.end(),
                     [&](const std::string& warning) { return warning.find(words) != std::string::npos; });
}

}  // namespace

TEST_CASE("a run's report has the graph's figures") {
  const RunFolder folder(two_workers());
  const auto run = Run::open(folder.path());
  REQUIRE(run.ok());
  const analysis::Report& report = run->report();
  CHECK(report.workers == 2);
  CHECK(report.elapsed_ns == 120);
  CHECK(report.recorded_elapsed_ns == 120);
  CHECK(report.tasks == 2);
  CHECK(report.strands == 13);
  CHECK(report.edges == 21);
  CHECK(report.work_ns == 125);
  CHECK(report.span_ns == 75);
  CHECK(report.delay_ns == 15);
  CHECK(report.no_work_ns == 100);
  CHECK(report.create_task == 2);
  CHECK(report.wait_tasks == 0);
  CHECK(report.barriers == 4);
  CHECK(report.identity_error == 0);
  CHECK(report.command == std::vector<std::string>{"app", "-n"});
  // Too few gaps for a median: the burden is the default, on one creation, two barriers and the join.
  CHECK(report.burden_ns == 1'000);
  CHECK(report.burdened_span_ns == 65 + 5 * 1'000);
  // Or what one asks for; a tick is a ns here.
  analysis::OpenOptions options;
  options.burden = analysis::kCilkviewBurden;
  CHECK(Run::open(folder.path(), options)->report().burdened_span_ns == 65 + 5 * 15'000);
  options.burden = analysis::Burden{};
  CHECK(Run::open(folder.path(), options)->report().burdened_span_ns == 75);
  CHECK(report.longest_work.work_ns == 75);
  CHECK(report.last_finisher.work_ns == 75);
  CHECK(report.largest_delay.work_ns == 75);
  CHECK(report.warnings.empty());
}

TEST_CASE("kernels come with the most work first, and say what they have of the longest path") {
  const RunFolder folder(two_workers());
  const auto run = Run::open(folder.path());
  REQUIRE(run.ok());
  const auto& kernels = run->report().kernels;
  REQUIRE(kernels.size() == 3);
  // The region's two implicit tasks, 45 and 20 ns; the two tasks; the program's own.
  CHECK(kernels[0].work_ns == 65);
  CHECK(kernels[0].count == 2);
  CHECK(kernels[0].mean_ns == 32.5);
  CHECK(kernels[0].cv == Approx(17.6777 / 32.5).epsilon(1e-4));
  CHECK(kernels[1].work_ns == 40);
  CHECK(kernels[1].count == 2);
  CHECK(kernels[1].cv == 0);
  CHECK(kernels[2].work_ns == 20);
  CHECK(kernels[2].name == "(serial part)");
  CHECK(kernels[0].critical_path_ns == 35);
  CHECK(kernels[1].critical_path_ns == 20);
  CHECK(kernels[2].critical_path_ns == 20);
}

TEST_CASE("a run's graph is what its replay takes: strands, kernels, tasks and places agree") {
  const RunFolder folder(two_workers());
  const auto run = Run::open(folder.path());
  REQUIRE(run.ok());
  const analysis::TaskGraph& graph = run->graph();
  REQUIRE(graph.size() == 13);
  CHECK(graph.edge_count() == 21);
  CHECK(analysis::work_ns(graph) == 125);
  CHECK(analysis::span_ns(graph) == 75);
  CHECK(graph.cores == std::vector<std::uint8_t>{1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 0, 1, 1});
  CHECK(graph.task_of_node == std::vector<std::uint32_t>{0, 1, 2, 1, 1, 3, 4, 1, 1, 2, 1, 1, 0});
  CHECK(graph.parent_of_task ==
        std::vector<std::uint32_t>{analysis::kNoNode, analysis::kNoNode, analysis::kNoNode, 1, 1});
  CHECK(graph.kernel[5] == graph.kernel[6]);
  CHECK(run->place(5).begin_ns == 45);
  CHECK(run->place(5).end_ns == 65);
  CHECK(run->place(5).worker == 1);
}

TEST_CASE("progress does not go back, and ends when all is done") {
  const RunFolder folder(two_workers());
  std::vector<double> parts;
  analysis::OpenOptions options;
  options.progress = [&](double part, const char* what) {
    CHECK(std::string(what) != "");
    parts.push_back(part);
  };
  REQUIRE(Run::open(folder.path(), options).ok());
  REQUIRE(parts.size() > 3);
  CHECK(std::is_sorted(parts.begin(), parts.end()));
  CHECK(parts.front() >= 0);
  CHECK(parts.back() == 1);
}

TEST_CASE("every loss is said in the report's warnings") {
  RunFolder folder(two_workers());
  SECTION("events that the recorder dropped") {
    folder.run.dropped_events = 7;
    folder.describe();
    const auto run = Run::open(folder.path());
    CHECK(run->report().dropped_events == 7);
    CHECK(warns_of(run->report(), "7 events were dropped"));
  }
  SECTION("events that a killed program's streams say were dropped") {
    TraceBuilder trace = two_workers();
    trace.stream(1).discarded = 9;
    trace.stream(1).new_packet();
    trace.event(1, 130, FORETASK_EVENT_THREAD_END);
    const RunFolder killed(trace, "recording");
    const auto run = Run::open(killed.path());
    CHECK(run->report().dropped_events == 9);
    CHECK(warns_of(run->report(), "9 events were dropped"));
    CHECK(warns_of(run->report(), "did not end in order"));
  }
  SECTION("a stream that is cut") {
    std::filesystem::resize_file(folder.path() + "/stream_0",
                                 std::filesystem::file_size(folder.path() + "/stream_0") - 21);
    const auto run = Run::open(folder.path());
    REQUIRE(run.ok());
    CHECK(warns_of(run->report(), "stream_0 is damaged"));
    CHECK(warns_of(run->report(), "cut short"));
  }
  SECTION("a stream that is missing") {
    std::filesystem::remove(folder.path() + "/stream_1");
    const auto run = Run::open(folder.path());
    REQUIRE(run.ok());
    CHECK(warns_of(run->report(), "stream_1 is missing"));
    CHECK(run->report().tasks == 1);
  }
}

TEST_CASE("tasks that did not end, and a program without tasks, are said") {
  TraceBuilder trace(2);
  trace.begin_team(1);
  const Name task = trace.create(0, 30);
  trace.run(0, 40, task);
  const RunFolder unfinished(trace);
  CHECK(warns_of(Run::open(unfinished.path())->report(), "1 task had not ended when the recording ended"));
  TraceBuilder none(2);
  const Name initial = none.initial(0, 0);
  none.member_end(0, 10, initial);
  const RunFolder empty(none);
  CHECK(warns_of(Run::open(empty.path())->report(), "no explicit task"));
}

TEST_CASE("a folder that is no recording, or holds nothing, is an error") {
  const TempFolder folder;
  CHECK_FALSE(Run::open(folder.path()).ok());
  CHECK_FALSE(Run::open(folder / "missing").ok());
  write_content(folder / "run.json", foretask::trace::to_json({}));
  const auto run = Run::open(folder.path());
  REQUIRE_FALSE(run.ok());
  CHECK(run.error().message().find("nothing was recorded") != std::string::npos);
  CHECK(analysis::is_run_folder(folder.path()));
}

TEST_CASE("how a program ended is added to its recording, the time until then is the program's") {
  RunFolder folder(two_workers());
  folder.run.start = {TraceBuilder::kStart, 5'000'000};
  folder.run.end = {TraceBuilder::kStart + 150, 5'000'150};
  folder.run.tool_end_ns = 30;
  folder.describe();
  const auto size = std::filesystem::file_size(folder.path() + "/run.json");
  REQUIRE(analysis::note_program_end(folder.path(), {5'000'380, 3, 0}).ok());
  CHECK(std::filesystem::file_size(folder.path() + "/run.json") == size);
  const auto described = foretask::trace::read_run_file(folder.path() + "/run.json").value();
  CHECK(described.exit_code == 3);
  CHECK(described.exit_ns == 5'000'380);
  // 150 until the runtime's end, 230 more until the process was gone, 30 of them the tool's.
  const auto run = Run::open(folder.path());
  CHECK(run->report().elapsed_ns == 350);
  CHECK(run->report().work_ns == 125 + 230);
  CHECK_FALSE(analysis::note_program_end(folder.path() + "/missing", {}).ok());
}

TEST_CASE("unrecorded runs are added to a recording and read with it") {
  const RunFolder folder(two_workers());
  CHECK_FALSE(Run::open(folder.path())->report().baseline);
  const std::string path = folder.path() + "/run.json";
  const auto size = std::filesystem::file_size(path);
  const analysis::Baseline noted{{"libgomp", 290, 3, 0}, {"libgomp", 391, 3, 0}};
  REQUIRE(analysis::note_baseline(folder.path(), noted).ok());
  CHECK(std::filesystem::file_size(path) == size);
  const auto read = Run::open(folder.path())->report().baseline;
  REQUIRE(read);
  CHECK(read->own.runtime == "libgomp");
  CHECK(read->own.elapsed_ns == 290);
  CHECK(read->own.ended_like(read->recorded));
  CHECK(read->recorded.elapsed_ns == 391);
  // Damaged, it is not written again, and what is left of it is not compared.
  auto text = foretask_test::contents(path);
  text.replace(text.find("\"elapsed_ns\": 391"), 17, "\"elapsed_ns\": -91");
  write_content(path, text);
  CHECK_FALSE(Run::open(folder.path())->report().baseline);
  CHECK(analysis::note_baseline(folder.path(), noted).error().message().find("is damaged") != std::string::npos);
  CHECK_FALSE(analysis::note_baseline(folder.path() + "/missing", noted).ok());
}

TEST_CASE("a description whose clocks contradict each other is no undefined time") {
  for (const std::int64_t odd :
       {std::int64_t{-1}, std::int64_t{1}, (std::int64_t{1} << 62), -(std::int64_t{1} << 62)}) {
    RunFolder folder(two_workers());
    folder.run.start = {TraceBuilder::kStart + 1'000'000'000, odd};
    folder.run.end = {5, -odd};
    folder.run.exit_ns = -odd;
    folder.run.launch_ns = odd;
    folder.run.tool_end_ns = odd;
    folder.describe();
    CAPTURE(odd);
    const auto run = Run::open(folder.path());
    if (run.ok()) CHECK(run->report().elapsed_ns >= 120);
  }
}
