// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/task_times.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "analysis/run_impl.hpp"
#include "base/number_text.hpp"
#include "report/short_names.hpp"

namespace foretask::analysis {
namespace {

// The name in the report that `wanted` means.
Result<std::string> full_name(const Report& report, const std::string& wanted) {
  std::vector<std::string> all;
  for (const KernelSummary& kernel : report.kernels) all.push_back(kernel.name);
  for (const SampledKernel& kernel : report.samples) all.push_back(kernel.name);
  if (all.empty()) return Error{"no kernel is called '" + wanted + "': the recording has none"};
  const auto matched = report::match_kernels(all, wanted);
  if (!matched) return matched.error();
  std::set<std::string> names;
  for (const std::uint32_t one : *matched) names.insert(all[one]);
  if (names.size() > 1) return Error{"several kernels are called '" + wanted + "': " + base::joined(names)};
  return *names.begin();
}

}  // namespace

Result<TaskTimes> task_times(const Run& run, const std::string& kernel) {
  const Run::Impl& impl = Run::Impl::of(run);
  const Result<std::string> name = full_name(impl.report, kernel);
  if (!name) return name.error();
  TaskTimes times{.kernel = *name, .ns = {}, .ended = {}};
  const graph::RecordedGraph& recorded = impl.recorded;
  const std::vector<std::int64_t> all = impl.task_times();
  for (std::size_t task = 0; task < all.size(); ++task) {
    if (all[task] == kNoDuration || impl.graph.kernel_names[recorded.kernel_of_task[task]] != *name) continue;
    times.ns.push_back(static_cast<double>(all[task]));
    times.ended.push_back(recorded.task_is_cut.empty() || recorded.task_is_cut[task] == 0 ? 1 : 0);
  }
  if (!times.ns.empty()) return times;
  // No tasks: what the program measured itself.
  for (const auto& [id, samples] : recorded.samples) {
    if (impl.trace.kernel_name(id) != *name) continue;
    times.ns = samples.duration_ns;
    times.ended.assign(times.ns.size(), 1);
  }
  if (times.ns.empty()) return Error{"no task of kernel '" + *name + "' ran"};
  return times;
}

}  // namespace foretask::analysis
