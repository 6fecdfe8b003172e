// SPDX-License-Identifier: Apache-2.0
// Work stealing on recordings: strands of tied and untied tasks as LLVM's OpenMP runtime schedules them.
#include <algorithm>
#include <random>
#include <utility>

#include "catch.hpp"
#include "foretask/analysis/simulate.hpp"
#include "unit/simulate/recording_of.hpp"
#include "unit/simulate/schedule_checks.hpp"

using namespace foretask::analysis;

namespace {

SimulationOptions stealing(std::uint32_t cores, SchedulingCosts costs = {}) {
  SimulationOptions options;
  options.policy = Policy::kWorkStealing;
  options.cores = cores;
  options.costs = std::move(costs);
  options.keep_schedule = true;
  return options;
}

// What a strand pays for the explicit tasks that it creates.
std::vector<std::int64_t> creations(const Recording& run, std::int64_t create_ns) {
  std::vector<std::int64_t> extra(run.durations.size(), 0);
  for (const auto& [from, to, kind] : run.edges) {
    if (kind == EdgeKind::kCreate && run.tasks[run.task_of_node[to]].parent != kNoNode) extra[from] += create_ns;
  }
  return extra;
}

std::int64_t sum(const std::vector<std::int64_t>& values) {
  std::int64_t total = 0;
  for (const std::int64_t value : values) total += value;
  return total;
}

}  // namespace

TEST_CASE("a team of one runs each task within its creation") {
  Recording run;
  const auto root = run.add_task(kNoNode, 10);
  const auto child = run.create(root, 5, 20);
  const auto last = run.wait(root, 3);
  // 10, create 2, its start within that 4, child 5, body 1, then 20, wait 8, pass 16, 3.
  const auto result = simulate(run.graph(), stealing(1, {.teams = {{.threads = 1,
                                                                    .create_ns = 2,
                                                                    .wait_ns = 8,
                                                                    .body_ns = 1,
                                                                    .at_once_ns = 4,
                                                                    .dispatch_ns = 100,
                                                                    .next_ns = 100,
                                                                    .steal_ns = 100,
                                                                    .resume_ns = 100,
                                                                    .pass_ns = 16}}}));
  CHECK(result->schedule[run.tasks[child].first].start_ns == 10 + 2 + 4);
  CHECK(result->schedule[last].start_ns == 10 + 2 + 4 + 5 + 1 + 20 + 8 + 16);
  CHECK(result->makespan_ns == 10 + 2 + 4 + 5 + 1 + 20 + 8 + 16 + 3);
}

TEST_CASE(
    "what the runtime took for tasks within a strand is taken again, as much more as a task costs on more workers") {
  Recording run;
  const auto root = run.add_task(kNoNode, 10);
  const auto child = run.create(root, 500, 20);
  run.wait(root, 3);
  const auto makespan_ns = [&](std::uint32_t cores, std::int64_t runtime_ns) {
    TaskGraph graph = run.graph();
    if (runtime_ns != 0)
      graph.subtrees = {{.node = run.tasks[child].first, .tasks = 7, .waits = 7, .runtime_ns = runtime_ns}};
    SchedulingCosts costs{.teams = {{.threads = 1, .create_ns = 2, .body_ns = 1, .dispatch_ns = 3},
                                    {.threads = 2, .create_ns = 8, .body_ns = 2, .dispatch_ns = 2}}};
    costs.recorded_workers = 1;
    costs.recorded_team = costs.teams.front();
    return simulate(graph, stealing(cores, costs))->makespan_ns;
  };
  CHECK(makespan_ns(1, 60) == makespan_ns(1, 0) + 60);
  CHECK(makespan_ns(2, 60) == makespan_ns(2, 0) + 2 * 60);
  // Where nothing costs anything it is nothing.
  TaskGraph graph = run.graph();
  graph.subtrees = {{.node = run.tasks[child].first, .tasks = 7, .waits = 7, .runtime_ns = 60}};
  CHECK(simulate(graph, stealing(1))->makespan_ns == 10 + 500 + 20 + 3);
}

TEST_CASE("a contracted subtree of which a part ran at once, or that is untied, is priced by what such tasks cost") {
  Recording run;
  const auto root = run.add_task(kNoNode, 10);
  const auto child = run.create(root, 500, 20);
  run.wait(root, 3);
  const auto more_ns = [&](std::uint32_t cores, std::uint32_t recorded, double at_once, bool is_untied) {
    const auto makespan_ns = [&](std::int64_t runtime_ns) {
      TaskGraph graph = run.graph();
      if (is_untied) graph.task_is_untied = {0, 1};
      graph.subtrees = {
          {.node = run.tasks[child].first, .tasks = 7, .waits = 7, .runtime_ns = runtime_ns, .at_once = at_once}};
      SchedulingCosts costs{.teams = {{.threads = 1, .create_ns = 2, .body_ns = 1, .dispatch_ns = 3, .next_ns = 1},
                                      {.threads = 2, .create_ns = 8, .body_ns = 2, .dispatch_ns = 2, .next_ns = 4}}};
      costs.recorded_workers = recorded;
      costs.recorded_team = costs.teams[recorded - 1];
      return simulate(graph, stealing(cores, costs))->makespan_ns;
    };
    return makespan_ns(72) - makespan_ns(0);
  };
  // A task costs 6 on one thread and 12 on two, half of them at once 9.
  CHECK(more_ns(2, 2, 0, false) == 72);
  CHECK(more_ns(2, 2, 0.5, false) == 72 * 12 / 9);
  CHECK(more_ns(1, 2, 0.5, false) == 72 * 6 / 9);
  // An untied one begins by giving itself back: a body and a next more, so 8 and 18.
  CHECK(more_ns(2, 1, 0, true) == 72 * 18 / 8);
}

TEST_CASE("a creator pays for the dependences that it gives a task, and a task's worker when it ends") {
  Recording run;
  const auto root = run.add_task(kNoNode, 10);
  run.create(root, 500, 20);
  run.wait(root, 3);
  const auto makespan_ns = [&](std::uint32_t cores, std::uint16_t dependences) {
    TaskGraph graph = run.graph();
    if (dependences != 0) graph.dependences_of_task = {0, dependences};
    const SchedulingCosts costs{.teams = {{.threads = 1, .create_ns = 2, .depend_ns = 5, .release_ns = 3},
                                          {.threads = 2, .create_ns = 8, .depend_ns = 50, .release_ns = 30}}};
    return simulate(graph, stealing(cores, costs))->makespan_ns;
  };
  CHECK(makespan_ns(1, 4) == makespan_ns(1, 0) + 4 * (5 + 3));
  CHECK(makespan_ns(2, 4) == makespan_ns(2, 0) + 4 * (50 + 30));
}

TEST_CASE("a worker pays for the first task behind a wait, for the next behind a task, and for going on") {
  // Three children on one of two workers; the other is kept by the member beside.
  Recording run;
  const auto initial = run.add_task(kNoNode, 0);
  const auto fork = run.tasks[initial].last;
  const auto root = run.add_task(kNoNode, 10, fork);
  run.add_task(kNoNode, 10'000, fork);
  const auto first = run.create(root, 50, 20);
  const auto second = run.create(root, 60, 30);
  const auto last = run.wait(root, 3);
  const auto result = simulate(run.graph(), stealing(2, {.teams = {{.threads = 2,
                                                                    .create_ns = 2,
                                                                    .wait_ns = 8,
                                                                    .body_ns = 1,
                                                                    .dispatch_ns = 4,
                                                                    .next_ns = 40,
                                                                    .resume_ns = 16,
                                                                    .pass_ns = 1000,
                                                                    .fork_ns = 5}}}));
  const std::int64_t waits = result->schedule[run.tasks[root].first].start_ns + 10 + 2 + 20 + 2 + 30 + 8;
  CHECK(result->schedule[run.tasks[second].first].start_ns == waits + 4);
  CHECK(result->schedule[run.tasks[first].first].start_ns == waits + 4 + 60 + 1 + 40);
  CHECK(result->schedule[last].start_ns == waits + 4 + 60 + 1 + 40 + 50 + 1 + 16);
}

TEST_CASE("of a deque from which was stolen its owner's next task costs more, and only that one") {
  Recording run;
  const auto initial = run.add_task(kNoNode, 0);
  const auto fork = run.tasks[initial].last;
  const auto root = run.add_task(kNoNode, 10, fork);
  run.add_task(kNoNode, 15, fork);
  const auto stolen = run.create(root, 1000, 20);
  const auto first = run.create(root, 50, 20);
  const auto second = run.create(root, 60, 20);
  run.wait(root, 3);
  const auto result = simulate(
      run.graph(), stealing(2, {.teams = {{.threads = 2, .dispatch_ns = 4, .next_ns = 40, .contended_ns = 300}}}));
  const auto& begin = result->schedule[run.tasks[root].first];
  CHECK(result->schedule[run.tasks[stolen].first].worker != begin.worker);
  const std::int64_t waits = begin.start_ns + 10 + 3 * 20;
  CHECK(result->schedule[run.tasks[second].first].start_ns == waits + 300);
  CHECK(result->schedule[run.tasks[first].first].start_ns == waits + 300 + 60 + 40);
}

TEST_CASE("an undeferred task runs at once on its creator, also where another worker is idle") {
  Recording run;
  const auto root = run.add_task(kNoNode, 10);
  const auto child = run.create(root, 50, 20);
  run.add_edge(run.tasks[child].last, run.tasks[root].last, Recording::Kind::kJoin);
  const auto result =
      simulate(run.graph(), stealing(2, {.teams = {{.threads = 1, .create_ns = 2, .at_once_ns = 500},
                                                   {.threads = 2, .create_ns = 100, .at_once_ns = 4, .steal_ns = 6}}}));
  CHECK(result->schedule[run.tasks[child].first].worker == 0);
  // Its creation is that of a team of one.
  CHECK(result->schedule[run.tasks[child].first].start_ns == 10 + 2 + 4);
  CHECK(result->makespan_ns == 10 + 2 + 4 + 50 + 20);
}

TEST_CASE("an untied task that leaves its worker without a wait goes on as the next one would") {
  Recording run;
  const auto root = run.add_task(kNoNode, 10);
  const auto child = run.create(root, 5, 20);
  run.tasks[child].tied = false;
  const auto rest = run.next_strand(child, 30);
  run.wait(root, 0);
  const auto result =
      simulate(run.graph(), stealing(2, {.teams = {{.threads = 2, .body_ns = 1, .next_ns = 40, .steal_ns = 6}}}));
  CHECK(result->schedule[run.tasks[child].first].start_ns == 16);
  CHECK(result->schedule[rest].start_ns == 16 + 5 + 1 + 40);
}

TEST_CASE("a thief takes the child while the creator goes on") {
  Recording run;
  const auto root = run.add_task(kNoNode, 10);
  const auto child = run.create(root, 50, 20);
  const auto last = run.wait(root, 3);
  const auto result = simulate(run.graph(), stealing(2, {.teams = {{.threads = 2, .create_ns = 2, .steal_ns = 6}}}));
  CHECK(result->schedule[run.tasks[child].first].start_ns == 18);
  CHECK(result->schedule[run.tasks[child].first].worker == 1);
  // Tied: the root goes on where it was.
  CHECK(result->schedule[last].start_ns == 68);
  CHECK(result->schedule[last].worker == 0);
}

TEST_CASE("of the tasks that a strand's end makes ready the worker takes the oldest, a thief the youngest") {
  Recording run;
  const auto root = run.add_task(kNoNode, 1);
  const auto before = run.create(root, 10, 0);
  std::vector<std::uint32_t> after;
  for (int i = 0; i < 3; ++i) {
    after.push_back(run.create(root, 100 + i, 0));
    run.add_edge(run.tasks[before].last, run.tasks[after.back()].first, Recording::Kind::kDependence);
  }
  run.wait(root, 0);
  const auto alone = simulate(run.graph(), stealing(1, {}));
  const auto start_of = [&run](const auto& result, std::uint32_t task) {
    return result->schedule[run.tasks[task].first].start_ns;
  };
  CHECK(start_of(alone, after[0]) == 11);
  CHECK(start_of(alone, after[1]) == 11 + 100);
  CHECK(start_of(alone, after[2]) == 11 + 100 + 101);
  // The thread that ran `before` goes on with the oldest, the other takes the youngest at that instant.
  const auto two = simulate(run.graph(), stealing(2, {}));
  CHECK(start_of(two, after[0]) == start_of(two, after[2]));
  CHECK(start_of(two, after[1]) == start_of(two, after[0]) + 100);
}

TEST_CASE("a creator whose deque is full runs the child before it goes on") {
  // The member beside keeps the other worker from stealing.
  Recording run;
  const auto fork = run.tasks[run.add_task(kNoNode, 0)].last;
  const auto root = run.add_task(kNoNode, 1, fork);
  run.add_task(kNoNode, 1000, fork);
  const auto a = run.create(root, 10, 2);
  const auto b = run.create(root, 20, 4);
  const auto behind_b = run.tasks[root].last;
  const auto last = run.wait(root, 8);
  auto options = stealing(2);
  options.costs.rules.deque_capacity = 1;
  const auto result = simulate(run.graph(), options);
  CHECK(result->schedule[run.tasks[b].first].start_ns == 3);
  CHECK(result->schedule[behind_b].start_ns == 23);
  CHECK(result->schedule[run.tasks[a].first].start_ns == 27);
  CHECK(result->schedule[last].start_ns == 37);
}

TEST_CASE("the scheduling constraint keeps a waiting worker from tasks that are not descendants") {
  // The root creates x (a body of 10, then a child of 100, then waits) and y (50). Two workers.
  Recording run;
  const auto root = run.add_task(kNoNode, 0);
  const auto x = run.create(root, 10, 0);
  const auto y = run.create(root, 50, 0);
  const auto z = run.create(root, 50, 0);
  const auto inner = run.create(x, 100, 0);
  const auto x_last = run.wait(x, 1);
  run.wait(root, 1);
  const auto result = simulate(run.graph(), stealing(2));
  const auto& schedule = result->schedule;
  // Worker 1 takes x from the top; worker 0 z, then y. x's child goes to worker 1's own deque and runs there.
  CHECK(schedule[run.tasks[x].first].worker == 1);
  CHECK(schedule[run.tasks[z].first].start_ns == 0);
  CHECK(schedule[run.tasks[z].first].worker == 0);
  CHECK(schedule[run.tasks[y].first].worker == 0);
  CHECK(schedule[run.tasks[y].first].start_ns == 50);
  CHECK(schedule[run.tasks[inner].first].worker == 1);
  CHECK(schedule[run.tasks[inner].first].start_ns == 10);
  CHECK(schedule[x_last].start_ns == 110);

  // With a third worker that steals the child, worker 1 has nothing that it may do until x can go on, y or no y.
  Recording wider = run;
  const auto result3 = simulate(wider.graph(), stealing(3));
  CHECK(result3->schedule[x_last].worker == result3->schedule[run.tasks[x].first].worker);
  CHECK(flaw_of(wider.graph(), *result3, 3) == "");
}

TEST_CASE("an untied task goes on where it was made ready") {
  Recording run;
  const auto root = run.add_task(kNoNode, 0);
  const auto task = run.create(root, 1, 1000, false);
  const auto child = run.create(task, 5, 1);
  const auto last = run.wait(task, 7);
  run.wait(root, 0);
  // Worker 1 steals the task, worker 2 its child; the continuation becomes ready on worker 2 and stays there.
  const auto result = simulate(run.graph(), stealing(3));
  const auto& schedule = result->schedule;
  CHECK(schedule[run.tasks[task].first].worker != schedule[run.tasks[child].first].worker);
  CHECK(schedule[last].worker == schedule[run.tasks[child].first].worker);
  CHECK(schedule[last].start_ns == 6);
}

TEST_CASE("barriers of more implicit tasks than workers do not lock up") {
  Recording run;
  const auto initial = run.add_task(kNoNode, 1);
  const auto fork = run.tasks[initial].last;
  std::vector<std::uint32_t> team;
  for (int i = 0; i < 5; ++i) team.push_back(run.add_task(kNoNode, 10, fork));
  const auto last = run.next_strand(initial, 1);
  std::mt19937 random(3);
  RandomProgram program{random};
  for (int barriers = 0; barriers < 4; ++barriers) program.barrier(run, team, run.tasks.size());
  for (const auto member : team) run.add_edge(run.tasks[member].last, last, EdgeKind::kJoin);
  for (const std::uint32_t cores : {1U, 2U, 3U, 5U, 8U}) {
    const auto result = simulate(run.graph(), stealing(cores));
    REQUIRE(result.ok());
    CAPTURE(cores);
    CHECK(flaw_of(run.graph(), *result, cores) == "");
    if (cores == 1) CHECK(result->makespan_ns == sum(run.durations));
  }
}

TEST_CASE("starting the team takes longer with each thread more than recorded") {
  Recording run;
  const auto initial = run.add_task(kNoNode, 10);
  const auto fork = run.tasks[initial].last;
  const auto member = run.add_task(kNoNode, 100, fork);
  const auto last = run.next_strand(initial, 1);
  run.add_edge(run.tasks[member].last, last, EdgeKind::kJoin);
  TaskGraph graph = run.graph();
  graph.team_start = fork;
  SchedulingCosts costs;
  costs.thread_ns = 4;
  costs.recorded_workers = 2;
  CHECK(simulate(graph, stealing(2, costs))->makespan_ns == 111);
  CHECK(simulate(graph, stealing(6, costs))->makespan_ns == 111 + 4 * 4);
  // What fewer would save is part of the recorded strand.
  CHECK(simulate(graph, stealing(1, costs))->makespan_ns == 111);
  // A team of 8 took 20 to start, which is less than six threads take.
  costs.recorded_workers = 8;
  costs.team_start_ns = 20;
  CHECK(simulate(graph, stealing(8, costs))->makespan_ns == 111 + 20);
  CHECK(simulate(graph, stealing(5, costs))->makespan_ns == 111 + 20 - 3 * 4);
  CHECK(simulate(graph, stealing(2, costs))->makespan_ns == 111);
}

TEST_CASE("recordings of random programs replay legally") {
  std::mt19937 random(4);
  for (int round = 0; round < 3000; ++round) {
    RandomProgram program{random, round % 3 == 1, round % 2 == 1};
    const Recording run = program.region();
    const TaskGraph graph = run.graph();
    const TeamCosts one{.threads = 1,
                        .create_ns = round % 4,
                        .at_once_ns = round % 3,
                        .dispatch_ns = round % 3,
                        .next_ns = round % 3,
                        .steal_ns = round % 5};
    TeamCosts two = one;
    two.threads = 2;
    SchedulingCosts costs{.teams = {one, two}};
    costs.rules.deque_capacity = static_cast<std::uint32_t>(round % 5 == 0 ? 1 + round % 3 : 0);
    const auto extra = creations(run, one.create_ns);
    for (const std::uint32_t cores : {1U, 2U, 3U, 6U}) {
      const auto result = simulate(graph, stealing(cores, costs));
      REQUIRE(result.ok());
      CAPTURE(round, cores);
      CHECK(flaw_of(graph, *result, cores, extra) == "");
      CHECK(result->makespan_ns >= span_ns(graph));
      if (cores == 1 && costs.rules.deque_capacity == 0 && round % 3 != 1) {
        // One worker never idles: work, creations, and a dispatch an explicit task.
        const auto tasks = std::count_if(run.tasks.begin(), run.tasks.end(),
                                         [](const Recording::Task& task) { return task.parent != kNoNode; });
        const std::int64_t dispatches = tasks * one.dispatch_ns;
        CHECK(result->makespan_ns == sum(run.durations) + sum(extra) + dispatches);
      }
    }
  }
}

TEST_CASE("tied tasks stay on their worker, and what a worker stacks on a waiting one descends from it") {
  std::mt19937 random(5);
  for (int round = 0; round < 2000; ++round) {
    RandomProgram program{random};
    const Recording run = program.region();
    const TaskGraph graph = run.graph();
    const auto result = simulate(graph, stealing(2 + static_cast<std::uint32_t>(round % 4)));
    REQUIRE(result.ok());
    const auto& schedule = result->schedule;
    for (std::size_t node = 0; node < graph.size(); ++node) {
      CHECK(schedule[node].worker == schedule[run.tasks[run.task_of_node[node]].first].worker);
    }
    const auto begin_of = [&](std::size_t task) { return schedule[run.tasks[task].first].start_ns; };
    const auto end_of = [&](std::size_t task) {
      return schedule[run.tasks[task].last].start_ns + run.durations[run.tasks[task].last];
    };
    for (std::size_t outer = 0; outer < run.tasks.size(); ++outer) {
      if (run.tasks[outer].parent == kNoNode) continue;
      for (std::size_t inner = 0; inner < run.tasks.size(); ++inner) {
        const bool starts_inside = begin_of(outer) < begin_of(inner) && begin_of(inner) < end_of(outer);
        if (inner == outer || run.tasks[inner].parent == kNoNode || !starts_inside) continue;
        if (schedule[run.tasks[inner].first].worker != schedule[run.tasks[outer].first].worker) continue;
        std::uint32_t ancestor = run.tasks[inner].parent;
        while (ancestor != outer && ancestor != kNoNode) ancestor = run.tasks[ancestor].parent;
        CAPTURE(round, outer, inner);
        CHECK(ancestor == outer);
        CHECK(end_of(inner) <= end_of(outer));
      }
    }
  }
}
