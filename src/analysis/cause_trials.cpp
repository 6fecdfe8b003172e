// SPDX-License-Identifier: Apache-2.0
// What the run would take without a cause of lost time.
#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>

#include "analysis/run_impl.hpp"
#include "foretask/analysis/causes.hpp"
#include "foretask/analysis/run.hpp"
#include "foretask/analysis/simulate.hpp"

namespace foretask::analysis {
namespace {

// Below it a cause is worth no replay.
constexpr double kLeastShare = 0.02;  // of all cores' time

void leave_out(SchedulingCosts& costs, std::initializer_list<std::int64_t TeamCosts::*> fields) {
  for (TeamCosts& team : costs.teams)
    for (const auto field : fields) team.*field = 0;
}

// All loops under schedule(dynamic,1): where a chunk costs nothing, no thread waits for another.
std::vector<LoopChange> evened_loops(const TaskGraph& graph) {
  std::vector<LoopChange> changes;
  for (const TeamLoop& loop : graph.team.loops)
    if (std::ranges::find(changes, loop.kernel, &LoopChange::kernel) == changes.end())
      changes.push_back({loop.kernel, LoopSchedule::kDynamic, 1});
  return changes;
}

class CauseTrials {
 public:
  CauseTrials(const Report& report, TaskGraph& graph) : report_(report), graph_(graph) {
    for (std::uint32_t kernel = 0; kernel < graph.kernel_names.size(); ++kernel) {
      const auto found = std::ranges::find(report.kernels, graph.kernel_names[kernel], &KernelSummary::name);
      if (found == report.kernels.end() || !is_serial(*found)) continue;
      serial_.push_back(kernel);
      serial_ns_ += found->work_ns;
    }
  }

  [[nodiscard]] std::optional<std::int64_t> as_it_is(std::uint32_t cores) const { return replay(options_for(cores)); }

  // Empty where no replay knows.
  [[nodiscard]] std::optional<std::int64_t> without(Cause cause, std::uint32_t cores) {
    SimulationOptions options = options_for(cores);
    switch (cause) {
      case Cause::kSerial:
        options.removed = serial_;
        return replay(options);
      case Cause::kCriticalPath:  // as if all tasks could run at any time
        return serial_ns_ + (report_.work_ns - serial_ns_) / cores;
      case Cause::kImbalance:
        options.loops = evened_loops(graph_);
        if (options.loops.empty()) return std::nullopt;
        leave_out(options.costs, {&TeamCosts::chunk_ns});
        return replay(options);
      case Cause::kTaskCosts:
        leave_out(options.costs,
                  {&TeamCosts::create_ns, &TeamCosts::wait_ns, &TeamCosts::body_ns, &TeamCosts::depend_ns,
                   &TeamCosts::release_ns, &TeamCosts::at_once_ns, &TeamCosts::dispatch_ns, &TeamCosts::next_ns,
                   &TeamCosts::contended_ns, &TeamCosts::steal_ns, &TeamCosts::resume_ns, &TeamCosts::pass_ns});
        return replay(options);
      case Cause::kRegionCosts:
        leave_out(options.costs, {&TeamCosts::fork_ns, &TeamCosts::barrier_ns, &TeamCosts::chunk_ns});
        options.costs.team_start_ns = options.costs.thread_ns = 0;
        return replay(options);
      case Cause::kLocks: {
        std::vector<LockHold> locks = std::exchange(graph_.locks, {});
        const auto makespan_ns = replay(options);
        graph_.locks = std::move(locks);
        return makespan_ns;
      }
      default:
        return std::nullopt;
    }
  }

 private:
  // Or a region of one thread that the others waited for.
  [[nodiscard]] bool is_serial(const KernelSummary& kernel) const {
    return kernel.is_serial_part() || std::ranges::any_of(report_.core_time.lost, [&kernel](const LostTime& one) {
             return one.cause == Cause::kSerial && one.kernel == kernel.name;
           });
  }
  [[nodiscard]] SimulationOptions options_for(std::uint32_t cores) const {
    return {.cores = cores, .policy = Policy::kWorkStealing, .costs = report_.costs};
  }
  [[nodiscard]] std::optional<std::int64_t> replay(const SimulationOptions& options) const {
    const auto result = simulate(graph_, options);
    return result ? std::optional(result->makespan_ns) : std::nullopt;
  }

  const Report& report_;
  TaskGraph& graph_;
  std::vector<std::uint32_t> serial_;  // kernels: the serial part
  std::int64_t serial_ns_ = 0;
};

}  // namespace

void Run::try_without_causes(const std::vector<std::uint32_t>& cores) {
  Report& report = impl_->report;
  CoreTime& time = report.core_time;
  CauseTrials trials(report, impl_->graph);
  time.replays.clear();
  for (const std::uint32_t number : cores)
    if (number != report.workers)
      if (const auto makespan_ns = trials.as_it_is(number)) time.replays.push_back({number, *makespan_ns});
  for (LostTime& one : time.lost) {
    one.without.clear();
    if (static_cast<double>(one.lost_ns) < kLeastShare * report.cores_ns()) continue;
    one.without.push_back({report.workers, time.wall_ns - one.lost_ns / report.workers});
    for (const TimeOnCores& replayed : time.replays)
      // Removing something makes no run longer: a replay that says so has another order of its tasks.
      if (const auto makespan_ns = trials.without(one.cause, replayed.cores))
        one.without.push_back({replayed.cores, std::min(*makespan_ns, replayed.time_ns)});
  }
}

}  // namespace foretask::analysis
