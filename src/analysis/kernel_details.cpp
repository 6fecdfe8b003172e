// SPDX-License-Identifier: Apache-2.0
#include "analysis/kernel_details.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "analysis/kernel_names.hpp"
#include "runtime/counters/counter_source.hpp"
#include "statistics/quantile.hpp"
#include "statistics/running_variance.hpp"

namespace foretask::wiring {
namespace {

using analysis::KernelSummary;
using Values = std::vector<double>;

// Of fewer tasks nothing is said of a number of active workers.
constexpr std::size_t kFewestTasks = 20;
constexpr double kThousand = 1000;

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), runtime::bare_counter_name(name)) != names.end();
}

bool counts_instructions(std::string_view name) {
  return is_one_of(name, {"PAPI_TOT_INS", "INSTRUCTIONS", "PERF_COUNT_HW_INSTRUCTIONS", "INST_RETIRED",
                          "INSTRUCTION_RETIRED", "RETIRED_INSTRUCTIONS"});
}

bool counts_cycles(std::string_view name) {
  return is_one_of(name, {"PAPI_TOT_CYC", "CYCLES", "CPU-CYCLES", "PERF_COUNT_HW_CPU_CYCLES", "CPU_CLK_UNHALTED",
                          "UNHALTED_CORE_CYCLES", "CYCLES_NOT_IN_HALT"});
}

bool counts_misses(std::string_view name) {
  const std::string bare = runtime::bare_counter_name(name);
  if (bare.find("MISS") != std::string::npos) return true;
  // PAPI's presets: PAPI_L1_DCM, PAPI_L3_TCM, PAPI_TLB_DM; PAPI_BR_MSP.
  const bool of_cache = bare.rfind("PAPI_L", 0) == 0 || bare.rfind("PAPI_TLB_", 0) == 0;
  return bare == "PAPI_BR_MSP" || (of_cache && bare.back() == 'M');
}

bool counts_task_clock(std::string_view name) { return is_one_of(name, {"TASK-CLOCK", "PERF_COUNT_SW_TASK_CLOCK"}); }

bool counts_page_faults(std::string_view name) {
  return is_one_of(name, {"PAGE-FAULTS", "FAULTS", "PERF_COUNT_SW_PAGE_FAULTS"});
}

template <typename Names>
std::optional<std::size_t> find_counter(const Names& names, bool (*is_it)(std::string_view)) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (is_it(names[i])) return i;
  return std::nullopt;
}

analysis::Quartiles quartiles(std::uint32_t workers, Values values) {
  std::sort(values.begin(), values.end());
  const auto at = [&values](double share) { return statistics::sorted_quantile(values, share); };
  return {workers, values.size(), at(0.25), at(0.5), at(0.75)};
}

std::uint32_t rounded_workers(const graph::Observation& one) {
  return static_cast<std::uint32_t>(std::clamp(std::lround(one.active_workers), 1L, 1L << 20));
}

// Of a kernel's counted tasks, all of them: each counter's numbers.
using Sums = std::vector<statistics::RunningVariance>;

std::vector<Sums> sums_by_kernel(const graph::RecordedGraph& graph) {
  std::vector<Sums> sums(graph.kernels.size(), Sums(graph.counters.width()));
  if (graph.counters.size() == 0) return sums;
  for (std::uint32_t task = 0; task < graph.kernel_of_task.size(); ++task) {
    const double* const values = graph.counters.find(task);
    if (!values) continue;
    Sums& of_kernel = sums[graph.kernel_of_task[task]];
    for (std::size_t counter = 0; counter < of_kernel.size(); ++counter) of_kernel[counter].add(values[counter]);
  }
  return sums;
}

// The kernel's observations in the order of their ends.
std::vector<graph::Observation> in_order(const graph::Observations& observations) {
  std::vector<graph::Observation> ordered = observations.kept();
  std::ranges::sort(ordered, {}, &graph::Observation::order);
  return ordered;
}

std::vector<analysis::ActiveWorkers> by_active_workers(const std::vector<graph::Observation>& observed) {
  std::map<std::uint32_t, Values> times;
  for (const graph::Observation& one : observed)
    times[rounded_workers(one)].push_back(static_cast<double>(one.time_ns));
  std::vector<analysis::ActiveWorkers> rows;
  double fewest_error = 0;  // relative, of the first row's mean
  for (const auto& [workers, values] : times) {
    if (values.size() < kFewestTasks) continue;
    const statistics::RunningVariance taken(values);
    const double mean = taken.mean();
    const double error = taken.relative_sd() / std::sqrt(taken.count());  // of the mean
    analysis::ActiveWorkers row{workers, values.size(), mean, 1, 0};
    if (rows.empty()) {
      fewest_error = error;
    } else if (rows.front().mean_ns > 0) {
      row.inflation = mean / rows.front().mean_ns;
      row.inflation_error = row.inflation * std::hypot(error, fewest_error);
    }
    rows.push_back(row);
  }
  return rows;
}

struct RatioOf {
  std::string name;
  std::size_t above;
  std::size_t below;
  double scale;
};

template <typename Names>
std::vector<RatioOf> ratios_of(const Names& names) {
  std::vector<RatioOf> ratios;
  const auto instructions = find_counter(names, counts_instructions);
  if (!instructions) return ratios;
  if (const auto cycles = find_counter(names, counts_cycles))
    ratios.push_back({"instructions per cycle", *instructions, *cycles, 1});
  for (std::size_t i = 0; i < names.size(); ++i)
    if (counts_misses(names[i]))
      ratios.push_back({std::string(names[i]) + " per 1000 instructions", i, *instructions, kThousand});
  return ratios;
}

analysis::CounterRatio spread_of(const RatioOf& ratio, const Sums& sums, const graph::RecordedGraph& graph,
                                 const std::vector<graph::Observation>& observed) {
  analysis::CounterRatio result{ratio.name, 0, {}};
  const double below = sums[ratio.below].mean();
  if (below > 0) result.value = ratio.scale * sums[ratio.above].mean() / below;
  Values all;
  std::map<std::uint32_t, Values> by_workers;
  for (const graph::Observation& one : observed) {
    const double* const values = graph.counters.find(one.task);
    if (!values || values[ratio.below] <= 0) continue;
    const double value = ratio.scale * values[ratio.above] / values[ratio.below];
    all.push_back(value);
    by_workers[rounded_workers(one)].push_back(value);
  }
  if (!all.empty()) result.spread.push_back(quartiles(0, std::move(all)));
  for (auto& [workers, values] : by_workers)
    if (values.size() >= kFewestTasks) result.spread.push_back(quartiles(workers, std::move(values)));
  return result;
}

Values column_of(const graph::RecordedGraph& graph, const std::vector<graph::Observation>& observed,
                 std::size_t counter) {
  Values column;
  for (const graph::Observation& one : observed) {
    const double* const values = graph.counters.find(one.task);
    column.push_back(values ? values[counter] : graph::kNotGiven);
  }
  return column;
}

analysis::SpreadData spread_data(const graph::RecordedGraph& graph, const std::vector<std::string>& names,
                                 const std::vector<std::string>& parameters,
                                 const std::vector<graph::Observation>& observed) {
  analysis::SpreadData data;
  for (const graph::Observation& one : observed) {
    data.time_ns.push_back(static_cast<double>(one.time_ns));
    data.active_workers.push_back(one.active_workers);
    data.worker.push_back(one.worker);
  }
  if (const auto at = find_counter(names, counts_instructions)) data.instructions = column_of(graph, observed, *at);
  if (const auto at = find_counter(names, counts_task_clock)) data.task_clock_ns = column_of(graph, observed, *at);
  if (const auto at = find_counter(names, counts_page_faults)) data.page_faults = column_of(graph, observed, *at);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (counts_misses(names[i])) data.misses.push_back({names[i], column_of(graph, observed, i)});
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    analysis::SpreadColumn column{parameters[i], {}};
    for (const graph::Observation& one : observed) {
      const graph::Parameters* const given = graph.parameters.find(one.task);
      column.values.push_back(given ? (*given)[i] : graph::kNotGiven);
    }
    data.parameters.push_back(std::move(column));
  }
  return data;
}

bool has_ratio(const KernelSummary& kernel, const std::string& name) {
  return std::ranges::find(kernel.ratios, name, &analysis::CounterRatio::name) != kernel.ratios.end();
}

// How many of the sources a verdict could look at.
std::size_t judged(const analysis::Variability& variability) {
  return static_cast<std::size_t>(std::ranges::count_if(variability.factors, &analysis::SpreadFactor::judged));
}

}  // namespace

std::vector<std::string> counter_names(const trace::RunFile& run) {
  std::vector<std::string> names;
  for (const trace::Counter& counter : run.counters)
    if (counter.status == trace::kCounterOk) names.push_back(counter.name);
  return names;
}

std::vector<double> counter_bias(const trace::RunFile& run) {
  std::vector<double> bias;
  for (const trace::Counter& counter : run.counters)
    if (counter.status == trace::kCounterOk) bias.push_back(counter.per_read);
  return bias;
}

std::vector<KernelDetails> kernel_details(const graph::RecordedGraph& graph, const trace::TraceFolder& trace) {
  const std::vector<std::string> names = counter_names(trace.run);
  const std::vector<Sums> sums = sums_by_kernel(graph);
  std::vector<KernelDetails> details(graph.kernels.size());
  for (std::uint32_t kernel = 0; kernel < graph.kernels.size(); ++kernel) {
    KernelDetails& detail = details[kernel];
    const bool is_counted = !sums[kernel].empty() && sums[kernel].front().count() > 0;
    for (std::size_t counter = 0; counter < names.size() && is_counted; ++counter) {
      const statistics::RunningVariance& of = sums[kernel][counter];
      detail.counters.push_back(
          {names[counter], 0, static_cast<std::uint64_t>(of.count()), of.mean(), of.relative_sd()});
    }
    if (kernel >= graph.observations.size() || graph.observations[kernel].seen() == 0) continue;
    const std::vector<graph::Observation> observed = in_order(graph.observations[kernel]);
    detail.active_workers = by_active_workers(observed);
    if (is_counted)
      for (const RatioOf& ratio : ratios_of(names))
        detail.ratios.push_back(spread_of(ratio, sums[kernel], graph, observed));
    detail.variability =
        analysis::explain_spread(spread_data(graph, names, parameters_of(graph.kernels[kernel], trace), observed));
  }
  return details;
}

void merge_details(const KernelDetails& other, std::uint32_t run, KernelSummary& kernel) {
  for (analysis::CounterSummary counter : other.counters) {
    counter.run = run;
    kernel.counters.push_back(std::move(counter));
  }
  for (const analysis::CounterRatio& ratio : other.ratios)
    if (!has_ratio(kernel, ratio.name)) kernel.ratios.push_back(ratio);
  if (run == 0) kernel.active_workers = other.active_workers;
  if (run == 0 || judged(other.variability) > judged(kernel.variability)) kernel.variability = other.variability;
}

void add_ratios_across_runs(KernelSummary& kernel) {
  std::vector<std::string_view> names;
  for (const analysis::CounterSummary& counter : kernel.counters) names.push_back(counter.name);
  for (const RatioOf& ratio : ratios_of(names)) {
    if (has_ratio(kernel, ratio.name)) continue;
    const double below = kernel.counters[ratio.below].mean;
    if (below > 0) kernel.ratios.push_back({ratio.name, ratio.scale * kernel.counters[ratio.above].mean / below, {}});
  }
}

double memory_bytes_of(const KernelSummary& kernel) {
  constexpr double kLine = 64;
  constexpr std::array kMisses{"PAPI_L3_TCM", "perf::PERF_COUNT_HW_CACHE_MISSES", "perf::CACHE-MISSES",
                               "perf::LLC-LOAD-MISSES"};
  for (const char* const name : kMisses) {
    const auto found = std::ranges::find(kernel.counters, name, &analysis::CounterSummary::name);
    // Of the tasks that were counted, for all.
    if (found != kernel.counters.end() && found->tasks > 0)
      return kLine * found->mean * static_cast<double>(kernel.count);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace foretask::wiring
