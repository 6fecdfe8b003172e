// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/run_jobs.hpp"
#include "foretask/analysis/makespan.hpp"
#include "simulate/replay_memory.hpp"
#include "simulate/replayer.hpp"
#include "simulate/sampled/between_runs.hpp"
#include "simulate/sampled/duration_draws.hpp"
#include "simulate/sampled/replay_error.hpp"
#include "statistics/quantile.hpp"
#include "statistics/running_variance.hpp"

namespace foretask::analysis {
namespace {

double gain_over(std::int64_t base_ns, std::int64_t makespan_ns) {
  if (makespan_ns == base_ns) return 0;
  if (makespan_ns == 0) return std::numeric_limits<double>::infinity();
  return static_cast<double>(base_ns) / static_cast<double>(makespan_ns) - 1;
}

// On a platform times are the graph's own, so that a thread has a graph of its own; a node's times on other classes
// follow its time on a plain core.
class DrawnGraph {
 public:
  explicit DrawnGraph(const TaskGraph& graph) : original_(graph), drawn_(graph) {}

  const TaskGraph& with(std::span<const std::int64_t> duration_ns) {
    std::copy(duration_ns.begin(), duration_ns.end(), drawn_.duration_ns.begin());
    for (std::size_t i = 0; i < drawn_.class_durations.size(); ++i) {
      const ClassDuration& own = original_.class_durations[i];
      const std::int64_t recorded_ns = original_.duration_ns[own.node];
      if (recorded_ns <= 0) continue;
      const double ratio = static_cast<double>(duration_ns[own.node]) / static_cast<double>(recorded_ns);
      const double ns = static_cast<double>(own.duration_ns) * ratio;
      drawn_.class_durations[i].duration_ns = ns < 9.2e18 ? std::llround(ns) : std::numeric_limits<std::int64_t>::max();
    }
    return drawn_;
  }

 private:
  const TaskGraph& original_;
  TaskGraph drawn_;
};

class Sampling {
 public:
  Sampling(const TaskGraph& graph, const MakespanOptions& options)
      : graph_(graph),
        options_(options),
        draws_(graph, options.one_run || options.between_runs ? simulate::DurationDraws::Of::kOneRun
                                                              : simulate::DurationDraws::Of::kNextRun),
        makespans_(options.scenarios.size() * options.cores.size() * options.samples) {
    for (const Scenario& own : options.scenarios) {
      SimulationOptions& settings = settings_.emplace_back(options.settings);
      settings.keep_schedule = false;
      settings.speedups.insert(settings.speedups.end(), own.speedups.begin(), own.speedups.end());
      settings.removed.insert(settings.removed.end(), own.removed.begin(), own.removed.end());
    }
  }

  // Takes samples on one thread.
  [[nodiscard]] auto worker() {
    std::optional<DrawnGraph> drawn;
    if (!simulate::is_on_identical_cores(options_.settings)) drawn.emplace(graph_);
    return [this, drawn = std::move(drawn), duration_ns = std::vector<std::int64_t>(graph_.size())](
               std::size_t sample) mutable { return run(static_cast<std::uint32_t>(sample), duration_ns, drawn); };
  }

  [[nodiscard]] SampledMakespans result() const {
    SampledMakespans result{
        .points = {},
        .tasks = draws_.tasks(),
        .residual = draws_.residual(),
        .kept = draws_.kept(),
        .run_spread = options_.between_runs ? simulate::beside_drawn_times(*options_.between_runs) : 0,
        .run_over_replay = std::exp(options_.between_runs   ? options_.between_runs->log_shift
                                    : options_.replay_error ? options_.replay_error->log_ratio
                                                            : 0.0)};
    std::optional<simulate::BetweenRuns> between_runs;
    if (options_.between_runs) between_runs.emplace(*options_.between_runs, options_.settings.seed, options_.samples);
    result.points.resize(options_.scenarios.size());
    for (std::size_t scenario = 0; scenario < options_.scenarios.size(); ++scenario)
      for (std::size_t cores = 0; cores < options_.cores.size(); ++cores) {
        const auto replayed = replays_of(scenario, cores);
        std::vector<double> makespans(replayed.begin(), replayed.end());
        if (between_runs) {
          between_runs->spread(makespans, options_.cores[cores]);
        } else if (options_.replay_error) {
          simulate::add_left_out(*options_.replay_error, options_.cores[cores], options_.settings.seed, makespans);
        }
        MakespanSample& summary = result.points[scenario].emplace_back(summary_of(std::move(makespans)));
        add_gains(replays_of(0, cores), replayed, summary);
      }
    return result;
  }

 private:
  Result<void> run(std::uint32_t sample, std::vector<std::int64_t>& duration_ns, std::optional<DrawnGraph>& drawn) {
    draws_.draw(options_.settings.seed, sample, duration_ns);
    for (std::size_t scenario = 0; scenario < settings_.size(); ++scenario) {
      auto replayer = drawn ? simulate::make_replayer(drawn->with(duration_ns), settings_[scenario])
                            : simulate::make_replayer(graph_, settings_[scenario], duration_ns);
      if (!replayer) return replayer.error();
      for (std::size_t cores = 0; cores < options_.cores.size(); ++cores) {
        auto replay = (*replayer)->run(options_.cores[cores], options_.settings.seed + sample);
        if (!replay) return replay.error();
        makespans_[place_of(scenario, cores) + sample] = replay->makespan_ns;
        const double done = static_cast<double>(++done_) / static_cast<double>(makespans_.size());
        if (options_.progress) options_.progress(done);
      }
    }
    return {};
  }

  [[nodiscard]] std::size_t place_of(std::size_t scenario, std::size_t cores) const noexcept {
    return (scenario * options_.cores.size() + cores) * options_.samples;
  }

  [[nodiscard]] std::span<const std::int64_t> replays_of(std::size_t scenario, std::size_t cores) const noexcept {
    return std::span(makespans_).subspan(place_of(scenario, cores), options_.samples);
  }

  // What replays leave out is the same before and after.
  static void add_gains(std::span<const std::int64_t> base, std::span<const std::int64_t> changed,
                        MakespanSample& summary) {
    std::vector<double> gains(base.size());
    for (std::size_t i = 0; i < base.size(); ++i) gains[i] = gain_over(base[i], changed[i]);
    std::sort(gains.begin(), gains.end());
    summary.gain_p05 = statistics::sorted_quantile(gains, 0.05);
    summary.gain_p50 = statistics::sorted_quantile(gains, 0.50);
    summary.gain_p95 = statistics::sorted_quantile(gains, 0.95);
  }

  static MakespanSample summary_of(std::vector<double> makespans) {
    statistics::RunningVariance times;
    statistics::RunningVariance logs;
    for (const double makespan : makespans) {
      times.add(makespan);
      logs.add(std::log(makespan));
    }
    MakespanSample summary{.mean_ns = times.mean(), .sd_ns = times.sd()};
    std::sort(makespans.begin(), makespans.end());
    for (std::size_t i = 0; i < kMakespanQuantiles.size(); ++i)
      summary.quantiles_ns[i] = statistics::sorted_quantile(makespans, kMakespanQuantiles[i]);
    if (makespans.front() > 0) {
      summary.log_mean_ns = std::exp(logs.mean());
      summary.log_sd = logs.sd();
    }
    return summary;
  }

  const TaskGraph& graph_;
  const MakespanOptions& options_;
  const simulate::DurationDraws draws_;
  std::vector<SimulationOptions> settings_;  // one a scenario
  std::vector<std::int64_t> makespans_;      // by scenario, number of cores and sample
  std::atomic<std::size_t> done_ = 0;
};

Result<SampledMakespans> sample_all(const TaskGraph& graph, const MakespanOptions& options, std::size_t threads) {
  Sampling all(graph, options);
  if (const auto done = base::run_jobs(options.samples, threads, [&] { return all.worker(); }); !done)
    return done.error();
  return all.result();
}

}  // namespace

Result<SampledMakespans> sample_makespans(const TaskGraph& graph, const MakespanOptions& options) {
  if (options.scenarios.empty() || options.cores.empty())
    return Error{.what = "sampled makespans need a scenario and a number of cores"};
  if (options.samples == 0 || options.samples > kMostMakespanSamples)
    return Error{.what = "the number of samples is not from 1 to " + std::to_string(kMostMakespanSamples)};
  if (options.between_runs && options.between_runs->runs < 2)
    return Error{.what = "a spread between runs needs two of them"};
  if ((options.replay_error && options.replay_error->workers == 0) ||
      (options.between_runs && options.between_runs->workers == 0))
    return Error{.what = "measured runs have a worker at least"};
  const std::size_t wanted = options.threads != 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
  try {
    const std::uint64_t makespans = options.scenarios.size() * options.cores.size() * options.samples;
    const auto threads = simulate::samplings_with_room(graph, options.settings, makespans, wanted);
    if (!threads) return threads.error();
    return sample_all(graph, options, *threads);
  } catch (const std::bad_alloc&) {
    return Error{.what = "not enough memory for the replay"};
  }
}

}  // namespace foretask::analysis
