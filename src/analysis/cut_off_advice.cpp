// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/cut_off_advice.hpp"

#include <cmath>
#include <new>
#include <utility>
#include <vector>

#include "base/run_jobs.hpp"
#include "foretask/analysis/coarse_graph.hpp"

namespace foretask::analysis {
namespace {

constexpr double kWorthIt = 1.1;
// Larger tasks cost a runtime little, measured by their work.
constexpr double kSmallTaskNs = 50'000;
// Finer grains save less than a task costs.
constexpr std::int64_t kFinestNs = 5'000;
// Of the workers' time: beyond it a run is what locks, other programs or searches made of it.
constexpr double kMuchBlocked = 0.5;
constexpr double kMuchHeldUp = 0.1;
// How far a replay may be off the run, either way, for its gain to be believed.
constexpr double kFaithful = 1.25;
// As good as the best.
constexpr double kNear = 1.05;

double as_double(std::int64_t ns) { return static_cast<double>(ns); }

bool can_say(const Report& report) {
  const double worker_ns = report.workers * as_double(report.elapsed_ns);
  return report.costs.rules.is_openmp && report.has_ended && report.unfinished_tasks == 0 &&
         report.dropped_events == 0 && report.speculative.empty() &&
         as_double(report.blocked_ns) < kMuchBlocked * worker_ns &&
         as_double(report.held_up_ns) < kMuchHeldUp * report.workers * as_double(report.recorded_elapsed_ns);
}

// Whether the run could be so much faster at all, and its tasks are such as cost much.
bool may_gain(const Report& report) {
  return report.tasks != 0 && as_double(report.work_ns) < kSmallTaskNs * static_cast<double>(report.tasks) &&
         as_double(report.elapsed_ns) * report.workers >= kWorthIt * as_double(report.work_ns);
}

struct Trial {
  CutOff cut_off;
  std::uint64_t tasks = 0;
  std::int64_t makespan_ns = 0;
};

// Replays of the run with calls below a cut-off, on its own number of workers. No error counts: what cannot be replayed
// is no advice.
class Trials {
 public:
  Trials(const TaskGraph& graph, const CoarseGraphs& graphs, const SimulationOptions& options)
      : graph_(graph), graphs_(graphs), options_(options) {}

  // The fastest grain, and a depth that is as good.
  std::optional<std::pair<Trial, std::optional<std::uint32_t>>> best() {
    const std::optional<Trial> grain = best_grain();
    if (!grain) return std::nullopt;
    return std::pair(*grain, depth_like(*grain));
  }

 private:
  std::optional<Trial> best_grain() {
    std::optional<Trial> best;
    std::optional<CoarseGraph> coarse;
    for (const CutOff& grain : graphs_.grains_to_try()) {
      if (grain.grain_ns < kFinestNs) continue;
      const std::optional<Trial> trial = run(grain, coarse);
      if (!trial) return std::nullopt;
      if (!best || trial->makespan_ns < best->makespan_ns) best = trial;
    }
    return best;
  }

  // Of the depths that leave about as many tasks the fastest, if it is as good.
  std::optional<std::uint32_t> depth_like(const Trial& grain) {
    const std::uint32_t middle = depth_leaving(grain.tasks);
    std::optional<std::uint32_t> chosen;
    double limit_ns = kNear * as_double(grain.makespan_ns);
    std::optional<CoarseGraph> coarse;
    for (const std::uint32_t depth : {middle + 1, middle, middle - 1}) {
      const std::optional<Trial> trial = run({.depth = depth, .kernels = {}}, coarse);
      if (!trial || as_double(trial->makespan_ns) > limit_ns) continue;
      chosen = depth;
      limit_ns = as_double(trial->makespan_ns);
    }
    return chosen;
  }

  // The first depth down to which there are so many tasks.
  [[nodiscard]] std::uint32_t depth_leaving(std::uint64_t tasks) const {
    std::vector<std::uint32_t> depth(graph_.parent_of_task.size(), 0);
    std::vector<std::uint64_t> count{0};  // of tasks by depth
    for (std::size_t task = 0; task < depth.size(); ++task) {
      const std::uint32_t parent = graph_.parent_of_task[task];
      if (parent == kNoNode) continue;
      depth[task] = depth[parent] + 1;
      if (count.size() <= depth[task]) count.resize(depth[task] + std::size_t{1}, 0);
      ++count[depth[task]];
    }
    std::uint32_t deepest = 1;
    for (std::uint64_t left = 0; deepest < count.size() && (left += count[deepest]) < tasks;) ++deepest;
    return deepest;
  }

  // `finer`: of the cut-off before, which was a finer one, or none. It gets this one's.
  std::optional<Trial> run(const CutOff& cut_off, std::optional<CoarseGraph>& finer) {
    auto coarse = finer ? coarsened(finer->graph, cut_off) : graphs_.below(cut_off);
    if (!coarse) return std::nullopt;
    finer = *std::move(coarse);
    const auto replay = simulate(finer->graph, options_);
    if (!replay) return std::nullopt;
    return Trial{cut_off, finer->tasks, replay->makespan_ns};
  }

  const TaskGraph& graph_;
  const CoarseGraphs& graphs_;
  const SimulationOptions& options_;
};

std::optional<CutOffAdvice> advise(const TaskGraph& graph, const Report& report) {
  SimulationOptions options{.cores = report.workers, .policy = Policy::kWorkStealing};
  options.costs = report.costs;
  double base_ns = 0;  // of the run as it is
  std::optional<std::pair<Trial, std::optional<std::uint32_t>>> best;
  constexpr std::size_t kJobs = 2;
  const auto done = base::run_jobs(kJobs, kJobs, [&] {
    return [&](std::size_t job) -> Result<void> {
      if (job == 1) {
        const auto graphs = CoarseGraphs::of(graph);
        if (graphs) best = Trials(graph, *graphs, options).best();
        return {};
      }
      const auto replay = simulate(graph, options);
      if (!replay) return replay.error();
      base_ns = as_double(replay->makespan_ns);
      return {};
    };
  });
  if (!done || !best) return std::nullopt;
  const auto& [grain, depth] = *best;
  const double ratio = base_ns / as_double(report.elapsed_ns);
  const double predicted_ns = as_double(grain.makespan_ns) / ratio;
  const TimeRange unrecorded = unrecorded_time(report);
  if (ratio > kFaithful || ratio < 1 / kFaithful || as_double(unrecorded.lowest_ns) < kWorthIt * predicted_ns)
    return std::nullopt;
  return CutOffAdvice{.grain_ns = grain.cut_off.grain_ns,
                      .depth = depth,
                      .workers = report.workers,
                      .tasks = grain.tasks,
                      .unrecorded = unrecorded,
                      .predicted_ns = std::llround(predicted_ns)};
}

}  // namespace

std::optional<CutOffAdvice> advise_cut_off(const Run& run) {
  if (!can_say(run.report()) || !may_gain(run.report())) return std::nullopt;
  try {
    return advise(run.graph(), run.report());
  } catch (const std::bad_alloc&) {
    return std::nullopt;
  }
}

}  // namespace foretask::analysis
