// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "base/run_jobs.hpp"
#include "foretask/analysis/makespan.hpp"
#include "simulate/make_replayer.hpp"
#include "simulate/replay_grid.hpp"
#include "simulate/sampled/duration_draws.hpp"
#include "statistics/quantile.hpp"
#include "statistics/running_variance.hpp"
#include "statistics/tails.hpp"

namespace foretask::analysis {
namespace {

double gain_over(std::int64_t base_ns, std::int64_t makespan_ns) {
  if (makespan_ns == base_ns) return 0;
  if (makespan_ns == 0) return std::numeric_limits<double>::infinity();
  return static_cast<double>(base_ns) / static_cast<double>(makespan_ns) - 1;
}

// A node's times on other worker classes follow its time on a plain core.
void draw_into(TaskGraph& drawn, const TaskGraph& graph, const simulate::DurationDraws& draws, std::uint64_t seed,
               std::uint32_t sample) {
  draws.draw(seed, sample, drawn.duration_ns);
  for (std::size_t i = 0; i < graph.class_durations.size(); ++i) {
    const ClassDuration& own = graph.class_durations[i];
    const std::int64_t recorded_ns = graph.duration_ns[own.node];
    if (recorded_ns <= 0) continue;
    const double ratio = static_cast<double>(drawn.duration_ns[own.node]) / static_cast<double>(recorded_ns);
    const double ns = static_cast<double>(own.duration_ns) * ratio;
    drawn.class_durations[i].duration_ns = ns < 9.2e18 ? std::llround(ns) : std::numeric_limits<std::int64_t>::max();
  }
}

class Sampling {
 public:
  Sampling(const TaskGraph& graph, const SimulationOptions& options, const ReplayGrid& grid)
      : graph_(graph),
        options_(options),
        grid_(grid),
        draws_(graph),
        makespans_(grid.scenarios.size() * grid.cores.size() * grid.replays) {
    options_.keep_schedule = false;
  }

  // Takes samples on one thread.
  [[nodiscard]] auto worker() {
    return [this, drawn = graph_](std::size_t sample) mutable {
      draw_into(drawn, graph_, draws_, options_.seed, static_cast<std::uint32_t>(sample));
      return replay(drawn, sample);
    };
  }

  [[nodiscard]] SampledMakespans result() const {
    SampledMakespans result{.points = {}, .tasks = draws_.tasks(), .kept = draws_.kept()};
    result.points.resize(grid_.scenarios.size());
    for (std::size_t scenario = 0; scenario < grid_.scenarios.size(); ++scenario)
      for (std::size_t cores = 0; cores < grid_.cores.size(); ++cores) {
        MakespanSample& summary = result.points[scenario].emplace_back(summary_of(makespans_of(scenario, cores)));
        add_gains(makespans_of(0, cores), makespans_of(scenario, cores), summary);
      }
    return result;
  }

 private:
  Result<void> replay(const TaskGraph& drawn, std::size_t sample) {
    for (std::size_t scenario = 0; scenario < grid_.scenarios.size(); ++scenario) {
      const auto replayer =
          simulate::make_replayer(drawn, simulate::with_scenario(options_, grid_.scenarios[scenario]));
      if (!replayer) return replayer.error();
      for (std::size_t cores = 0; cores < grid_.cores.size(); ++cores) {
        const auto replay = (*replayer)->run(grid_.cores[cores], options_.seed + sample);
        if (!replay) return replay.error();
        makespans_[place_of(scenario, cores) + sample] = replay->makespan_ns;
        const double done = static_cast<double>(++done_) / static_cast<double>(makespans_.size());
        if (grid_.progress) grid_.progress(done);
      }
    }
    return {};
  }

  [[nodiscard]] std::size_t place_of(std::size_t scenario, std::size_t cores) const noexcept {
    return (scenario * grid_.cores.size() + cores) * grid_.replays;
  }

  [[nodiscard]] std::span<const std::int64_t> makespans_of(std::size_t scenario, std::size_t cores) const noexcept {
    return std::span(makespans_).subspan(place_of(scenario, cores), grid_.replays);
  }

  static void add_gains(std::span<const std::int64_t> base, std::span<const std::int64_t> changed,
                        MakespanSample& summary) {
    std::vector<double> gains(base.size());
    for (std::size_t i = 0; i < base.size(); ++i) gains[i] = gain_over(base[i], changed[i]);
    std::sort(gains.begin(), gains.end());
    summary.gain_p05 = statistics::sorted_quantile(gains, 0.05);
    summary.gain_p50 = statistics::sorted_quantile(gains, 0.50);
    summary.gain_p95 = statistics::sorted_quantile(gains, 0.95);
  }

  static MakespanSample summary_of(std::span<const std::int64_t> makespans_ns) {
    std::vector<double> sorted(makespans_ns.begin(), makespans_ns.end());
    std::sort(sorted.begin(), sorted.end());
    statistics::RunningVariance times;
    statistics::RunningVariance logs;
    for (const double makespan : sorted) {
      times.add(makespan);
      if (sorted.front() > 0) logs.add(std::log(makespan));
    }
    MakespanSample summary{.mean_ns = times.mean(), .sd_ns = times.sd(), .log_sd = logs.sd()};
    for (std::size_t i = 0; i < kMakespanQuantiles.size(); ++i)
      summary.quantiles_ns[i] = statistics::sorted_quantile(sorted, kMakespanQuantiles[i]);
    return summary;
  }

  const TaskGraph& graph_;
  SimulationOptions options_;
  const ReplayGrid& grid_;
  const simulate::DurationDraws draws_;
  std::vector<std::int64_t> makespans_;  // by scenario, number of cores and sample
  std::atomic<std::size_t> done_ = 0;
};

// The share of what a replay leaves out of a run on `recorded` cores that it leaves out on `cores`.
double left_out_share(std::uint32_t recorded, std::uint32_t cores) noexcept {
  if (recorded <= 1 || cores == 0) return 1;
  return (1 - 1.0 / cores) / (1 - 1.0 / recorded);
}

}  // namespace

Result<SampledMakespans> sample_makespans(const TaskGraph& graph, const SimulationOptions& options,
                                          const ReplayGrid& grid) {
  if (auto possible = simulate::check_grid(options, grid); !possible) return possible.error();
  if (grid.replays == 0 || grid.replays > kMostMakespanSamples)
    return Error{.what = "the number of samples is not from 1 to " + std::to_string(kMostMakespanSamples)};
  try {
    const auto threads = simulate::samplings_with_room(graph, options, grid, simulate::threads_of(grid));
    if (!threads) return threads.error();
    Sampling all(graph, options, grid);
    if (const auto done = base::run_jobs(grid.replays, *threads, [&] { return all.worker(); }); !done)
      return done.error();
    return all.result();
  } catch (const std::bad_alloc&) {
    return Error{.what = "not enough memory for the replay"};
  }
}

std::optional<RunSpread> run_spread_of(const std::vector<std::int64_t>& measured_ns, std::int64_t replayed_ns,
                                       std::uint32_t workers) {
  if (measured_ns.size() < 2 || replayed_ns <= 0) return std::nullopt;
  statistics::RunningVariance logs;
  for (const std::int64_t ns : measured_ns) {
    if (ns <= 0) return std::nullopt;
    logs.add(std::log(static_cast<double>(ns) / static_cast<double>(replayed_ns)));
  }
  return RunSpread{.runs = static_cast<std::uint32_t>(measured_ns.size()),
                   .workers = workers,
                   .log_shift = logs.mean(),
                   .log_sd = logs.sd()};
}

std::optional<RunRange> run_range(const RunSpread& spread, std::uint32_t cores, std::int64_t replayed_ns,
                                  double drawn_log_sd, double recorded_log_sd) {
  if (spread.runs < kFewestRunsOfRange) return std::nullopt;
  const double runs = spread.runs;
  // The next run beside so many: it differs from their mean, which is uncertain itself.
  const double measured = spread.log_sd * spread.log_sd * (1 + 1 / runs);
  const double more = std::max(drawn_log_sd * drawn_log_sd - recorded_log_sd * recorded_log_sd, 0.0);
  const double half = statistics::student_t_two_sided_quantile(0.9, runs - 1) * std::sqrt(measured + more);
  const double median_ns =
      static_cast<double>(replayed_ns) * std::exp(spread.log_shift * left_out_share(spread.workers, cores));
  return RunRange{median_ns * std::exp(-half), median_ns, median_ns * std::exp(half)};
}

}  // namespace foretask::analysis
