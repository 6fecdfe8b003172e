// SPDX-License-Identifier: Apache-2.0
// The times of single tasks and the or-parallel section of a search, counted by hand
// (unit/graph/reconstruction/search_trace.hpp).
#include "foretask/analysis/task_times.hpp"

#include "catch.hpp"
#include "foretask/analysis/speculation.hpp"
#include "trace/run_file.hpp"
#include "unit/base/temp_folder.hpp"
#include "unit/graph/reconstruction/search_trace.hpp"

using namespace foretask;
using namespace foretask::test;
using analysis::Run;

namespace {

Result<Run> open_trace(const TempFolder& folder, TraceBuilder trace, std::uint32_t workers) {
  trace::RunFile run;
  run.state = "complete";
  run.streams = workers;
  run.ticks_per_second = 1e9;
  for (std::uint32_t worker = 0; worker < workers; ++worker) {
    const auto bytes = trace.stream(worker).bytes();
    write_content(folder.path() + "/stream_" + std::to_string(worker), {bytes.begin(), bytes.end()});
  }
  write_content(folder.path() + "/run.json", trace::to_json(run));
  return Run::open(folder.path());
}

Result<Run> open_search(const TempFolder& folder) { return open_trace(folder, search(true), 2); }

}  // namespace

TEST_CASE("the times of a kernel's tasks are one a task that ran, and those cut short are marked") {
  const TempFolder folder;
  const auto run = open_search(folder);
  REQUIRE(run.ok());
  REQUIRE(run->report().speculative.size() == 1);
  const auto times = analysis::task_times(*run, run->report().speculative[0].name);
  REQUIRE(times.ok());
  CHECK(times->ns == std::vector<double>{30, 95, 75});
  CHECK(times->ended == std::vector<std::uint8_t>{1, 1, 0});
}

TEST_CASE("the times of an unknown kernel are an error that names those that are near") {
  const TempFolder folder;
  const auto run = open_search(folder);
  REQUIRE(run.ok());
  const auto times = analysis::task_times(*run, "nothing");
  REQUIRE_FALSE(times.ok());
  CHECK(times.error().message().find("'nothing'") != std::string::npos);
  CHECK(times.error().message().find(run->report().speculative[0].name) != std::string::npos);
}

TEST_CASE("an or-parallel section says how long the winner took and what was thrown away") {
  const TempFolder folder;
  const auto run = open_search(folder);
  REQUIRE(run.ok());
  REQUIRE(run->report().speculative.size() == 1);
  const analysis::SpeculativeSection& section = run->report().speculative[0];
  CHECK(section.groups == 1);
  CHECK(section.cancelled == 1);
  CHECK(section.members == 4);
  CHECK(section.ended == 1);
  CHECK(section.cut_short == 1);
  CHECK(section.never_ran == 1);
  CHECK(section.winner_ns.mean == 120);
  CHECK(section.winner_ns.sd == 0);
  CHECK(section.winner_ns.p90 == 120);
  CHECK(section.left_ns == 40);
  CHECK(section.winner_work_ns == 95);
  CHECK(section.wasted_work_ns == 30 + 75);
  CHECK(section.wasted_share() == 0.525);
}

TEST_CASE("a section's searches are those that ran, and two of four could run at once on two workers") {
  const TempFolder folder;
  const auto run = open_search(folder);
  REQUIRE(run.ok());
  const analysis::SpeculativeSection& section = run->report().speculative.at(0);
  CHECK(run->graph().kernel_names.at(section.kernel) == section.name);
  const auto searches = analysis::speculative_searches(*run);
  REQUIRE(searches.size() == 1);
  CHECK(searches[0].section == section.name);
  CHECK(searches[0].workers == 2);
  CHECK(searches[0].failed == 1);
  REQUIRE(searches[0].groups.size() == 1);
  const analysis::SearchGroup& group = searches[0].groups[0];
  CHECK(group.ns == std::vector<double>{30, 95, 75});
  CHECK(group.found == std::vector<std::uint8_t>{0, 1, 0});
  CHECK(group.winner == 1);
  CHECK(group.at_once == 2);
}

TEST_CASE("a search that its tasks divide among them is seen by their waits") {
  // One task of the group creates another and waits for it, which finds the solution.
  const auto opened = [](bool waits) {
    TraceBuilder trace(1);
    trace.begin_team(1);
    trace.group(0, 30);
    const Name outer = trace.create(0, 35, 0, 0x2000);
    trace.group_wait(0, 40);
    trace.run(0, 50, outer);
    const Name inner = trace.create(0, 60, 0, 0x2000);
    if (waits) trace.wait(0, 70);
    trace.run(0, 80, inner);
    cancel(trace, 0, 90, kCancels);
    end_cancelled(trace, 0, 95, inner);
    if (waits) trace.wait_end(0, 100);
    trace.end(0, 120);
    trace.group_end(0, 130);
    trace.end_team(140);
    return trace;
  };
  for (const bool waits : {true, false}) {
    const TempFolder folder;
    const auto run = open_trace(folder, opened(waits), 1);
    REQUIRE(run.ok());
    const auto searches = analysis::speculative_searches(*run);
    REQUIRE(searches.size() == 1);
    CHECK(searches[0].is_divided == waits);
  }
}
