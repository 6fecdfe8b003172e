// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/simulate.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <new>
#include <utility>

#include "base/run_jobs.hpp"
#include "simulate/make_replayer.hpp"
#include "simulate/replay_grid.hpp"

namespace foretask::analysis {
namespace {

// Jobs a thread: one that takes long at the end then keeps the others waiting for a small part of the whole.
constexpr std::size_t kJobsPerThread = 4;

// A single replay of a few hundred tasks may be some percent off the middle of many.
std::size_t replays_of(const TaskGraph& graph, const SimulationOptions& options, std::uint32_t wanted) {
  constexpr std::size_t kMost = 15;
  constexpr std::size_t kNodes = 3'000'000;  // about a second's work
  if (wanted != 0) return wanted;
  if (options.policy != Policy::kWorkStealing) return 1;
  return std::clamp<std::size_t>(kNodes / std::max<std::size_t>(graph.size(), 1), 1, kMost) | 1U;
}

class Replays {
 public:
  Replays(const TaskGraph& graph, const SimulationOptions& options, const ReplayGrid& grid)
      : graph_(graph),
        options_(options),
        grid_(grid),
        each_(replays_of(graph, options, grid.replays)),
        results_(grid.scenarios.size() * grid.cores.size() * each_) {}

  [[nodiscard]] std::size_t count() const noexcept { return results_.size(); }

  Result<void> run(std::size_t threads) {
    const std::size_t of_scenario = grid_.cores.size() * each_;
    if (threads > 1)
      pieces_ = std::clamp<std::size_t>(threads * kJobsPerThread / grid_.scenarios.size(), 1, of_scenario);
    return base::run_jobs(grid_.scenarios.size() * pieces_, threads,
                          [this] { return [this](std::size_t job) { return run_piece(job); }; });
  }

  [[nodiscard]] std::vector<std::vector<SimulationResult>> table() {
    std::vector<std::vector<SimulationResult>> table(grid_.scenarios.size());
    auto first = results_.begin();
    for (auto& row : table) {
      for (std::size_t i = 0; i < grid_.cores.size(); ++i, first += static_cast<std::ptrdiff_t>(each_))
        row.push_back(median_of(first, first + static_cast<std::ptrdiff_t>(each_)));
    }
    return table;
  }

 private:
  using Results = std::vector<SimulationResult>;

  // One piece of a scenario's replays; on any thread.
  Result<void> run_piece(std::size_t job) {
    const std::size_t scenario = job / pieces_;
    const std::size_t piece = job % pieces_;
    const std::size_t of_scenario = grid_.cores.size() * each_;
    const auto replayer = simulate::make_replayer(graph_, simulate::with_scenario(options_, grid_.scenarios[scenario]));
    if (!replayer) return replayer.error();
    const std::size_t end = of_scenario * (piece + 1) / pieces_;
    bool is_random = true;
    for (std::size_t i = of_scenario * piece / pieces_; i < end; ++i) {
      if (i % each_ == 0) is_random = true;
      if (is_random) {
        auto result = (*replayer)->run(grid_.cores[i / each_], options_.seed + i % each_);
        if (!result) return result.error();
        is_random = result->is_random;
        results_[scenario * of_scenario + i] = *std::move(result);
      }
      const double done = static_cast<double>(++done_) / static_cast<double>(results_.size());
      if (grid_.progress) grid_.progress(done);
    }
    return {};
  }

  // Where the first seed's is not random the others' are the same, and may be missing.
  [[nodiscard]] static SimulationResult median_of(Results::iterator first, Results::iterator end) {
    if (!first->is_random) end = first + 1;
    std::ranges::sort(first, end, {}, &SimulationResult::makespan_ns);
    const std::int64_t lowest_ns = first->makespan_ns;
    const std::int64_t highest_ns = std::prev(end)->makespan_ns;
    SimulationResult median = std::move(first[(end - first) / 2]);
    median.replays = static_cast<std::uint32_t>(end - first);
    median.lowest_ns = lowest_ns;
    median.highest_ns = highest_ns;
    return median;
  }

  const TaskGraph& graph_;
  const SimulationOptions& options_;
  const ReplayGrid& grid_;
  std::size_t each_;        // replays of one scenario on one number of cores
  std::size_t pieces_ = 1;  // that a scenario's replays are cut into
  Results results_;         // by scenario, number of cores and seed
  std::atomic<std::size_t> done_ = 0;
};

// In the order of Policy.
constexpr std::array<std::string_view, 7> kNames{"fifo",     "ready-fifo",    "lifo", "critical-path",
                                                 "priority", "work-stealing", "heft"};

}  // namespace

Result<std::vector<std::vector<SimulationResult>>> simulate(const TaskGraph& graph, const SimulationOptions& options,
                                                            const ReplayGrid& grid) {
  if (auto possible = simulate::check_grid(options, grid); !possible) return possible.error();
  try {
    Replays replays(graph, options, grid);
    const auto threads = simulate::replays_with_room(
        graph, options, grid, std::min<std::size_t>(simulate::threads_of(grid), replays.count()));
    if (!threads) return threads.error();
    if (auto done = replays.run(*threads); !done) return done.error();
    return replays.table();
  } catch (const std::bad_alloc&) {
    return Error{.what = "not enough memory for the replay"};
  }
}

Result<SimulationResult> simulate(const TaskGraph& graph, const SimulationOptions& options) {
  ReplayGrid one;
  one.cores = {options.cores};
  one.replays = 1;
  auto table = simulate(graph, options, one);
  if (!table) return table.error();
  return std::move(table->front().front());
}

std::string_view policy_name(Policy policy) {
  const auto index = static_cast<std::size_t>(policy);
  return index < kNames.size() ? kNames[index] : "unknown";
}

std::optional<Policy> policy_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (name == kNames[i]) return static_cast<Policy>(i);
  }
  return std::nullopt;
}

}  // namespace foretask::analysis
