// SPDX-License-Identifier: Apache-2.0
// Recordings replayed by libgomp's rules. The expected orders are those in which GCC 12's libgomp ran programs that
// printed what they created and ran.
#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

#include "catch.hpp"
#include "foretask/analysis/simulate.hpp"
#include "unit/simulate/recording_of.hpp"
#include "unit/simulate/schedule_checks.hpp"

using namespace foretask::analysis;

namespace {

SimulationOptions on_libgomp(std::uint32_t cores) {
  SimulationOptions options;
  options.policy = Policy::kWorkStealing;
  options.cores = cores;
  options.costs.rules = runtime_rules("openmp", "GNU libgomp (GCC 12)");
  options.keep_schedule = true;
  return options;
}

// The tasks by their starts.
std::vector<std::uint32_t> in_order(const Recording& run, std::vector<std::uint32_t> tasks,
                                    const SimulationResult& result) {
  std::stable_sort(tasks.begin(), tasks.end(), [&](std::uint32_t a, std::uint32_t b) {
    return result.schedule[run.tasks[a].first].start_ns < result.schedule[run.tasks[b].first].start_ns;
  });
  return tasks;
}

std::vector<std::uint32_t> reversed(std::vector<std::uint32_t> tasks) {
  std::reverse(tasks.begin(), tasks.end());
  return tasks;
}

}  // namespace

TEST_CASE("libgomp runs what a taskwait waits for newest first, and what waits at a barrier oldest first") {
  Recording run;
  const auto initial = run.add_task(kNoNode, 1);
  const auto member = run.add_task(kNoNode, 1, run.tasks[initial].last);
  run.next_strand(initial, 1);
  std::vector<std::uint32_t> waited_for;
  for (int i = 0; i < 4; ++i) waited_for.push_back(run.create(member, 10, 1));
  run.wait(member, 1);
  std::vector<std::uint32_t> at_barrier;
  for (int i = 0; i < 4; ++i) at_barrier.push_back(run.create(member, 10, 1));
  run.barrier({member}, at_barrier.front(), 1);
  run.add_edge(run.tasks[member].last, run.tasks[initial].last, Recording::Kind::kJoin);
  const TaskGraph graph = run.graph();
  const auto result = simulate(graph, on_libgomp(1));
  REQUIRE(result.ok());
  CHECK(in_order(run, waited_for, *result) == reversed(waited_for));
  CHECK(in_order(run, at_barrier, *result) == at_barrier);
  CHECK(result->makespan_ns == work_ns(graph));
}

TEST_CASE("a libgomp thread whose task waits runs that task's children alone, and is idle without one") {
  // `a` waits for a child of 100 that the other thread has taken; a third task waits in the queue meanwhile.
  Recording run;
  const auto fork = run.tasks[run.add_task(kNoNode, 0)].last;
  const auto first = run.add_task(kNoNode, 1, fork);
  const auto second = run.add_task(kNoNode, 2, fork);
  const auto a = run.create(first, 10, 0);
  const auto other = run.create(first, 30, 0);
  const auto child = run.create(a, 100, 5);
  const auto grandchild = run.create(child, 7, 0);
  const auto behind = run.wait(a, 3);
  run.barrier({first, second}, 0, 1);
  const auto result = simulate(run.graph(), on_libgomp(2));
  REQUIRE(result.ok());
  const auto& schedule = result->schedule;
  // At 1 `first` has created both and is at the barrier: it takes `a`, which ends its strand at 11. At 2 the other
  // thread takes `other`, until 32. The child is created at 11; `a` waits from 16 on and runs it itself.
  CHECK(schedule[run.tasks[a].first].start_ns == 1);
  CHECK(schedule[run.tasks[other].first].start_ns == 2);
  CHECK(schedule[run.tasks[child].first].start_ns == 16);
  // The grandchild is created at 116, and no child of `a`: the thread at the barrier runs it.
  CHECK(schedule[run.tasks[grandchild].first].start_ns == 116);
  CHECK(schedule[run.tasks[grandchild].first].worker == schedule[run.tasks[other].first].worker);
  CHECK(schedule[behind].start_ns == 116);
}

TEST_CASE("a libgomp thread does not leave its wait for other ready tasks") {
  // Both threads' tasks: `a` creates a long child, which the thread at the barrier takes, then waits.
  Recording run;
  const auto fork = run.tasks[run.add_task(kNoNode, 0)].last;
  const auto first = run.add_task(kNoNode, 1, fork);
  const auto second = run.add_task(kNoNode, 2, fork);
  const auto a = run.create(first, 10, 0);
  const auto child = run.create(a, 100, 5);
  const auto late = run.create(child, 50, 30);
  const auto behind = run.wait(a, 3);
  run.barrier({first, second}, 0, 1);
  const auto result = simulate(run.graph(), on_libgomp(2));
  REQUIRE(result.ok());
  const auto& schedule = result->schedule;
  // The child begins at 11 on the other thread, creates `late` at 111 and ends at 141. `a` waits from 16 on.
  CHECK(schedule[run.tasks[child].first].start_ns == 11);
  CHECK(schedule[run.tasks[child].first].worker != schedule[run.tasks[a].first].worker);
  CHECK(schedule[behind].start_ns == 141);
  CHECK(schedule[run.tasks[late].first].start_ns == 141);
}

TEST_CASE("a taskgroup's end on libgomp runs the group's newest task, a child's child too") {
  // Printed on a thread whose fellow was busy: k2 g2 k1 g1 k0 g0, then what is outside of the group.
  Recording run;
  const auto fork = run.tasks[run.add_task(kNoNode, 0)].last;
  const auto first = run.add_task(kNoNode, 1, fork);
  const auto second = run.add_task(kNoNode, 10'000, fork);
  const auto outside = run.create(first, 1, 0);
  std::vector<std::uint32_t> members;
  for (int i = 0; i < 3; ++i) members.push_back(run.create(first, 1, 0));
  for (int i = 0; i < 3; ++i) members.push_back(run.create(members[static_cast<std::size_t>(i)], 1, 0));
  const auto behind = run.next_strand(first, 5);
  for (const auto task : members) run.add_edge(run.tasks[task].last, behind, Recording::Kind::kJoin);
  run.barrier({first, second}, 0, 1);
  const auto result = simulate(run.graph(), on_libgomp(2));
  REQUIRE(result.ok());
  auto all = members;
  all.push_back(outside);
  const auto& m = members;
  CHECK(in_order(run, all, *result) == std::vector<std::uint32_t>{m[2], m[5], m[1], m[4], m[0], m[3], outside});
  CHECK(result->schedule[behind].start_ns == 1 + 6);
}

TEST_CASE("of the tasks that one end makes ready libgomp queues the oldest first") {
  // Printed: at a barrier w d0 d1 d2, in a taskwait w d2 d1 d0.
  for (const bool waits : {false, true}) {
    Recording run;
    const auto fork = run.tasks[run.add_task(kNoNode, 0)].last;
    const auto member = run.add_task(kNoNode, 1, fork);
    const auto writer = run.create(member, 10, 0);
    std::vector<std::uint32_t> readers;
    for (int i = 0; i < 3; ++i) {
      readers.push_back(run.create(member, 10, 0));
      run.add_edge(run.tasks[writer].last, run.tasks[readers.back()].first, Recording::Kind::kDependence);
    }
    waits ? static_cast<void>(run.wait(member, 1)) : run.barrier({member}, 0, 1);
    const auto result = simulate(run.graph(), on_libgomp(1));
    REQUIRE(result.ok());
    CHECK(in_order(run, readers, *result) == (waits ? reversed(readers) : readers));
  }
}

TEST_CASE("libgomp runs a task within its creation where more than 64 a thread run or could run") {
  // Printed: in a team of one the 66th task; beside one that runs on another of two threads the 129th.
  const auto first_at_once = [](std::uint32_t threads) {
    Recording run;
    const auto fork = run.tasks[run.add_task(kNoNode, 0)].last;
    const auto creator = run.add_task(kNoNode, 1, fork);
    std::vector<std::uint32_t> team{creator};
    if (threads > 1) team.push_back(run.add_task(kNoNode, 0, fork));
    if (threads > 1) run.create(creator, 1'000'000, 0);
    std::vector<std::uint32_t> tasks;
    std::vector<Recording::Node> behind;
    for (int i = 0; i < 300; ++i) {
      tasks.push_back(run.create(creator, 100, 1));
      behind.push_back(run.tasks[creator].last);
    }
    run.barrier(team, 0, 1);
    const auto result = simulate(run.graph(), on_libgomp(threads));
    std::size_t task = 0;
    while (result->schedule[behind[task]].start_ns < result->schedule[run.tasks[tasks[task]].first].start_ns) ++task;
    return task;
  };
  CHECK(first_at_once(1) == 65);
  CHECK(first_at_once(2) == 128);
}

TEST_CASE("the lock of libgomp's queue serves one thread after another") {
  // On two threads that both asked, a task from another thread took 10: the lock is held for 5 of them.
  Recording run;
  const auto fork = run.tasks[run.add_task(kNoNode, 0)].last;
  std::vector<std::uint32_t> team{run.add_task(kNoNode, 2, fork)};
  for (int i = 0; i < 4; ++i) team.push_back(run.add_task(kNoNode, 1, fork));
  std::vector<std::uint32_t> tasks;
  for (int i = 0; i < 5; ++i) tasks.push_back(run.create(team.front(), 100, 0));
  run.barrier(team, 0, 1);
  auto options = on_libgomp(5);
  options.costs.teams = {{.threads = 2, .next_ns = 10, .steal_ns = 10}};
  options.costs.calibrated_threads = 2;
  const auto result = simulate(run.graph(), options);
  REQUIRE(result.ok());
  std::vector<std::int64_t> starts;
  for (const auto task : tasks) starts.push_back(result->schedule[run.tasks[task].first].start_ns);
  std::sort(starts.begin(), starts.end());
  // All five are there at 2, and each takes 10, the creator's own as well: others have taken tasks of its team. The
  // lock is free again at 7, 12, 17, 22 and 27.
  CHECK(starts == std::vector<std::int64_t>{12, 12, 17, 22, 27});
}

TEST_CASE("recordings of random programs replay legally by each runtime's rules") {
  std::mt19937 random(6);
  for (int round = 0; round < 1000; ++round) {
    RandomProgram program{random, false, round % 2 == 1};
    const Recording run = program.region();
    const TaskGraph graph = run.graph();
    for (const char* runtime : {"openmp", "tbb"}) {
      for (const std::uint32_t cores : {1U, 2U, 5U}) {
        auto options = on_libgomp(cores);
        options.costs.rules = runtime_rules(runtime, "GNU libgomp (GCC 12)");
        const auto result = simulate(graph, options);
        REQUIRE(result.ok());
        CAPTURE(round, runtime, cores);
        CHECK(flaw_of(graph, *result, cores) == "");
        if (cores == 1) CHECK(result->makespan_ns == work_ns(graph));
      }
    }
  }
}
