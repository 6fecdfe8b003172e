// SPDX-License-Identifier: Apache-2.0
// Tasks replayed a second: tiled Cholesky, 64 cores, critical path first (and the other policies at two million
// tasks), preparation counted in, making the graph not. Beside it the plainest scheduler with two heaps.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>

#include "foretask/analysis/simulate.hpp"
#include "plain_replay.hpp"
#include "tiled_cholesky.hpp"

namespace {

using namespace foretask::analysis;

constexpr std::uint32_t kCores = 64;
constexpr std::int64_t kJitterNs = 1000;

// The graph of so many tiles; the last one asked for is kept.
const TaskGraph& graph_of(std::int64_t tiles, std::int64_t jitter_ns) {
  static std::pair<std::int64_t, std::int64_t> key{-1, -1};
  static TaskGraph graph;
  if (key != std::pair(tiles, jitter_ns)) {
    graph = {};
    graph = benchmarks::TiledCholesky(static_cast<std::uint32_t>(tiles), jitter_ns).take();
    key = {tiles, jitter_ns};
  }
  return graph;
}

void count_tasks(benchmark::State& state, const TaskGraph& graph) {
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(graph.size()));
  state.counters["tasks"] = static_cast<double>(graph.size());
  state.counters["edges"] = static_cast<double>(graph.edge_count());
}

void foretask_replay(benchmark::State& state, Policy policy, std::int64_t jitter_ns) {
  const TaskGraph& graph = graph_of(state.range(0), jitter_ns);
  SimulationOptions options;
  options.policy = policy;
  options.cores = kCores;
  std::int64_t makespan_ns = 0;
  for (auto _ : state) {
    const auto result = simulate(graph, options);
    if (!result) {
      state.SkipWithError(result.error().message().c_str());
      break;
    }
    makespan_ns = result->makespan_ns;
  }
  count_tasks(state, graph);
  state.counters["makespan_ns"] = static_cast<double>(makespan_ns);
}

void two_heaps(benchmark::State& state, std::int64_t jitter_ns) {
  const TaskGraph& graph = graph_of(state.range(0), jitter_ns);
  std::int64_t makespan_ns = 0;
  for (auto _ : state) makespan_ns = benchmarks::plain_replay(graph, kCores);
  count_tasks(state, graph);
  state.counters["makespan_ns"] = static_cast<double>(makespan_ns);
}

void register_all() {
  const std::int64_t huge = std::getenv("FORETASK_BENCH_HUGE") != nullptr ? 492 : 0;  // 19,970,444 tasks, some 3 GB
  for (const std::int64_t tiles : {std::int64_t{28}, std::int64_t{100}, std::int64_t{228}, huge}) {
    if (tiles == 0) continue;
    for (const std::int64_t jitter : {std::int64_t{0}, kJitterNs}) {
      const std::string suffix = jitter == 0 ? "/equal_durations" : "/varied_durations";
      benchmark::RegisterBenchmark(("two_heaps" + suffix).c_str(), two_heaps, jitter)
          ->Arg(tiles)
          ->Unit(benchmark::kMillisecond);
      benchmark::RegisterBenchmark(("foretask/critical-path" + suffix).c_str(), foretask_replay, Policy::kCriticalPath,
                                   jitter)
          ->Arg(tiles)
          ->Unit(benchmark::kMillisecond);
    }
  }
  for (const Policy policy :
       {Policy::kFifo, Policy::kReadyFifo, Policy::kLifo, Policy::kPriority, Policy::kWorkStealing}) {
    benchmark::RegisterBenchmark(("foretask/" + std::string(policy_name(policy))).c_str(), foretask_replay, policy,
                                 std::int64_t{0})
        ->Arg(228)
        ->Unit(benchmark::kMillisecond);
  }
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  register_all();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
