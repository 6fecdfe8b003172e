// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/cut_off_trials.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

namespace foretask::analysis {
namespace {

bool is_finer(const CutOff& a, const CutOff& b) {
  return a.kernels == b.kernels && a.grain_ns <= b.grain_ns && a.depth >= b.depth;
}

// Places in `cut_offs`, such that each comes behind the finer ones.
std::vector<std::size_t> finest_first(const std::vector<CutOff>& cut_offs) {
  std::vector<std::size_t> order(cut_offs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const CutOff& one = cut_offs[a];
    const CutOff& other = cut_offs[b];
    return std::tie(one.kernels, one.grain_ns, other.depth) < std::tie(other.kernels, other.grain_ns, one.depth);
  });
  return order;
}

class Trials {
 public:
  Trials(const CoarseGraphs& graphs, const SimulationOptions& options, const CutOffGrid& grid)
      : graphs_(graphs), options_(options), grid_(grid) {}

  // The graphs before, from the finest on, are steps on the way.
  Result<CutOffTrial> run(const CutOff& cut_off) {
    const bool goes_on = coarse_ && is_finer(last_, cut_off);
    auto coarse = goes_on ? coarsened(coarse_->graph, cut_off) : graphs_.below(cut_off);
    if (!coarse) return coarse.error();
    coarse_ = *std::move(coarse);
    last_ = cut_off;
    auto replays = replay(coarse_->graph);
    if (!replays) return replays.error();
    return CutOffTrial{cut_off, coarse_->tasks, coarse_->waiting, coarse_->whole, *std::move(replays)};
  }

  Result<std::vector<SimulationResult>> replay(const TaskGraph& graph) {
    ReplayGrid grid;
    grid.cores = grid_.cores;
    grid.replays = grid_.replays;
    const auto steps = static_cast<double>(grid_.cut_offs.size() + 1);
    if (grid_.progress) grid.progress = [&, steps](double done) { grid_.progress((done_ + done) / steps); };
    auto table = simulate(graph, options_, grid);
    if (!table) return table.error();
    done_ += 1;
    return std::move(table->front());
  }

 private:
  const CoarseGraphs& graphs_;
  const SimulationOptions& options_;
  const CutOffGrid& grid_;
  double done_ = 0;
  CutOff last_;
  std::optional<CoarseGraph> coarse_;
};

}  // namespace

Result<CutOffTrials> try_cut_offs(const TaskGraph& graph, const SimulationOptions& options, const CutOffGrid& grid) {
  if (!options.speedups.empty() || !options.removed.empty())
    return Error{"a cut-off does not go with kernel factors: a strand would have several kernels"};
  const auto graphs = CoarseGraphs::of(graph);
  if (!graphs) return graphs.error();
  Trials trials(*graphs, options, grid);
  auto base = trials.replay(graph);
  if (!base) return base.error();
  CutOffTrials found;
  found.as_it_is.tasks = graphs->tasks();
  found.as_it_is.replays = *std::move(base);
  found.trials.resize(grid.cut_offs.size());
  for (const std::size_t i : finest_first(grid.cut_offs)) {
    auto trial = trials.run(grid.cut_offs[i]);
    if (!trial) return trial.error();
    found.trials[i] = *std::move(trial);
  }
  return found;
}

}  // namespace foretask::analysis
