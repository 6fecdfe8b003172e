// SPDX-License-Identifier: Apache-2.0
// Small tasks as plain calls, in random programs: what holds for all of them.
#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "catch.hpp"
#include "foretask/analysis/coarse_graph.hpp"
#include "foretask/analysis/simulate.hpp"
#include "unit/graph/coarse/edges_of.hpp"
#include "unit/simulate/recording_of.hpp"

using namespace foretask::analysis;

namespace {

using Kind = Recording::Kind;

constexpr int kPrograms = 400;

// A program, and which of its tasks are calls below a grain by the definition.
struct Program {
  Recording run;
  std::vector<std::int64_t> subtree_ns;

  explicit Program(unsigned seed) {
    std::mt19937 random(seed);
    run = RandomProgram{random, seed % 3 == 0, seed % 2 == 0}.region();
    subtree_ns.resize(run.tasks.size());
    for (std::size_t task = run.tasks.size(); task-- > 0;) {
      for (std::size_t node = 0; node < run.durations.size(); ++node)
        if (run.task_of_node[node] == task) subtree_ns[task] += run.durations[node];
      for (const std::uint32_t child : run.tasks[task].children) subtree_ns[task] += subtree_ns[child];
    }
  }

  [[nodiscard]] std::vector<bool> calls(std::int64_t grain_ns) const {
    std::vector<bool> is_call(run.tasks.size(), false);
    for (std::uint32_t task = 0; task < run.tasks.size(); ++task) {
      const std::uint32_t parent = run.tasks[task].parent;
      if (parent == kNoNode) continue;
      bool waits = false;
      for (const auto& [from, to, kind] : run.edges)
        if (kind == Kind::kDependence && to == run.tasks[task].first && !is_call[run.task_of_node[from]]) waits = true;
      is_call[task] = is_call[parent] || (subtree_ns[task] < grain_ns && !waits);
    }
    return is_call;
  }

  // The same program, in which whoever creates a call goes on when that has ended.
  [[nodiscard]] Recording with_serial(const std::vector<bool>& is_call) const {
    Recording serial = run;
    for (const auto& [creator, first, kind] : run.edges) {
      if (kind != Kind::kCreate || !is_call[run.task_of_node[first]]) continue;
      for (const auto& [from, next, how] : run.edges)
        if (from == creator && how == Kind::kContinuation)
          serial.add_edge(run.tasks[run.task_of_node[first]].last, next, Kind::kJoin);
    }
    return serial;
  }
};

CoarseGraph with_grain(const TaskGraph& graph, std::int64_t grain_ns) {
  auto coarse = coarsened(graph, {.grain_ns = grain_ns, .kernels = {}});
  REQUIRE(coarse);
  return *std::move(coarse);
}

std::int64_t stealing_makespan(const TaskGraph& graph, std::uint32_t cores) {
  SimulationOptions options{.cores = cores, .policy = Policy::kWorkStealing};
  options.costs.teams = {{.threads = 1, .create_ns = 2, .dispatch_ns = 1},
                         {.threads = 2, .create_ns = 2, .dispatch_ns = 1, .steal_ns = 3}};
  const auto result = simulate(graph, options);
  REQUIRE(result);
  return result->makespan_ns;
}

constexpr std::int64_t kEverything = std::numeric_limits<std::int64_t>::max();

}  // namespace

TEST_CASE("calls change no work, and order a program as if their creators waited for them") {
  for (unsigned seed = 0; seed < kPrograms; ++seed) {
    const Program program(seed);
    const TaskGraph graph = program.run.graph();
    for (const std::int64_t grain_ns : {1, 3, 8, 20, 60}) {
      CAPTURE(seed, grain_ns);
      const CoarseGraph coarse = with_grain(graph, grain_ns);
      const std::vector<bool> is_call = program.calls(grain_ns);
      const auto calls = static_cast<std::uint64_t>(std::count(is_call.begin(), is_call.end(), true));
      CHECK(coarse.calls == calls);
      CHECK(coarse.graph.parent_of_task.size() == graph.parent_of_task.size() - calls);
      CHECK(work_ns(coarse.graph) == work_ns(graph));
      // A path leads through the same strands.
      CHECK(span_ns(coarse.graph) == span_ns(program.with_serial(is_call).graph()));
      CHECK(span_ns(coarse.graph) >= span_ns(graph));
      CHECK(stealing_makespan(coarse.graph, 3) >= span_ns(coarse.graph));
    }
  }
}

TEST_CASE("without a grain a program stays as it is") {
  for (unsigned seed = 0; seed < kPrograms; ++seed) {
    CAPTURE(seed);
    const TaskGraph graph = Program(seed).run.graph();
    const CoarseGraph coarse = with_grain(graph, 0);
    CHECK(coarse.calls == 0);
    CHECK(coarse.graph.duration_ns == graph.duration_ns);
    CHECK(coarse.graph.task_of_node == graph.task_of_node);
    CHECK(edges_of(coarse.graph) == edges_of(graph));
    CHECK(stealing_makespan(coarse.graph, 3) == stealing_makespan(graph, 3));
  }
}

// A thread whose tasks are calls runs a strand between two barriers, and no cores are too many.
TEST_CASE("with every task a call the threads alone are left") {
  for (unsigned seed = 0; seed < kPrograms; ++seed) {
    CAPTURE(seed);
    const Program program(seed);
    const CoarseGraph coarse = with_grain(program.run.graph(), kEverything);
    CHECK(coarse.tasks == 0);
    for (const std::uint32_t parent : coarse.graph.parent_of_task) CHECK(parent == kNoNode);
    const std::size_t threads = coarse.graph.parent_of_task.size() - 1;
    const auto many = simulate(coarse.graph, {.cores = 64});
    CHECK(many->makespan_ns == span_ns(coarse.graph));
    if (threads == 1) CHECK(many->makespan_ns == work_ns(coarse.graph));
    CHECK(simulate(coarse.graph, {.cores = static_cast<std::uint32_t>(threads)})->makespan_ns == many->makespan_ns);
  }
}

TEST_CASE("it does not matter in how many steps a program becomes coarse") {
  for (unsigned seed = 0; seed < kPrograms; ++seed) {
    const TaskGraph graph = Program(seed).run.graph();
    CoarseGraph step = with_grain(graph, 2);
    for (const std::int64_t grain_ns : {5, 11, 40}) {
      CAPTURE(seed, grain_ns);
      step = with_grain(step.graph, grain_ns);
      const CoarseGraph once = with_grain(graph, grain_ns);
      CHECK(step.tasks == once.tasks);
      CHECK(step.waiting == once.waiting);
      CHECK(step.graph.duration_ns == once.graph.duration_ns);
      CHECK(step.graph.parent_of_task == once.graph.parent_of_task);
      CHECK(edges_of(step.graph) == edges_of(once.graph));
    }
  }
}
