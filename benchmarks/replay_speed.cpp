// SPDX-License-Identifier: Apache-2.0
// Tasks replayed a second: tiled Cholesky, 64 cores, critical path first (and the other policies at two million
// tasks), preparation counted in, making the graph not. Beside it, in the same run, the plainest scheduler with two
// heaps and SimGrid with one actor a worker; all must find the same makespan. Names end in the number of tasks;
// "varied" durations differ from task to task by up to a microsecond.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

#include "foretask/analysis/simulate.hpp"
#include "peak_memory.hpp"
#include "plain_replay.hpp"
#include "simgrid_reference.hpp"
#include "tiled_cholesky.hpp"

namespace {

using namespace foretask;
using namespace foretask::analysis;
using benchmarks::SimgridWork;

constexpr std::uint32_t kCores = 64;
constexpr std::int64_t kJitterNs = 1000;
constexpr std::int64_t kLargestForSimgrid = 2'001'460;
constexpr std::int64_t kHugeTiles = 492;
constexpr std::int64_t kHugeBytes = std::int64_t{5} << 30;  // graph, replay and what two heaps take

struct Load {
  std::int64_t tiles = 0;
  std::int64_t jitter_ns = 0;
  friend bool operator==(const Load&, const Load&) = default;

  [[nodiscard]] std::int64_t tasks() const { return tiles * (tiles + 1) * (tiles + 2) / 6; }
  [[nodiscard]] std::string name() const { return std::to_string(tasks()) + (jitter_ns == 0 ? "" : "/varied"); }
};

// The last one asked for is kept, and what the two heaps said of it.
const TaskGraph& graph_of(const Load& load) {
  static Load kept;
  static TaskGraph graph;
  if (kept != load) {
    graph = {};
    graph = benchmarks::TiledCholesky(static_cast<std::uint32_t>(load.tiles), load.jitter_ns).take();
    kept = load;
  }
  return graph;
}

std::int64_t expected_makespan(const Load& load) {
  static Load kept;
  static std::int64_t makespan_ns = 0;
  if (kept != load) makespan_ns = benchmarks::plain_replay(graph_of(load), kCores);
  kept = load;
  return makespan_ns;
}

std::size_t bytes_of(const TaskGraph& graph) {
  return graph.duration_ns.capacity() * sizeof graph.duration_ns[0] + graph.kernel.capacity() * sizeof graph.kernel[0] +
         graph.first_successor.capacity() * sizeof graph.first_successor[0] +
         graph.successors.capacity() * sizeof graph.successors[0];
}

void report(benchmark::State& state, const TaskGraph& graph, std::int64_t makespan_ns) {
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(graph.size()));
  state.counters["edges"] = static_cast<double>(graph.edge_count());
  state.counters["makespan_ns"] = static_cast<double>(makespan_ns);
}

void foretask_replay(benchmark::State& state, Policy policy, const Load& load) {
  const TaskGraph& graph = graph_of(load);
  SimulationOptions options;
  options.policy = policy;
  options.cores = kCores;
  const benchmarks::PeakMemory memory;
  auto result = simulate(graph, options);  // not timed: for its memory
  const auto bytes = static_cast<double>(bytes_of(graph)) + static_cast<double>(memory.bytes());
  for (auto _ : state) result = simulate(graph, options);
  if (!result) return state.SkipWithError(result.error().message().c_str());
  if (policy == Policy::kCriticalPath && result->makespan_ns != expected_makespan(load))
    return state.SkipWithError("another makespan than the two heaps");
  report(state, graph, result->makespan_ns);
  state.counters["bytes_per_task"] = bytes / static_cast<double>(graph.size());
}

void two_heaps(benchmark::State& state, const Load& load) {
  const TaskGraph& graph = graph_of(load);
  std::int64_t makespan_ns = 0;
  for (auto _ : state) makespan_ns = benchmarks::plain_replay(graph, kCores);
  report(state, graph, makespan_ns);
}

// Manual time: that of the child process, in which SimGrid runs.
void simgrid(benchmark::State& state, SimgridWork work, const Load& load) {
  const TaskGraph& graph = graph_of(load);
  std::int64_t makespan_ns = 0;
  for (auto _ : state) {
    const auto replay = benchmarks::simgrid_replay(graph, kCores, work);
    if (!replay) return state.SkipWithError("SimGrid did not come to an end");
    state.SetIterationTime(replay->seconds);
    makespan_ns = replay->makespan_ns;
  }
  if (makespan_ns != expected_makespan(load)) return state.SkipWithError("another makespan than the two heaps");
  report(state, graph, makespan_ns);
}

void register_load(const Load& load) {
  using benchmark::RegisterBenchmark;
  const auto name = [&load](const char* who) { return std::string(who) + "/" + load.name(); };
  RegisterBenchmark(name("two_heaps").c_str(), two_heaps, load)->Unit(benchmark::kMillisecond);
  RegisterBenchmark(name("foretask/critical-path").c_str(), foretask_replay, Policy::kCriticalPath, load)
      ->Unit(benchmark::kMillisecond);
  if (!benchmarks::has_simgrid() || load.tasks() > kLargestForSimgrid) return;
  for (const auto& [who, work] :
       {std::pair{"simgrid/execute", SimgridWork::kExecute}, std::pair{"simgrid/sleep", SimgridWork::kSleep}}) {
    RegisterBenchmark(name(who).c_str(), simgrid, work, load)
        ->UseManualTime()
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
  }
}

void register_all() {
  if (!benchmarks::has_simgrid())
    std::fprintf(stderr, "built without SimGrid (Debian: libsimgrid-dev): it is not measured\n");
  for (const std::int64_t tiles : {std::int64_t{28}, std::int64_t{100}, std::int64_t{228}}) {
    for (const std::int64_t jitter_ns : {std::int64_t{0}, kJitterNs}) register_load({tiles, jitter_ns});
  }
  for (const Policy policy :
       {Policy::kFifo, Policy::kReadyFifo, Policy::kLifo, Policy::kPriority, Policy::kWorkStealing}) {
    const Load load{228, 0};
    const std::string name = "foretask/" + std::string(policy_name(policy)) + "/" + load.name();
    benchmark::RegisterBenchmark(name.c_str(), foretask_replay, policy, load)->Unit(benchmark::kMillisecond);
  }
  if (benchmarks::available_bytes() >= kHugeBytes) {
    for (const std::int64_t jitter_ns : {std::int64_t{0}, kJitterNs}) register_load({kHugeTiles, jitter_ns});
  } else {
    std::fprintf(stderr, "less than %lld GB of memory are free: 20 million tasks are not measured\n",
                 static_cast<long long>(kHugeBytes >> 30));
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
