// SPDX-License-Identifier: Apache-2.0
// The model of T(n, p) that rests on replays of recorded graphs.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "base/memory.hpp"
#include "foretask/analysis/program_model.hpp"
#include "foretask/analysis/run.hpp"
#include "foretask/analysis/simulate.hpp"
#include "predict/program/bounds.hpp"
#include "predict/program/growth_model.hpp"
#include "predict/program/program_model_impl.hpp"
#include "runtime/recording/topology.hpp"

namespace foretask::analysis {
namespace {

constexpr std::uint32_t kMostWorkers = 4096;

bool has_tasks(const ProgramRun& run) { return run.create_task > 0; }

// 1, 2, 3, 4, 6, 8, 12, ... to four times the graph's parallelism: beyond it the span is all.
std::vector<std::uint32_t> replayed_workers(double parallelism) {
  std::vector<std::uint32_t> workers{1};
  const double last = std::min(4 * parallelism + 2, static_cast<double>(kMostWorkers));
  for (std::uint32_t p = 2; p <= last; p *= 2) {
    workers.push_back(p);
    const std::uint32_t between = p + p / 2;
    if (between <= last) workers.push_back(between);
  }
  return workers;
}

// With what scheduling costs and without: the difference is delay.
Result<predict::ReplayedGraph> replay(const ProgramRun& run, const SchedulingCosts& costs) {
  const auto recording = Run::open(run.source);
  if (!recording) return recording.error();
  SimulationOptions settings;
  const RuntimeRules& rules = recording->report().costs.rules;
  settings.costs.rules = rules;
  settings.policy = rules.queue != RuntimeRules::Queue::kNone ? Policy::kWorkStealing : Policy::kCriticalPath;
  const auto figures = work_and_span(recording->graph(), settings);
  if (!figures) return figures.error();
  predict::ReplayedGraph graph;
  graph.n = run.n;
  graph.work = static_cast<double>(work_ns(recording->graph()));
  constexpr std::uint32_t kSeveral = 2;
  graph.span = static_cast<double>(std::max(figures->span_ns, lock_bound_ns(recording->graph(), settings, kSeveral)));
  graph.tasks = run.create_task;
  graph.workers = costs.recorded_workers;
  graph.cost_spread = costs.spread;
  graph.thread_time = static_cast<double>(costs.thread_ns);
  if (!(graph.span > 0)) return Error{.what = "the graph has no work", .path = run.source};
  ReplayGrid grid;
  grid.cores = replayed_workers(graph.work / graph.span);
  grid.replays = 3;
  const auto ideal = simulate(recording->graph(), settings, grid);
  if (!ideal) return ideal.error();
  // Starting threads takes as long whatever they do then; the model adds it.
  settings.costs = costs;
  settings.costs.rules = rules;
  settings.costs.thread_ns = 0;
  const auto costly = simulate(recording->graph(), settings, grid);
  if (!costly) return costly.error();
  for (std::size_t i = 0; i < grid.cores.size(); ++i) {
    const double p = grid.cores[i];
    const predict::GreedyTimes times(graph.work, graph.span, p);
    const double makespan = static_cast<double>(ideal->front()[i].makespan_ns);
    const double with_costs = static_cast<double>(costly->front()[i].makespan_ns);
    const double width = times.most - times.least;
    graph.places.push_back({.p = p,
                            .place = width > 0 ? std::clamp((makespan - times.least) / width, 0.0, 1.0) : 0.0,
                            .delay = p * std::max(0.0, with_costs - makespan) / graph.work,
                            .imbalance = has_tasks(run) ? 0.0 : p * std::max(0.0, makespan - times.most) / graph.work});
  }
  return graph;
}

// Of the largest input with these workers the run that took least: nothing has disturbed it.
const ProgramRun& fastest(std::span<const ProgramRun> runs, bool with_most_workers) {
  const double sign = with_most_workers ? -1 : 1;
  return *std::ranges::min_element(runs, {},
                                   [sign](const auto& run) { return std::tuple(-run.n, sign * run.p, run.time); });
}

// Each graph once, whatever is held out.
class Replays {
 public:
  explicit Replays(std::function<void(double, const char*)> progress) : progress_(std::move(progress)) {}

  // Of tasks the graph on the fewest workers: sharing memory has changed its times least. Of loops that on the most,
  // which shows more of what iterations cost. What scheduling costs is seen on the most workers.
  std::shared_ptr<const predict::ReplayedGraph> of(std::span<const ProgramRun> runs) {
    const ProgramRun& most = fastest(runs, true);
    const ProgramRun& graph_of = fastest(runs, !has_tasks(most));
    const std::pair key{graph_of.source, most.source};
    const auto known = graphs_.find(key);
    if (known != graphs_.end()) return known->second;
    if (progress_) progress_(0.5, graph_of.source.c_str());
    auto graph = replay(graph_of, most.costs);
    std::shared_ptr<const predict::ReplayedGraph> shared;
    if (graph) shared = std::make_shared<predict::ReplayedGraph>(*std::move(graph));
    return graphs_[key] = shared;
  }

 private:
  using Sources = std::pair<std::string, std::string>;  // of the graph, of the costs
  std::function<void(double, const char*)> progress_;
  std::map<Sources, std::shared_ptr<const predict::ReplayedGraph>> graphs_;  // null: cannot be replayed
};

// Of this machine, where the runs were on it; several times its last-level cache.
std::optional<predict::MemorySlowdown> memory_of(const ProgramTable& table) {
  const trace::Machine machine = runtime::read_machine();
  if (table.machine.empty() || machine.fingerprint != table.machine) return std::nullopt;
  constexpr std::size_t kBytes = std::size_t{96} << 20;
  constexpr unsigned kMostThreads = 64;
  predict::MemorySlowdown memory{
      base::memory_bandwidth(std::clamp(std::thread::hardware_concurrency(), 1U, kMostThreads), kBytes)};
  if (memory.bandwidth.empty()) return std::nullopt;
  return memory;
}

}  // namespace

Result<ProgramModel> ProgramModel::fit_runs(const ProgramTable& table, const ProgramModelOptions& options) {
  const auto replays = std::make_shared<Replays>(options.progress);
  const auto memory = memory_of(table);
  auto impl = Impl::fit(
      table, options, [replays](std::span<const ProgramRun> runs) { return replays->of(runs); }, memory);
  if (!impl) return impl.error();
  return Impl::model_of(*std::move(impl));
}

}  // namespace foretask::analysis
