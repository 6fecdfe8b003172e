// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/run_report.hpp"
#include "base/region_name.hpp"
#include "foretask/analysis/run.hpp"

namespace foretask::wiring {
namespace {

using analysis::Cause;
using analysis::CoreTime;
using analysis::LostTime;

void sort_causes(CoreTime& time) {
  std::erase_if(time.lost, [](const LostTime& one) { return one.lost_ns == 0; });
  std::ranges::stable_sort(time.lost, [](const LostTime& a, const LostTime& b) { return a.lost_ns > b.lost_ns; });
}

// Waits for a core, by cause: what the control group's limit says that it took; the rest is `bound` where affinities
// leave threads without a processor, else no_core.
std::array<std::int64_t, analysis::kCauses> off_cores(const trace::RunFile& run, double wait_ns,
                                                      double thread_wait_ns) {
  std::array<std::int64_t, analysis::kCauses> lost{};
  const double part = std::clamp(
      static_cast<double>(run.core_limits.throttled_ns) / std::max({1.0, wait_ns, thread_wait_ns}), 0.0, 1.0);
  lost[static_cast<std::size_t>(Cause::kQuota)] = std::llround(part * wait_ns);
  const Cause other = run.core_limits.threads_beyond_processors != 0 ? Cause::kBound : Cause::kNoCore;
  lost[static_cast<std::size_t>(other)] = std::llround(wait_ns) - std::llround(part * wait_ns);
  return lost;
}

// By kernel of the graph, what each cost.
class Blame {
 public:
  Blame(const graph::RecordedGraph& graph, const std::vector<std::string>& names, const analysis::Report& report)
      : graph_(graph), names_(names), report_(report) {}

  // Sets the kernel that is most to blame.
  void find_kernel(LostTime& one) const {
    switch (one.cause) {
      case Cause::kTaskCosts:
        one.kernel = of_most_tasks();
        break;
      case Cause::kLocks:
        one.kernel = of_lock();
        break;
      case Cause::kQuota:
      case Cause::kBound:
      case Cause::kNoCore:
      case Cause::kOther:
        break;
      default:
        find_most(one);
    }
  }

 private:
  struct Cost {
    double ns = 0;
    std::uint64_t regions = 0;
  };

  void find_most(LostTime& one) const {
    std::map<std::string_view, Cost> by_name;
    double all_ns = 0;
    for (std::size_t kernel = 0; kernel < graph_.kernel_totals.size(); ++kernel) {
      const graph::KernelTotals& totals = graph_.kernel_totals[kernel];
      Cost& cost = by_name[names_[kernel]];
      const double ns = totals.lost_ns[static_cast<std::size_t>(one.cause)] +
                        (one.cause == Cause::kBlocked ? totals.system_blocked_ns : 0);
      cost.ns += ns;
      cost.regions += totals.regions;
      all_ns += ns;
    }
    if (one.cause == Cause::kRegionCosts) {
      for (const analysis::LoopSummary& loop : report_.loops) {
        by_name[loop.name].ns += static_cast<double>(loop.hand_out_ns);
        all_ns += static_cast<double>(loop.hand_out_ns);
      }
    }
    const auto most = std::ranges::max_element(by_name, {}, [](const auto& entry) { return entry.second.ns; });
    if (most == by_name.end() || !(most->second.ns > 0)) return;
    one.kernel = most->first;
    one.kernel_ns = std::llround(static_cast<double>(one.lost_ns) * most->second.ns / all_ns);
    one.regions = most->second.regions;
  }
  [[nodiscard]] std::string of_most_tasks() const {
    const analysis::KernelSummary* most = nullptr;
    for (const analysis::KernelSummary& kernel : report_.kernels) {
      if (kernel.code.empty() || base::is_team_name(kernel.code)) continue;
      if (most == nullptr || kernel.count > most->count) most = &kernel;
    }
    return most != nullptr ? most->name : std::string();
  }
  [[nodiscard]] std::string of_lock() const {
    const auto most = std::ranges::max_element(report_.locks, {}, &analysis::LockSummary::waited_ns);
    return most != report_.locks.end() ? most->name : std::string();
  }

  const graph::RecordedGraph& graph_;
  const std::vector<std::string>& names_;
  const analysis::Report& report_;
};

// What a report has of a function's code: regions, loops and tasks of it. Another number of threads may have the same
// code in another of these.
std::map<std::string, double> work_by_function(const analysis::Report& report) {
  std::map<std::string, double> work;
  for (const analysis::KernelSummary& kernel : report.kernels)
    work[kernel.name.substr(0, kernel.name.find(" ("))] +=
        static_cast<double>(kernel.work_ns - kernel.system_blocked_ns);
  return work;
}

// Of the function whose work has grown most the kernel with most work.
std::string most_grown(const analysis::Report& base, const analysis::Report& report) {
  const auto before = work_by_function(base);
  std::string function;
  double most_ns = 0;
  for (const auto& [name, ns] : work_by_function(report)) {
    const auto found = before.find(name);
    const double more_ns = ns - (found != before.end() ? found->second : 0);
    if (more_ns > most_ns) std::tie(function, most_ns) = std::pair(name, more_ns);
  }
  if (function.empty()) return {};
  for (const analysis::KernelSummary& kernel : report.kernels)
    if (kernel.name.substr(0, kernel.name.find(" (")) == function) return kernel.name;
  return {};
}

// The command lines, but for numbers of threads: "-t 2" and "--threads=2" beside "-t 1" and "--threads=1".
bool differ_by_threads_alone(const analysis::Report& base, const analysis::Report& report) {
  return std::ranges::equal(base.command, report.command, [&](const std::string& before, const std::string& after) {
    if (before == after) return true;
    const std::string of_base = std::to_string(base.workers);
    const std::string of_run = std::to_string(report.workers);
    return before.ends_with(of_base) && after.ends_with(of_run) &&
           std::string_view(before).substr(0, before.size() - of_base.size()) ==
               std::string_view(after).substr(0, after.size() - of_run.size());
  });
}

}  // namespace

CoreTime core_time(const graph::RecordedGraph& graph, const trace::RunFile& run, const std::vector<std::string>& names,
                   const analysis::Report& report) {
  CoreTime time;
  time.wall_ns = graph.elapsed_ns + graph.core_wait_elapsed_ns;
  time.useful_ns = std::max<std::int64_t>(0, graph.work_ns - graph.system_blocked_ns);
  std::array<std::int64_t, analysis::kCauses> lost = graph.idle_ns;
  // Of all workers: the clock stands where those that run wait.
  const std::int64_t idle_wait_ns = std::exchange(lost[static_cast<std::size_t>(Cause::kNoCore)], 0);
  const double stood_ns = static_cast<double>(graph.workers) * static_cast<double>(graph.core_wait_elapsed_ns);
  const auto off =
      off_cores(run, stood_ns + static_cast<double>(idle_wait_ns), static_cast<double>(graph.thread_wait_ns));
  for (std::size_t cause = 0; cause < lost.size(); ++cause) lost[cause] += off[cause];
  lost[static_cast<std::size_t>(Cause::kBlocked)] += graph.system_blocked_ns;
  std::int64_t left_ns = graph.workers * time.wall_ns - time.useful_ns;
  for (const std::int64_t ns : lost) left_ns -= ns;
  // Figures of damaged recordings, and of more strands than workers, do not add up.
  lost[static_cast<std::size_t>(Cause::kOther)] += left_ns;
  const Blame blame(graph, names, report);
  for (std::size_t cause = 0; cause < lost.size(); ++cause) {
    if (lost[cause] == 0) continue;
    time.lost.push_back({static_cast<Cause>(cause), lost[cause]});
    blame.find_kernel(time.lost.back());
  }
  sort_causes(time);
  return time;
}

Result<void> compare_with_base(const analysis::Report& base, const std::string& folder, analysis::Report& report) {
  constexpr double kMostTasksOff = 0.01;
  const auto refuse = [&folder](const std::string& what) {
    return Error{.what = "is no base: " + what, .path = folder};
  };
  if (base.origin.build_id != report.origin.build_id || base.program != report.program)
    return refuse("it is of another program, or of another build");
  if (base.workers >= report.workers)
    return refuse("it has " + std::to_string(base.workers) + " workers, and the run " + std::to_string(report.workers) +
                  ". A base has fewer");
  if (base.parameters != report.parameters) return refuse("it has other parameters");
  CoreTime& time = report.core_time;
  const std::int64_t slower_ns = time.useful_ns - base.core_time.useful_ns;
  time.base = analysis::BaseRun{folder, base.workers, base.core_time.wall_ns, base.core_time.useful_ns};
  time.useful_ns = base.core_time.useful_ns;
  if (slower_ns != 0)
    time.lost.push_back(
        {.cause = Cause::kSlowerWork, .lost_ns = slower_ns, .kernel = slower_ns > 0 ? most_grown(base, report) : ""});
  sort_causes(time);
  if (!differ_by_threads_alone(base, report))
    report.warnings.push_back(
        "the base was called in another way: where that is another input, slower_work says nothing");
  const auto [least, most] = std::minmax(base.create_task, report.create_task);
  if (static_cast<double>(most - least) > kMostTasksOff * static_cast<double>(most))
    report.warnings.push_back("the base made " + std::to_string(base.create_task) + " tasks, and the run " +
                              std::to_string(report.create_task) +
                              ": where they did other work, slower_work says nothing");
  return {};
}

}  // namespace foretask::wiring
