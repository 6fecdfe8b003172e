// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/efficiencies.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "analysis/run_impl.hpp"
#include "foretask/analysis/simulate.hpp"

namespace foretask::analysis {
namespace {

// As the recording has it: a comparison with a base changes CoreTime::useful_ns.
double useful_ns(const Report& report) { return static_cast<double>(report.work_ns - report.system_blocked_ns); }

// The run's time if the runtime took nothing.
double ideal_ns(const Run& run) {
  SimulationOptions options{.cores = run.report().workers, .policy = Policy::kWorkStealing};
  options.costs.rules = run.report().costs.rules;
  const auto result = simulate(run.graph(), options);
  return result ? static_cast<double>(result->makespan_ns) : 0;
}

// Of all tasks that were counted, by the first of these names that was.
std::optional<double> counted(const Report& report, const std::array<std::string_view, 2>& names) {
  for (const std::string_view name : names) {
    std::optional<double> sum;
    for (const KernelSummary& kernel : report.kernels)
      for (const CounterSummary& counter : kernel.counters)
        if (counter.name == name) sum = sum.value_or(0) + counter.mean * static_cast<double>(kernel.count);
    if (sum && *sum > 0) return sum;
  }
  return std::nullopt;
}

std::optional<double> ratio(std::optional<double> part, std::optional<double> whole) {
  return part && whole && *whole > 0 ? std::optional(*part / *whole) : std::nullopt;
}

}  // namespace

Efficiencies efficiencies_of(const Run& run, const Run* reference) {
  constexpr std::array<std::string_view, 2> kInstructions{"PAPI_TOT_INS", "instructions"};
  constexpr std::array<std::string_view, 2> kCycles{"PAPI_TOT_CYC", "cycles"};
  const Report& report = run.report();
  Efficiencies result{.workers = report.workers, .wall_ns = report.core_time.wall_ns};
  // Without waits for a core, which are no doing of the program's.
  const double wall_ns = static_cast<double>(report.elapsed_ns);
  const double mean_ns = useful_ns(report) / std::max(1U, report.workers);
  double most_ns = mean_ns;
  for (const double ns : Run::Impl::of(run).recorded.useful_of_worker) most_ns = std::max(most_ns, ns);
  if (!(wall_ns > 0) || !(most_ns > 0)) return result;
  const double between_ns = std::clamp(ideal_ns(run), std::min(most_ns, wall_ns), wall_ns);
  result.parallel = mean_ns / wall_ns;
  result.load_balance = mean_ns / most_ns;
  result.serialisation = most_ns / between_ns;
  result.transfer = between_ns / wall_ns;
  if (reference == nullptr) return result;
  const Report& before = reference->report();
  result.computation_scaling = ratio(useful_ns(before), useful_ns(report));
  const auto instructions = counted(report, kInstructions);
  const auto instructions_before = counted(before, kInstructions);
  result.instruction_scaling = ratio(instructions_before, instructions);
  result.ipc_scaling =
      ratio(ratio(instructions, counted(report, kCycles)), ratio(instructions_before, counted(before, kCycles)));
  if (result.computation_scaling) result.global = result.parallel * *result.computation_scaling;
  return result;
}

}  // namespace foretask::analysis
