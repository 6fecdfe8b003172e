// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/kernel_table.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "analysis/kernel_details.hpp"
#include "analysis/kernel_names.hpp"
#include "analysis/run_impl.hpp"

namespace foretask::analysis {
namespace {

constexpr const char* kParameterMark = " (parameter)";

// Rows with values that may be missing, NaN; columns that no row has are dropped, then rows that lack a value.
class TableMaker {
 public:
  TableMaker(std::vector<std::string> parameters, std::vector<std::string> counters)
      : parameters_(std::move(parameters)), counters_(std::move(counters)) {
    columns_.resize(parameters_.size() + counters_.size() + 1);
  }

  void add(const graph::Parameters* parameters, const double* counters, double time) {
    std::size_t column = 0;
    for (std::size_t i = 0; i < parameters_.size(); ++i)
      columns_[column++].push_back(parameters ? (*parameters)[i] : graph::kNotGiven);
    for (std::size_t i = 0; i < counters_.size(); ++i)
      columns_[column++].push_back(counters ? counters[i] : graph::kNotGiven);
    columns_[column].push_back(time);
  }

  Result<KernelTable> finish(const std::string& name, bool of_samples) {
    KernelTable result;
    result.of_samples = of_samples;
    std::vector<const std::vector<double>*> kept;
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      const std::vector<double>& values = columns_[column];
      const bool is_time = column + 1 == columns_.size();
      if (!is_time && std::none_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); }))
        continue;
      kept.push_back(&values);
      add_name(column, result);
    }
    result.table.columns.resize(kept.size());
    for (std::size_t row = 0; row < columns_.back().size(); ++row) {
      const bool complete = std::all_of(
          kept.begin(), kept.end(), [row](const std::vector<double>* values) { return std::isfinite((*values)[row]); });
      if (!complete) {
        ++result.left_out;
        continue;
      }
      for (std::size_t column = 0; column < kept.size(); ++column)
        result.table.columns[column].push_back((*kept[column])[row]);
    }
    if (result.table.rows() == 0)
      return Error{"kernel '" + name + "' has no row with all its parameters and counters (" +
                   std::to_string(result.left_out) + " lack some)"};
    return result;
  }

 private:
  void add_name(std::size_t column, KernelTable& result) const {
    if (column + 1 == columns_.size()) {
      result.table.names.emplace_back(kTimeColumn);
      return;
    }
    const bool is_parameter = column < parameters_.size();
    std::string name = is_parameter ? parameters_[column] : counters_[column - parameters_.size()];
    const bool is_taken = name == kTimeColumn || std::find(counters_.begin(), counters_.end(), name) != counters_.end();
    if (is_parameter && is_taken) name += kParameterMark;
    (is_parameter ? result.parameters : result.counters).push_back(name);
    result.table.names.push_back(std::move(name));
  }

  std::vector<std::string> parameters_;
  std::vector<std::string> counters_;
  std::vector<std::vector<double>> columns_;
};

Result<KernelTable> table_of_tasks(const Run::Impl& run, std::uint32_t kernel, const std::string& name) {
  const graph::RecordedGraph& recorded = run.recorded;
  TableMaker maker(wiring::parameters_of(recorded.kernels[kernel], run.trace), wiring::counter_names(run.trace.run));
  const std::vector<std::int64_t> times = run.task_times();
  std::uint64_t told = 0;
  for (std::uint32_t task = 0; task < times.size(); ++task) {
    if (recorded.kernel_of_task[task] != kernel || times[task] == kNoDuration) continue;
    maker.add(recorded.parameters.find(task), recorded.counters.find(task), static_cast<double>(times[task]));
    ++told;
  }
  const bool has_others = std::ranges::any_of(run.graph.subtrees, [&](const NodeSubtree& subtree) {
    return recorded.kernel_of_task[run.graph.task_of_node[subtree.node]] == kernel;
  });
  if (has_others || (told < recorded.kernel_totals[kernel].count && !run.graph.subtrees.empty()))
    return Error{"tasks of " + name + " that took less than the recording's grain are not told apart in it: record " +
                 "with --grain 0"};
  return maker.finish(name, false);
}

Result<KernelTable> table_of_samples(const Run::Impl& run, std::uint32_t id, const std::string& name) {
  const graph::KernelSamples& samples = run.recorded.samples.at(id);
  TableMaker maker(run.trace.parameters_of(id), {});
  for (std::size_t i = 0; i < samples.duration_ns.size(); ++i)
    maker.add(&samples.parameters[i], nullptr, samples.duration_ns[i]);
  return maker.finish(name, true);
}

}  // namespace

std::vector<TableKernel> table_kernels(const Run& run) {
  const Run::Impl& impl = Run::Impl::of(run);
  std::vector<TableKernel> kernels;
  const std::vector<graph::KernelSite>& sites = impl.recorded.kernels;
  for (std::uint32_t kernel = 0; kernel < sites.size(); ++kernel) {
    const graph::KernelSite::Kind kind = sites[kernel].kind;
    if (kind != graph::KernelSite::Kind::kTask && kind != graph::KernelSite::Kind::kNamed) continue;
    const bool is_named = kind == graph::KernelSite::Kind::kNamed;
    for (const KernelSummary& summary : impl.report.kernels)
      if (summary.name == impl.graph.kernel_names[kernel])
        kernels.push_back({summary.name, summary.count, is_named, wiring::parameters_of(sites[kernel], impl.trace)});
  }
  for (const auto& [id, samples] : impl.recorded.samples) {
    std::string name = impl.trace.kernel_name(id);
    if (std::ranges::find(kernels, name, &TableKernel::name) == kernels.end())
      kernels.push_back({std::move(name), samples.duration_ns.size(), true, impl.trace.parameters_of(id)});
  }
  std::ranges::stable_sort(kernels, std::greater(), [](const auto& one) { return std::pair(one.is_named, one.rows); });
  return kernels;
}

Result<KernelTable> kernel_table(const Run& run, const std::string& name) {
  const Run::Impl& impl = Run::Impl::of(run);
  for (std::uint32_t kernel = 0; kernel < impl.graph.kernel_names.size(); ++kernel)
    if (impl.graph.kernel_names[kernel] == name) return table_of_tasks(impl, kernel, name);
  for (const auto& [id, samples] : impl.recorded.samples)
    if (impl.trace.kernel_name(id) == name) return table_of_samples(impl, id, name);
  return Error{"no kernel is called '" + name + "'"};
}

}  // namespace foretask::analysis
