// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/task_times.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "analysis/run_impl.hpp"
#include "report/short_names.hpp"

namespace foretask::analysis {
namespace {

std::string listed(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

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
  if (names.size() > 1) return Error{"several kernels are called '" + wanted + "': " + listed(names)};
  return *names.begin();
}

}  // namespace

Result<TaskTimes> task_times(const Run& run, const std::string& kernel) {
  const Run::Impl& impl = Run::Impl::of(run);
  const Result<std::string> name = full_name(impl.report, kernel);
  if (!name) return name.error();
  TaskTimes times{.kernel = *name, .ns = {}, .ended = {}};
  const TaskGraph& graph = impl.graph;
  constexpr std::int64_t kNone = -1;
  std::vector<std::int64_t> sum(graph.parent_of_task.size(), kNone);
  for (std::size_t node = 0; node < graph.size(); ++node) {
    if (!graph.occupies_worker(node) || graph.kernel_names[graph.kernel[node]] != *name) continue;
    std::int64_t& one = sum[graph.task_of_node[node]];
    one = std::max<std::int64_t>(one, 0) + graph.duration_ns[node];
  }
  for (std::size_t task = 0; task < sum.size(); ++task) {
    if (sum[task] == kNone) continue;
    times.ns.push_back(static_cast<double>(sum[task]));
    times.ended.push_back(impl.task_is_cut.empty() || impl.task_is_cut[task] == 0 ? 1 : 0);
  }
  if (!times.ns.empty()) return times;
  // No tasks: what the program measured itself.
  for (const auto& [id, samples] : impl.samples) {
    const trace::KernelDefinition* const definition = impl.definition(id);
    if ((definition ? definition->name : "(kernel " + std::to_string(id) + ")") != *name) continue;
    times.ns = samples.duration_ns;
    times.ended.assign(times.ns.size(), 1);
  }
  if (times.ns.empty()) return Error{"no task of kernel '" + *name + "' ran"};
  return times;
}

}  // namespace foretask::analysis
