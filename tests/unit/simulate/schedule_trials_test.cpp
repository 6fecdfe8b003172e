// SPDX-License-Identifier: Apache-2.0
// Which schedule suits a loop: eight iterations, dealt out by hand.
#include <map>

#include "catch.hpp"
#include "foretask/analysis/loop_schedules.hpp"
#include "unit/simulate/team_graph_of.hpp"

namespace analysis = foretask::analysis;
using analysis::LoopPiece;
using analysis::LoopSchedule;
using analysis::ScheduleTrial;
using analysis::TaskGraph;

namespace {

// One iteration of 8 us, seven of 1 us, recorded one by one on two threads.
TaskGraph one_costly_of_eight(std::vector<double> cost_us = {8, 1, 1, 1, 1, 1, 1, 1}) {
  std::vector<LoopPiece> pieces;
  for (std::uint32_t thread = 0; thread < 2; ++thread)
    for (std::uint32_t i = 0; i < 8; ++i)
      if ((i == 0) == (thread == 0)) pieces.push_back({thread, i, i, 1, 1000 * cost_us[i]});
  return loop_graph_of(pieces, LoopSchedule::kDynamic, 1);
}

ScheduleTrial trial_of(const TaskGraph& graph, std::uint32_t cores, const analysis::SimulationOptions& options = {}) {
  const auto trials = try_schedules(graph, options, divisible_loops(graph), {cores});
  REQUIRE(trials.ok());
  REQUIRE(trials->size() == 1);
  return trials->front().front();
}

std::map<std::string, std::int64_t> times(const ScheduleTrial& trial) {
  std::map<std::string, std::int64_t> times;
  for (const auto& one : trial.tried) times[analysis::schedule_name(one.schedule, one.chunk)] = one.loop_ns;
  return times;
}

std::string best(const ScheduleTrial& trial) {
  return analysis::schedule_name(trial.tried[trial.best].schedule, trial.tried[trial.best].chunk);
}

}  // namespace

TEST_CASE("each schedule's time is that of the busiest thread") {
  const ScheduleTrial trial = trial_of(one_costly_of_eight(), 2);
  CHECK(trial.loop_ns == 8000);  // dynamic,1, as it is: the costly one beside the seven others
  // static: the first four. static,1: every other one. Guided begins with a quarter, two iterations.
  CHECK(times(trial) == std::map<std::string, std::int64_t>{{"static", 11000},
                                                            {"static,1", 11000},
                                                            {"static,2", 11000},
                                                            {"static,4", 11000},
                                                            {"dynamic,1", 8000},
                                                            {"dynamic,2", 9000},
                                                            {"dynamic,4", 11000},
                                                            {"guided", 9000},
                                                            {"guided,2", 9000},
                                                            {"guided,4", 11000}});
  CHECK(best(trial) == "dynamic,1");
  CHECK(trial.unseen == 0);
}

TEST_CASE("of schedules that take alike the simplest is best, and of these that with the largest chunks") {
  CHECK(best(trial_of(one_costly_of_eight({2, 2, 2, 2, 2, 2, 2, 2}), 2)) == "static");
  // Every other iteration costs nothing: static,1 gives one thread all, static,2 and static,4 halves.
  CHECK(best(trial_of(one_costly_of_eight({1, 0, 1, 0, 1, 0, 1, 0}), 2)) == "static");
  // Two costly ones at the front of the halves of the first half: static gives one thread both, chunks of two part
  // them.
  CHECK(best(trial_of(one_costly_of_eight({4, 0, 4, 0, 0, 0, 0, 0}), 2)) == "static,2");
}

TEST_CASE("a faster kernel's loop is tried with its durations") {
  analysis::SimulationOptions options;
  options.speedups = {{2, 2.0}};
  CHECK(trial_of(one_costly_of_eight(), 2, options).loop_ns == 4000);
}

TEST_CASE("what was recorded in long pieces is not seen") {
  const TaskGraph halves = loop_graph_of({{0, 0, 3, 4, 11000}, {1, 4, 7, 4, 4000}}, LoopSchedule::kStatic, 0);
  CHECK(trial_of(halves, 2).unseen == 1);
  // A piece of one iteration is as short as can be, and a fifth of the time.
  const TaskGraph mixed = loop_graph_of({{0, 0, 0, 1, 2000}, {1, 1, 7, 7, 8000}}, LoopSchedule::kDynamic, 1);
  CHECK(trial_of(mixed, 2).unseen == Approx(0.8));
}

TEST_CASE("loops of one name are one, and sections are none") {
  TaskGraph graph = one_costly_of_eight();
  const auto loops = divisible_loops(graph);
  REQUIRE(loops.size() == 1);
  CHECK(loops[0].kernels == std::vector<std::uint32_t>{2});
  CHECK(loops[0].schedule == "dynamic,1");
  CHECK(loops[0].work_ns == 15000);
  CHECK(loops[0].iterations == 8);
  graph.kernel_names[2] = "a.c:7 sections";
  CHECK(divisible_loops(graph).empty());
  graph.team.phases[0].divides = false;
  graph.kernel_names[2] = "a.c:7 loop";
  CHECK(divisible_loops(graph).empty());
}

TEST_CASE("more cores than iterations leave one chunk to try") {
  // static, static,1, dynamic,1 and guided: each iteration has a thread.
  const ScheduleTrial trial = trial_of(one_costly_of_eight(), 100);
  CHECK(trial.tried.size() == 4);
  CHECK(trial.loop_ns == 8000);
  CHECK(best(trial) == "static");
  const TaskGraph graph = one_costly_of_eight();
  CHECK_FALSE(try_schedules(graph, {}, divisible_loops(graph), {0}).ok());
}
