// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "report/run/kernel_counters.hpp"
#include "report/run/reading.hpp"
#include "report/short_names.hpp"
#include "report/text.hpp"
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
  return index < kKernelsShown &&
         static_cast<double>(report.kernels[index].work_ns) >= kSmallestShare * static_cast<double>(report.work_ns);
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
  std::vector<std::string> names;
  for (const analysis::SampledKernel& kernel : report.samples) names.push_back(kernel.name);
  const ShortNames short_names(names);
  for (const analysis::SampledKernel& kernel : report.samples)
    add(text, "  {:>12}  {:>10}  {:>10}  {:>6.2f}   {}\n", format_count(kernel.count), format_ns(kernel.total_ns),
        format_ns(kernel.mean_ns), kernel.cv, short_names.of(kernel.name));
  return fmt::to_string(text);
}

}  // namespace foretask::report
