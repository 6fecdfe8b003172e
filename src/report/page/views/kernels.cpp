// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/figure/axis.hpp"
#include "report/figure/chart.hpp"
#include "report/page/parts.hpp"
#include "report/page/source_place.hpp"
#include "report/page/views.hpp"
#include "report/run/reading.hpp"
#include "report/units.hpp"

namespace foretask::report {
namespace {

using analysis::Report;

constexpr std::size_t kHistograms = 12;

const StrandSums::Kernel* sums_of(const PageContent& content, const StrandSums& sums, const std::string& name) {
  const std::vector<std::string>& names = content.timeline.graph.kernel_names;
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? nullptr : &sums.kernels[static_cast<std::size_t>(found - names.begin())];
}

double bin_ns(std::size_t bin) { return std::exp2(static_cast<double>(bin) / StrandSums::kBinsAPower); }

// Between the first bin and the last one; far enough apart for a narrow window.
std::vector<Tick> bin_ticks(double first, double last, double axis_factor) {
  std::vector<Tick> ticks;
  const double apart = std::pow(axis_factor, 1.0 / 8);
  for (const double at : log_places(first, last))
    if (ticks.empty() || at >= ticks.back().at * apart) ticks.push_back({at, format_ns(at)});
  return ticks;
}

void add_histogram(Text& text, std::size_t number, const std::string& name, const StrandSums::Kernel& kernel) {
  const auto is_there = [](std::uint32_t count) { return count != 0; };
  const auto first = std::find_if(kernel.counts.begin(), kernel.counts.end(), is_there);
  const auto last = std::find_if(kernel.counts.rbegin(), kernel.counts.rend(), is_there).base();
  if (first == kernel.counts.end()) return;
  const auto from = static_cast<std::size_t>(first - kernel.counts.begin());
  const auto to = static_cast<std::size_t>(last - kernel.counts.begin());
  const double most = *std::max_element(first, last);
  const double low = bin_ns(from > 2 ? from - 2 : 0);
  const double high = bin_ns(to + 2);
  add(text, "<h4>{}</h4>\n", markup_text(name));
  {
    Chart chart(text, fmt::format("histogram-{}", number),
                fmt::format("Times of {}, from {} to {}", name, format_ns(bin_ns(from)), format_ns(bin_ns(to))),
                {"time of a task, logarithmic", low, high, bin_ticks(bin_ns(from), bin_ns(to), high / low), true},
                {"tasks", 0, most * 1.05, count_ticks(most * 1.05, 5), false});
    for (std::size_t bin = from; bin < to; ++bin)
      if (kernel.counts[bin] != 0) chart.bar("work", bin_ns(bin), bin_ns(bin + 1), kernel.counts[bin]);
  }
  Table table(text, "Times of " + name, {"from", "tasks"}, Shown::kOnDemand);
  for (std::size_t bin = from; bin < to; ++bin)
    if (kernel.counts[bin] != 0) table.row({ns_cell(bin_ns(bin)), count_cell(kernel.counts[bin])});
}

void add_loops(Text& text, const PageContent& content, const ShortNames& names) {
  const Report& report = content.report;
  if (report.loops.empty()) return;
  add(text, "<h3>Parallel loops</h3>\n");
  Table table(text, "Loops, most work first",
              {"loop", "times", "iterations", "schedule", "work", "imbalance", "waited", "threads"}, Shown::kAlways);
  for (const analysis::LoopSummary& loop : report.loops) {
    Cell name(names.of(loop.name));
    name.link = source_link(content, loop.name);
    table.row({name,
               count_cell(loop.instances),
               {loop.iterations == 0 ? "?" : format_count(loop.iterations), static_cast<double>(loop.iterations)},
               loop.schedule,
               ns_cell(loop.work_ns),
               {loop.imbalance ? fmt::format("{:.2f}", *loop.imbalance) : "-", loop.imbalance.value_or(0)},
               ns_cell(loop.waited_ns),
               count_cell(loop.threads)});
  }
}

}  // namespace

void add_kernels(Text& text, const PageContent& content, const StrandSums& sums) {
  const Report& report = content.report;
  const bool has_teams = has_team_kernels(report);
  const View view(text, "kernels", "Kernels and loops",
                  fmt::format("What the work is of. A kernel is the code of {}. cv: standard deviation / mean of its "
                              "times. Of crit.: its share of the critical path.",
                              has_teams ? "a task, a region or a loop" : "a task"));
  const ShortNames names = short_names_of(report);
  {
    Table table(text, "Kernels, most work first",
                {"kernel", is_of_tasks(report) ? "tasks" : "shares", "total", "mean", "cv", "of work", "of crit."},
                Shown::kAlways);
    for (const analysis::KernelSummary& kernel : report.kernels) {
      Cell name(names.of(kernel.name));
      name.link = source_link(content, kernel.name);
      table.row({name,
                 count_cell(kernel.count),
                 ns_cell(kernel.work_ns),
                 ns_cell(kernel.mean_ns),
                 {fmt::format("{:.2f}", kernel.cv), kernel.cv},
                 share_cell(ratio(kernel.work_ns, report.work_ns)),
                 share_cell(ratio(kernel.critical_path_ns, report.span_ns))});
    }
  }
  add_loops(text, content, names);
  add(text, "<h3>How long they took</h3>\n");
  add_paragraph(text, fmt::format("A task's time is that of its code, without waits.{}",
                                  has_teams ? " A thread's share of a loop counts as a task." : ""));
  for (std::size_t i = 0; i < std::min(report.kernels.size(), kHistograms); ++i) {
    const StrandSums::Kernel* const kernel = sums_of(content, sums, report.kernels[i].name);
    if (kernel && kernel->tasks > 1) add_histogram(text, i, names.of(report.kernels[i].name), *kernel);
  }
}

}  // namespace foretask::report
