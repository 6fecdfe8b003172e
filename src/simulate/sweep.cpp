// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/sweep.hpp"

#include <algorithm>
#include <atomic>
#include <new>
#include <thread>

#include "base/run_jobs.hpp"
#include "simulate/replay_memory.hpp"
#include "simulate/replayer.hpp"

namespace foretask::analysis {
namespace {

// Jobs a thread: one that takes long at the end then keeps the others waiting for a small part of the whole.
constexpr std::size_t kJobsPerThread = 4;

class Sweep {
 public:
  Sweep(const TaskGraph& graph, const SweepOptions& options, std::size_t threads)
      : graph_(graph),
        options_(options),
        replays_(options.cores.size() * options.replays),
        pieces_(std::clamp<std::size_t>(threads * kJobsPerThread / options.scenarios.size(), 1, replays_)),
        results_(options.scenarios.size() * replays_) {
    if (threads == 1) pieces_ = 1;
  }

  [[nodiscard]] std::size_t jobs() const noexcept { return options_.scenarios.size() * pieces_; }

  // One piece of a scenario's replays; on any thread.
  Result<void> run(std::size_t job) {
    const std::size_t scenario = job / pieces_;
    const std::size_t piece = job % pieces_;
    SimulationOptions settings = options_.settings;
    settings.keep_schedule = false;
    const Scenario& own = options_.scenarios[scenario];
    settings.speedups.insert(settings.speedups.end(), own.speedups.begin(), own.speedups.end());
    settings.removed.insert(settings.removed.end(), own.removed.begin(), own.removed.end());
    auto replayer = simulate::make_replayer(graph_, settings);
    if (!replayer) return replayer.error();
    const std::size_t end = replays_ * (piece + 1) / pieces_;
    for (std::size_t i = replays_ * piece / pieces_; i < end; ++i) {
      auto result = (*replayer)->run(options_.cores[i / options_.replays], settings.seed + i % options_.replays);
      if (!result) return result.error();
      results_[scenario * replays_ + i] = *std::move(result);
      const double done = static_cast<double>(++done_) / static_cast<double>(results_.size());
      if (options_.progress) options_.progress(done);
    }
    return {};
  }

  [[nodiscard]] std::vector<std::vector<SweepPoint>> points() {
    std::vector<std::vector<SweepPoint>> points(options_.scenarios.size());
    auto first = results_.begin();
    for (auto& row : points) {
      for (std::size_t i = 0; i < options_.cores.size(); ++i, first += options_.replays)
        row.push_back(summary_of(first, first + options_.replays));
    }
    return points;
  }

 private:
  using Results = std::vector<SimulationResult>;

  static SweepPoint summary_of(Results::iterator first, Results::iterator end) {
    std::sort(first, end, [](const auto& a, const auto& b) { return a.makespan_ns < b.makespan_ns; });
    const SimulationResult& median = first[(end - first) / 2];
    return {.makespan_ns = median.makespan_ns,
            .lowest_ns = first->makespan_ns,
            .highest_ns = std::prev(end)->makespan_ns,
            .work_ns = median.work_ns,
            .speedup = median.speedup,
            .utilization = median.utilization};
  }

  const TaskGraph& graph_;
  const SweepOptions& options_;
  std::size_t replays_;  // of one scenario
  std::size_t pieces_;   // that they are cut into
  Results results_;      // by scenario, number of cores and seed
  std::atomic<std::size_t> done_ = 0;
};

}  // namespace

Result<std::vector<std::vector<SweepPoint>>> sweep(const TaskGraph& graph, const SweepOptions& options) {
  if (options.scenarios.empty() || options.cores.empty() || options.replays == 0)
    return Error{.what = "a sweep needs a scenario, a number of cores and a replay of each"};
  const std::size_t wanted = options.threads != 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
  const auto threads = simulate::replays_with_room(graph, options.settings, wanted);
  if (!threads) return threads.error();
  try {
    Sweep all(graph, options, *threads);
    const auto done =
        base::run_jobs(all.jobs(), *threads, [&] { return [&](std::size_t job) { return all.run(job); }; });
    if (!done) return done.error();
    return all.points();
  } catch (const std::bad_alloc&) {
    return Error{.what = "not enough memory for the replay"};
  }
}

}  // namespace foretask::analysis
