// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "foretask/analysis/makespan.hpp"
#include "simulate/between_runs.hpp"
#include "simulate/duration_draws.hpp"
#include "simulate/replay_memory.hpp"
#include "simulate/replayer.hpp"

namespace foretask::analysis {
namespace {

double quantile(const std::vector<double>& sorted, double p) {
  const double place = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const auto above = std::min(below + 1, sorted.size() - 1);
  if (sorted[below] == sorted[above]) return sorted[below];  // infinite ones, too
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double gain_over(double base_ns, double makespan_ns) {
  if (makespan_ns == base_ns) return 0;
  if (makespan_ns == 0) return std::numeric_limits<double>::infinity();
  return base_ns / makespan_ns - 1;
}

// Mean and the root of the squares' mean with n - 1, of numbers one after another.
class Spread {
 public:
  void add(double value) {
    const double distance = value - mean_;
    mean_ += distance / ++count_;
    squares_ += distance * (value - mean_);
  }
  [[nodiscard]] double mean() const { return mean_; }
  [[nodiscard]] double sd() const { return count_ > 1 ? std::sqrt(squares_ / (count_ - 1)) : 0; }

 private:
  double count_ = 0;
  double mean_ = 0;
  double squares_ = 0;
};

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

  // Any thread: takes samples until there is none left.
  void work() noexcept {
    try {
      std::vector<std::int64_t> duration_ns(graph_.size());
      std::optional<DrawnGraph> drawn;
      if (!simulate::is_on_identical_cores(options_.settings)) drawn.emplace(graph_);
      for (std::uint32_t sample = next_++; sample < options_.samples; sample = next_++) {
        if (auto done = run(sample, duration_ns, drawn); !done) {
          fail(done.error());
          return;
        }
      }
    } catch (const std::bad_alloc&) {
      fail(Error{.what = "not enough memory for the replay"});
    }
  }

  [[nodiscard]] const std::optional<Error>& failure() const noexcept { return failure_; }

  [[nodiscard]] SampledMakespans result() const {
    SampledMakespans result{.points = {},
                            .tasks = draws_.tasks(),
                            .residual = draws_.residual(),
                            .kept = draws_.kept(),
                            .run_spread = options_.between_runs ? simulate::beside_drawn_times(*options_.between_runs)
                                                                : draws_.run_spread()};
    std::optional<simulate::BetweenRuns> between_runs;
    if (options_.between_runs) between_runs.emplace(*options_.between_runs, options_.settings.seed, options_.samples);
    const auto makespans_of = [&](std::size_t scenario, std::size_t cores) {
      const auto place = makespans_.begin() + static_cast<std::ptrdiff_t>(place_of(scenario, cores));
      std::vector<double> makespans(place, place + options_.samples);
      if (between_runs) between_runs->spread(makespans);
      return makespans;
    };
    result.points.resize(options_.scenarios.size());
    for (std::size_t scenario = 0; scenario < options_.scenarios.size(); ++scenario)
      for (std::size_t cores = 0; cores < options_.cores.size(); ++cores)
        result.points[scenario].push_back(summary_of(makespans_of(scenario, cores), makespans_of(0, cores)));
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

  void fail(const Error& error) {
    const std::lock_guard lock(failure_mutex_);
    failure_ = error;
    next_ = options_.samples;
  }

  [[nodiscard]] std::size_t place_of(std::size_t scenario, std::size_t cores) const noexcept {
    return (scenario * options_.cores.size() + cores) * options_.samples;
  }

  static MakespanSample summary_of(const std::vector<double>& makespans, const std::vector<double>& base) {
    Spread times;
    Spread logs;
    for (const double makespan : makespans) {
      times.add(makespan);
      logs.add(std::log(makespan));
    }
    MakespanSample summary{.mean_ns = times.mean(), .sd_ns = times.sd()};
    std::vector<double> values = makespans;
    std::sort(values.begin(), values.end());
    for (std::size_t i = 0; i < kMakespanQuantiles.size(); ++i)
      summary.quantiles_ns[i] = quantile(values, kMakespanQuantiles[i]);
    if (values.front() > 0) {
      summary.log_mean_ns = std::exp(logs.mean());
      summary.log_sd = logs.sd();
    }
    for (std::size_t i = 0; i < makespans.size(); ++i) values[i] = gain_over(base[i], makespans[i]);
    std::sort(values.begin(), values.end());
    summary.gain_p05 = quantile(values, 0.05);
    summary.gain_p50 = quantile(values, 0.50);
    summary.gain_p95 = quantile(values, 0.95);
    return summary;
  }

  const TaskGraph& graph_;
  const MakespanOptions& options_;
  const simulate::DurationDraws draws_;
  std::vector<SimulationOptions> settings_;  // one a scenario
  std::vector<std::int64_t> makespans_;      // by scenario, number of cores and sample
  std::atomic<std::uint32_t> next_ = 0;
  std::atomic<std::size_t> done_ = 0;
  std::mutex failure_mutex_;
  std::optional<Error> failure_;
};

Result<SampledMakespans> sample_all(const TaskGraph& graph, const MakespanOptions& options, std::size_t threads) {
  Sampling all(graph, options);
  {
    std::vector<std::jthread> helpers;
    try {
      for (std::size_t i = 1; i < std::min<std::size_t>(threads, options.samples); ++i)
        helpers.emplace_back([&all] { all.work(); });
    } catch (const std::system_error&) {
      // Fewer threads than processors do it as well.
    }
    all.work();
  }
  if (all.failure()) return *all.failure();
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
  const std::size_t wanted = options.threads != 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
  try {
    const auto threads = simulate::samplings_with_room(graph, options.settings, wanted);
    if (!threads) return threads.error();
    return sample_all(graph, options, *threads);
  } catch (const std::bad_alloc&) {
    return Error{.what = "not enough memory for the replay"};
  }
}

}  // namespace foretask::analysis
