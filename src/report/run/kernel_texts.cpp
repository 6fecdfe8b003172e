// SPDX-License-Identifier: Apache-2.0
#include "report/run/kernel_texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/plain_text.hpp"
#include "report/run/reading.hpp"
#include "report/short_names.hpp"
#include "report/units.hpp"

namespace foretask::report {
namespace {

using analysis::KernelSummary;
using analysis::Report;

// Kernels with less work than this are not worth their lines.
constexpr double kSmallestShare = 0.01;
constexpr std::size_t kKernelsShown = 10;
constexpr std::size_t kWorkerRowsShown = 6;

bool is_shown(const Report& report, std::size_t index) {
  return index < kKernelsShown && report.kernels[index].work_ns >= kSmallestShare * report.work_ns;
}

bool counts_ns(const std::string& name) { return name.find("-CLOCK") != std::string::npos; }

std::string amount(const std::string& counter, double value) {
  if (counts_ns(counter)) return format_ns(value);
  if (value >= 1e5 || value == 0) return fmt::format("{:.3g}", value);
  return fmt::format("{:.1f}", value);
}

// Every so many rows, the first and the last included.
template <typename Rows, typename Show>
void for_some(const Rows& rows, Show&& show) {
  const std::size_t step = std::max<std::size_t>(1, (rows.size() + kWorkerRowsShown - 1) / kWorkerRowsShown);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (i % step == 0 || i + 1 == rows.size()) show(rows[i]);
}

void add_ratio(Text& text, const analysis::CounterRatio& ratio) {
  add(text, "    {}: {:.3g}", ratio.name, ratio.value);
  if (!ratio.spread.empty())
    add(text, " (half of the tasks {:.3g} to {:.3g})", ratio.spread.front().low, ratio.spread.front().high);
  if (ratio.spread.size() > 2) {
    add(text, "; by active workers:");
    const std::vector<analysis::Quartiles> rows(ratio.spread.begin() + 1, ratio.spread.end());
    for_some(rows, [&](const analysis::Quartiles& row) {
      add(text, "  {}: {:.3g} ({:.3g} to {:.3g})", row.workers, row.median, row.low, row.high);
    });
  }
  add(text, "\n");
}

void add_kernel(Text& text, const KernelSummary& kernel, const std::string& name) {
  add(text, "  {}\n", name);
  for (const analysis::CounterSummary& counter : kernel.counters) {
    add(text, "    {}: {} a task (cv {:.2f}", counter.name, amount(counter.name, counter.mean), counter.cv);
    if (counter.tasks != kernel.count) add(text, ", {} of its tasks counted", format_count(counter.tasks));
    add(text, ")\n");
  }
  for (const analysis::CounterRatio& ratio : kernel.ratios) add_ratio(text, ratio);
}

void add_inflation(Text& text, const KernelSummary& kernel) {
  if (kernel.active_workers.size() < 2) return;
  add(text, "    mean time by active workers:");
  for_some(kernel.active_workers, [&](const analysis::ActiveWorkers& row) {
    add(text, "  {}: {}", row.workers, format_ns(row.mean_ns));
    if (&row != &kernel.active_workers.front() && row.workers != kernel.active_workers.front().workers)
      add(text, " (x {:.2f} +- {:.2f})", row.inflation, row.inflation_error);
  });
  add(text, "\n");
}

constexpr std::size_t kMostShown = 5;
constexpr double kLeastShare = 0.01;  // of the work
constexpr std::uint64_t kFewSamples = 5;
constexpr double kMuchMissing = 0.2;  // of the kernel's work

// In the columns of the table of kernels.
void add_row(Text& text, const analysis::Report& report, double time_ns, std::string_view name) {
  add(text, "  {:>12}  {:>10}  {:>10}  {:>6}  {:>8}  {:>9}     {}\n", "", format_ns(time_ns), "", "",
      format_share(ratio(time_ns, report.work_ns)), "", name);
}

std::string_view function_of(std::string_view name) { return name.substr(0, name.find(" (")); }

}  // namespace

std::string counters_text(const Report& report) {
  Text text;
  if (report.counters.empty()) return {};
  add(text, "\nCounters{}:\n",
      report.counter_sampling > 1 ? fmt::format(", of one task in {}", report.counter_sampling) : std::string());
  for (const analysis::RecordedCounter& counter : report.counters)
    if (counter.status != "ok") add(text, "  {}: {}, {}\n", counter.name, counter.status, counter.reason);
  const ShortNames names = short_names_of(report);
  for (std::size_t i = 0; i < report.kernels.size(); ++i)
    if (!report.kernels[i].counters.empty() && is_shown(report, i))
      add_kernel(text, report.kernels[i], names.of(report.kernels[i].name));
  return fmt::to_string(text);
}

std::string spread_text(const Report& report) {
  Text kernels;
  const ShortNames names = short_names_of(report);
  for (std::size_t i = 0; i < report.kernels.size(); ++i) {
    const KernelSummary& kernel = report.kernels[i];
    if (!is_shown(report, i) || kernel.variability.verdict == analysis::SpreadVerdict::kTooFew) continue;
    add(kernels, "  {}\n    {}\n", names.of(kernel.name), kernel.variability.text);
    add_inflation(kernels, kernel);
  }
  if (kernels.size() == 0) return {};
  return "\nWhy a kernel's tasks differ (docs/counters.md):\n" + fmt::to_string(kernels);
}

std::string samples_text(const Report& report) {
  if (report.samples.empty()) return {};
  Text text;
  add(text, "\nMeasured by the program itself:\n  {:>12}  {:>10}  {:>10}  {:>6}   {}\n", "samples", "total", "mean",
      "cv", "name");
  const ShortNames names(report.samples);
  for (const analysis::SampledKernel& kernel : report.samples)
    add(text, "  {:>12}  {:>10}  {:>10}  {:>6.2f}   {}\n", format_count(kernel.count), format_ns(kernel.total_ns),
        format_ns(kernel.mean_ns), kernel.cv, names.of(kernel.name));
  return fmt::to_string(text);
}

FunctionRows function_rows(const analysis::Report& report, const analysis::KernelSummary& kernel) {
  if (report.function_sampling.period_ns == 0) return {};
  const double least_ns =
      std::max(kLeastShare * report.work_ns, static_cast<double>(kFewSamples * report.function_sampling.period_ns));
  const double work_ns = kernel.work_ns;
  double missing_ns = work_ns;
  std::size_t shown = 0;  // most time first
  for (const analysis::FunctionTime& function : kernel.functions) {
    missing_ns -= function.time_ns;
    if (shown < kMostShown && function.time_ns >= least_ns) ++shown;
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < shown; ++i) names.push_back(kernel.functions[i].name);
  const ShortNames short_names(names);
  Text text;
  // Three standard deviations of a number of samples.
  const double by_chance_ns = 3 * std::sqrt(work_ns * report.function_sampling.period_ns);
  const bool has_missing = missing_ns >= std::max({least_ns, kMuchMissing * work_ns, by_chance_ns});
  const bool is_own = shown == 1 && function_of(kernel.functions.front().name) == function_of(kernel.name);
  if (has_missing || !is_own)
    for (std::size_t i = 0; i < shown; ++i)
      add_row(text, report, kernel.functions[i].time_ns, short_names.of(names[i]));
  if (has_missing) add_row(text, report, missing_ns, "(not sampled)");
  return {fmt::to_string(text), has_missing};
}

std::string sampling_text(const analysis::FunctionSampling& sampling, bool has_missing) {
  if (!sampling.reason.empty())
    return fmt::format("Functions within kernels were not sampled: {}. foretask doctor says what to do.\n",
                       sampling.reason);
  if (sampling.samples == 0) return {};
  Text text;
  add(text, "Indented: functions, by {} of where the threads were, {} apart.{}\n",
      format_count(sampling.samples, "sample", "samples"), format_ns(sampling.period_ns),
      sampling.lost == 0 ? "" : fmt::format(" {} more were lost.", format_count(sampling.lost)));
  if (has_missing) add(text, "(not sampled): before the recording began, or not on a core.\n");
  return fmt::to_string(text);
}

}  // namespace foretask::report
