// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <new>
#include <random>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/region_name.hpp"
#include "base/run_jobs.hpp"
#include "foretask/analysis/loop_schedules.hpp"
#include "graph/team_shares.hpp"
#include "simulate/cores/durations.hpp"
#include "simulate/replay_grid.hpp"
#include "simulate/teams/loop_shares.hpp"
#include "simulate/teams/phase_work.hpp"

namespace foretask::analysis {
namespace {

constexpr double kAlike = 1.01;
// Chunks that a loop deals out on a number of cores under all its schedules, from which on a sample has to do.
constexpr double kMostDealt = 2e7;
constexpr double kFewestExecutions = 8;

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

// Calls visit(phase, strand) of each strand in a loop that replays divide.
template <typename Visit>
void for_each_loop_strand(const TeamWork& team, const Visit& visit) {
  const std::uint32_t widest = graph::widest_team(team);
  for (std::uint32_t phase = 0; phase < team.phases.size(); ++phase) {
    const TeamPhase& one = team.phases[phase];
    if (!graph::is_divided(one, widest)) continue;
    for (const TeamStrand& strand : graph::strands_of(team, one))
      if (strand.loop != kNoLoop && !team.loops[strand.loop].is_taskloop) visit(phase, strand);
  }
}

double chunks_of(const TriedSchedule& tried, double iterations, double threads) {
  const double chunk = std::max(1.0, static_cast<double>(tried.chunk));
  if (tried.schedule == LoopSchedule::kStatic) return threads;
  if (tried.schedule != LoopSchedule::kGuided) return std::ceil(iterations / chunk);
  double chunks = 0;
  for (double left = iterations; left > 0; ++chunks) left -= std::max(chunk, std::floor(left / (2 * threads)));
  return chunks;
}

// Simple ones first.
std::vector<TriedSchedule> schedules_to_try(std::uint64_t most_iterations, std::uint32_t cores) {
  const auto iterations = static_cast<double>(std::max<std::uint64_t>(1, most_iterations));
  std::vector<TriedSchedule> tried{{LoopSchedule::kStatic, 0}};
  const double largest = std::max(1.0, iterations / cores);
  for (double chunk = 1; chunk <= largest; chunk *= 2) {
    if (iterations / chunk > simulate::kMostDealtChunks) continue;
    for (const LoopSchedule schedule : {LoopSchedule::kStaticChunked, LoopSchedule::kDynamic, LoopSchedule::kGuided})
      tried.push_back({schedule, static_cast<std::uint64_t>(chunk)});
  }
  const auto effort = [&](const TriedSchedule& one) {
    const int kind = one.schedule == LoopSchedule::kStatic ? 0 : one.schedule == LoopSchedule::kStaticChunked ? 1 : 2;
    return std::pair(kind, chunks_of(one, iterations, cores));
  };
  std::stable_sort(tried.begin(), tried.end(), [&](const auto& a, const auto& b) { return effort(a) < effort(b); });
  return tried;
}

class Trials {
 public:
  // `costs`: null where nothing costs anything.
  Trials(const TaskGraph& graph, std::span<const std::int64_t> duration_ns, const std::vector<DivisibleLoop>& loops,
         const SchedulingCosts* costs)
      : graph_(graph), duration_ns_(duration_ns), loops_(loops), costs_(costs), phases_(loops.size()) {
    std::vector<std::size_t> loop_of_kernel(graph.kernel_names.size(), kNone);
    for (std::size_t i = 0; i < loops.size(); ++i)
      for (const std::uint32_t kernel : loops[i].kernels) loop_of_kernel[kernel] = i;
    for_each_loop_strand(graph.team, [&](std::uint32_t phase, const TeamStrand& strand) {
      const std::size_t loop = loop_of_kernel[graph.team.loops[strand.loop].kernel];
      if (loop != kNone && (phases_[loop].empty() || phases_[loop].back() != phase)) phases_[loop].push_back(phase);
    });
  }

  [[nodiscard]] ScheduleTrial run(std::size_t number, std::uint32_t cores) const {
    const DivisibleLoop& loop = loops_[number];
    ScheduleTrial trial{.tried = schedules_to_try(loop.iterations, cores)};
    const std::vector<std::uint32_t> phases = sample_of(number, trial.tried.size(), cores);
    std::vector<double> busiest_ns(trial.tried.size() + 1);  // the last: as it is
    std::vector<std::vector<LoopChange>> changes(busiest_ns.size());
    for (std::size_t i = 0; i < trial.tried.size(); ++i)
      for (const std::uint32_t kernel : loop.kernels)
        changes[i].push_back({kernel, trial.tried[i].schedule, trial.tried[i].chunk});
    std::vector<double> busy_ns;
    Seen seen;
    for (const std::uint32_t phase : phases) {
      const simulate::PhaseWork work(graph_, duration_ns_, graph_.team.phases[phase], cores, costs_);
      for (std::size_t i = 0; i < busiest_ns.size(); ++i) {
        busy_ns = work.rest_ns();
        for (const simulate::PhaseWork::Loop& one : work.loops()) deal_loop(one, changes[i], busy_ns);
        busiest_ns[i] += *std::max_element(busy_ns.begin(), busy_ns.end());
      }
      add_pieces(loop, graph_.team.phases[phase], cores, seen);
    }
    const double scale =
        static_cast<double>(phases_[number].size()) / static_cast<double>(std::max<std::size_t>(1, phases.size()));
    for (std::size_t i = 0; i < trial.tried.size(); ++i) trial.tried[i].loop_ns = std::llround(scale * busiest_ns[i]);
    trial.loop_ns = std::llround(scale * busiest_ns.back());
    trial.unseen = seen.ns > 0 ? seen.unseen_ns / seen.ns : 0;
    trial.best = best_of(trial.tried);
    return trial;
  }

 private:
  struct Seen {
    double ns = 0;
    double unseen_ns = 0;
  };

  [[nodiscard]] std::vector<std::uint32_t> sample_of(std::size_t number, std::size_t tried, std::uint32_t cores) const {
    const std::vector<std::uint32_t>& phases = phases_[number];
    const double iterations = std::min(simulate::kMostDealtChunks, static_cast<double>(loops_[number].iterations));
    // The chunks of a geometric series are twice its first; there are two.
    const double dealt = 4 * iterations + static_cast<double>(tried) * cores;
    const double most = std::max(kFewestExecutions, kMostDealt / dealt);
    if (static_cast<double>(phases.size()) <= most) return phases;
    std::vector<std::uint32_t> sample;
    std::sample(phases.begin(), phases.end(), std::back_inserter(sample), static_cast<std::ptrdiff_t>(most),
                std::mt19937_64(1));
    return sample;
  }

  // How much of the loop's time in the phase the recording shows in long pieces only.
  void add_pieces(const DivisibleLoop& of, const TeamPhase& phase, std::uint32_t cores, Seen& seen) const {
    const TeamWork& team = graph_.team;
    for (const TeamStrand& strand : graph::strands_of(team, phase)) {
      if (strand.loop == kNoLoop) continue;
      const TeamLoop& loop = team.loops[strand.loop];
      if (std::find(of.kernels.begin(), of.kernels.end(), loop.kernel) == of.kernels.end()) continue;
      const double longest = std::max(1.0, static_cast<double>(loop.iterations) / (4.0 * cores));
      double weight = 0;
      double unseen = 0;
      for (const LoopPiece& piece : graph::pieces_of(team, loop, strand.thread)) {
        weight += piece.weight;
        if (static_cast<double>(piece.last - piece.first + 1) > longest) unseen += piece.weight;
      }
      const auto ns = static_cast<double>(std::max<std::int64_t>(0, duration_ns_[strand.node]));
      seen.ns += ns;
      seen.unseen_ns += weight > 0 ? ns * unseen / weight : ns;
    }
  }

  static std::size_t best_of(const std::vector<TriedSchedule>& tried) {
    const std::int64_t fastest = std::ranges::min_element(tried, {}, &TriedSchedule::loop_ns)->loop_ns;
    const auto enough = std::find_if(tried.begin(), tried.end(), [fastest](const TriedSchedule& one) {
      return static_cast<double>(one.loop_ns) <= kAlike * static_cast<double>(fastest);
    });
    return static_cast<std::size_t>(enough - tried.begin());
  }

  const TaskGraph& graph_;
  std::span<const std::int64_t> duration_ns_;
  const std::vector<DivisibleLoop>& loops_;
  const SchedulingCosts* costs_;
  std::vector<std::vector<std::uint32_t>> phases_;  // of each loop
};

}  // namespace

std::vector<DivisibleLoop> divisible_loops(const TaskGraph& graph) {
  std::vector<DivisibleLoop> loops;
  std::vector<const TeamLoop*> first;  // of each
  std::map<std::string_view, std::size_t> by_name;
  std::vector<std::size_t> loop_of_kernel(graph.kernel_names.size(), kNone);
  for_each_loop_strand(graph.team, [&](std::uint32_t, const TeamStrand& strand) {
    const TeamLoop& recorded = graph.team.loops[strand.loop];
    const std::string_view name = graph.kernel_names[recorded.kernel];
    if (name.ends_with(base::kSectionsSuffix)) return;
    std::size_t& number = loop_of_kernel[recorded.kernel];
    if (number == kNone) {
      const auto [place, is_new] = by_name.try_emplace(name, loops.size());
      number = place->second;
      if (is_new) {
        loops.push_back({.schedule = schedule_name(recorded)});
        first.push_back(&recorded);
      }
      loops[number].kernels.push_back(recorded.kernel);
    }
    DivisibleLoop& loop = loops[number];
    const auto schedule = [](const TeamLoop& one) {
      return std::tuple(one.schedule, one.chunk, one.is_schedule_known);
    };
    if (schedule(*first[number]) != schedule(recorded)) loop.schedule = "several";
    loop.work_ns += std::max<std::int64_t>(0, graph.duration_ns[strand.node]);
    loop.hand_out_ns += strand.hand_out_ns;
    loop.iterations = std::max(loop.iterations, recorded.iterations);
  });
  std::stable_sort(loops.begin(), loops.end(), [](const auto& a, const auto& b) { return a.work_ns > b.work_ns; });
  return loops;
}

Result<std::vector<std::vector<ScheduleTrial>>> try_schedules(const TaskGraph& graph, const SimulationOptions& options,
                                                              const std::vector<DivisibleLoop>& loops,
                                                              const std::vector<std::uint32_t>& cores,
                                                              const std::function<void(double)>& progress) {
  ReplayGrid grid;
  grid.cores = cores;
  if (auto possible = simulate::check_grid(options, grid); !possible) return possible.error();
  try {
    const auto durations = simulate::durations_in_force(graph, options);
    if (!durations) return durations.error();
    const Trials trials(graph, durations->ns, loops, simulate::costs_of_chunks(options));
    std::vector<std::vector<ScheduleTrial>> result(loops.size(), std::vector<ScheduleTrial>(cores.size()));
    const std::size_t jobs = loops.size() * cores.size();
    std::atomic<std::size_t> done = 0;
    const auto ran = base::run_jobs(jobs, simulate::threads_of(grid), [&] {
      return [&](std::size_t job) -> Result<void> {
        result[job / cores.size()][job % cores.size()] = trials.run(job / cores.size(), cores[job % cores.size()]);
        if (progress) progress(static_cast<double>(++done) / static_cast<double>(jobs));
        return {};
      };
    });
    if (!ran) return ran.error();
    return result;
  } catch (const std::bad_alloc&) {
    return Error{.what = "not enough memory for the loops' schedules"};
  }
}

}  // namespace foretask::analysis
