// SPDX-License-Identifier: Apache-2.0
// The model of T(n, p) that rests on replays of recorded graphs.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/memory_bandwidth.hpp"
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

// Without what scheduling costs: that is delay, and has a law of its own.
Result<predict::ReplayedGraph> replay(const ProgramRun& run) {
  const auto recording = Run::open(run.source);
  if (!recording) return recording.error();
  SimulationOptions settings;
  settings.policy = recording->report().runtime == "openmp" ? Policy::kWorkStealing : Policy::kCriticalPath;
  const auto figures = work_and_span(recording->graph(), settings);
  if (!figures) return figures.error();
  predict::ReplayedGraph graph;
  graph.n = run.n;
  graph.work = static_cast<double>(work_ns(recording->graph()));
  graph.span = static_cast<double>(figures->span_ns);
  if (!(graph.span > 0)) return Error{.what = "the graph has no work", .path = run.source};
  ReplayGrid grid;
  grid.cores = replayed_workers(graph.work / graph.span);
  grid.replays = 3;
  const auto table = simulate(recording->graph(), settings, grid);
  if (!table) return table.error();
  for (std::size_t i = 0; i < grid.cores.size(); ++i) {
    const double p = grid.cores[i];
    const predict::GreedyTimes times(graph.work, graph.span, p);
    const double makespan = static_cast<double>(table->front()[i].makespan_ns);
    graph.places.push_back({p, times.most > times.least
                                   ? std::clamp((makespan - times.least) / (times.most - times.least), 0.0, 1.0)
                                   : 0.0});
  }
  return graph;
}

// Each recording once, whatever is held out.
class Replays {
 public:
  explicit Replays(std::function<void(double, const char*)> progress) : progress_(std::move(progress)) {}

  // Of the largest run with the fewest workers: its times are those that sharing memory has changed least.
  std::shared_ptr<const predict::ReplayedGraph> of(std::span<const ProgramRun> runs) {
    const ProgramRun& largest = *std::min_element(
        runs.begin(), runs.end(), [](const auto& a, const auto& b) { return a.n != b.n ? a.n > b.n : a.p < b.p; });
    const auto known = graphs_.find(largest.source);
    if (known != graphs_.end()) return known->second;
    if (progress_) progress_(0.5, largest.source.c_str());
    auto graph = replay(largest);
    std::shared_ptr<const predict::ReplayedGraph> shared;
    if (graph) shared = std::make_shared<predict::ReplayedGraph>(*std::move(graph));
    return graphs_[largest.source] = shared;
  }

 private:
  std::function<void(double, const char*)> progress_;
  std::map<std::string, std::shared_ptr<const predict::ReplayedGraph>> graphs_;  // null: cannot be replayed
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
  const predict::NamedForm form{
      "replay", [replays, memory](std::span<const ProgramRun> runs) -> Result<std::unique_ptr<predict::FittedProgram>> {
        auto graph = replays->of(runs);
        if (!graph) return Error{.what = "the largest run cannot be replayed"};
        return predict::fit_kernel_model(runs, std::move(graph), memory ? &*memory : nullptr);
      }};
  auto impl = Impl::fit(table, options, std::span(&form, 1), memory);
  if (!impl) return impl.error();
  return Impl::model_of(*std::move(impl));
}

}  // namespace foretask::analysis
