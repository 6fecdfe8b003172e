// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "report/figure/chart.hpp"
#include "report/page/frame.hpp"
#include "report/page/parts.hpp"
#include "report/page/views.hpp"
#include "report/run/reading.hpp"
#include "report/units.hpp"

namespace foretask::report {
namespace {

// The script puts it there (script/slider.ts), with a copy of the speed-up's figure.
void add_slider(Text& text, const SpeedUps& ups, const analysis::Report& report) {
  const ShortNames names = short_names_of(report, ShortNames::kSentenceColumns);
  Json json = {{"work", report.work_ns}, {"factors", ups.factors}, {"makespans", ups.makespans_ns}};
  for (const std::uint32_t kernel : ups.kernels) json["kernels"].push_back(names.of(report.kernels[kernel].name));
  for (const SpeedUpPoint& point : ups.points) {
    json["cores"].push_back(point.cores);
    json["base"].push_back(point.makespan_ns);
  }
  add(text, "<div id=\"what-if-slider\"></div>\n");
  add_data_block(text, "data-what-if", json);
}

// The kernel whose replay on most cores is shortest, at the first factor for all.
std::optional<std::size_t> best_kernel(const SpeedUps& ups) {
  if (ups.kernels.empty() || ups.points.empty()) return std::nullopt;
  std::size_t best = 0;
  const std::size_t last = ups.points.size() - 1;
  for (std::size_t i = 1; i < ups.kernels.size(); ++i)
    if (ups.makespan_ns(i, 0, last) < ups.makespan_ns(best, 0, last)) best = i;
  return best;
}

// Those of the replays; where nothing was replayed powers of two.
std::vector<double> cores_of(const PageContent& content) {
  constexpr double kMost = 64;
  std::vector<double> cores;
  for (const SpeedUpPoint& point : content.speed_ups.points) cores.push_back(point.cores);
  if (!cores.empty()) return cores;
  const double last = std::max(kMost, static_cast<double>(content.report.workers));
  for (double count = 1; count <= last; count *= 2) cores.push_back(count);
  return cores;
}

// Of any schedule: by the work law and the span law, as far as they are known.
double most_speed_up(const analysis::Report& report, double cores) {
  if (!is_span_known(report)) return cores;
  return std::min(cores, ratio(report.work_ns, report.span_ns));
}

std::string bound_words(const analysis::Report& report) {
  return is_span_known(report) ? "as it is, no schedule is faster: the cores, and work / critical path"
                               : "as it is, no schedule is faster: the cores; the critical path is not known";
}

}  // namespace

void add_speed_up(Text& text, const PageContent& content) {
  const analysis::Report& report = content.report;
  const SpeedUps& ups = content.speed_ups;
  const View view(text, "speed-up", "Speed-up over cores",
                  "How many times faster the run gets on more cores: work / time. Replays of the recorded graph, the "
                  "most that any schedule could reach, and what was measured.");
  if (ups.points.empty()) add_paragraph(text, ups.reason);
  const auto work = static_cast<double>(report.work_ns);
  const double measured = ratio(work, report.elapsed_ns);
  const ShortNames names = short_names_of(report, ShortNames::kSentenceColumns);
  const std::optional<std::size_t> best = best_kernel(ups);
  const std::vector<double> cores = cores_of(content);
  double top = measured;
  std::vector<ChartPoint> replayed, low, high, bound, changed;
  for (const double count : cores) {
    bound.push_back({count, most_speed_up(report, count)});
    top = std::max(top, bound.back().y);
  }
  for (std::size_t i = 0; i < ups.points.size(); ++i) {
    const SpeedUpPoint& point = ups.points[i];
    const auto speed = [work](std::int64_t ns) { return ratio(work, ns); };
    replayed.push_back({cores[i], speed(point.makespan_ns)});
    low.push_back({cores[i], speed(point.highest_ns)});
    high.push_back({cores[i], speed(point.lowest_ns)});
    if (best) changed.push_back({cores[i], speed(ups.makespan_ns(*best, 0, i))});
    top = std::max({top, high.back().y, best ? changed.back().y : 0});
  }
  const bool is_replayed = !replayed.empty();
  {
    Chart chart(text, "speed-up-figure",
                is_replayed ? fmt::format("Replayed speed-up {:.2f} on {}", replayed.back().y,
                                          format_count(ups.points.back().cores, "core", "cores"))
                            : fmt::format("Measured speed-up {:.2f}, and the most that is possible", measured),
                core_axis(cores), {"speed-up", 0, top * 1.05, count_ticks(top * 1.05, 7), false});
    chart.band("replay", low, high);
    chart.line("bound", bound);
    chart.line("changed", changed);
    chart.line("replay", replayed);
    chart.point("measured", {static_cast<double>(report.workers), measured}, "measured");
    if (is_replayed) chart.legend("replay", "replayed" + (ups.how.empty() ? "" : ", " + ups.how));
    if (!ups.band.empty()) chart.legend("replay", "the band around it: " + ups.band);
    chart.legend("bound", bound_words(report));
    if (best)
      chart.legend("changed", fmt::format("{} {} times as fast", names.of(report.kernels[ups.kernels[*best]].name),
                                          ups.factors.front()));
    chart.legend("measured", "measured: the recorded run");
  }
  std::vector<std::string> columns{"cores", "bound"};
  if (is_replayed) columns = {"cores", "time", "speed-up", "least", "most", "bound"};
  Table table(text, "Speed-up by cores", columns, Shown::kOnDemand);
  const auto cell = [](const ChartPoint& point) { return Cell(fmt::format("{:.2f}", point.y), point.y); };
  for (std::size_t i = 0; i < cores.size(); ++i) {
    std::vector<Cell> cells{{format_count(static_cast<std::uint64_t>(cores[i])), cores[i]}};
    if (is_replayed) {
      cells.insert(cells.end(), {ns_cell(ups.points[i].makespan_ns), cell(replayed[i]), cell(low[i]), cell(high[i])});
    }
    cells.push_back(cell(bound[i]));
    table.row(cells);
  }
}

void add_what_if(Text& text, const PageContent& content) {
  const SpeedUps& ups = content.speed_ups;
  const View view(text, "what-if", "What if a kernel were faster",
                  "The whole run's gain by replays with one kernel faster, on each number of cores: the kernel that is "
                  "worth the effort comes first.");
  if (ups.kernels.empty()) {
    add_paragraph(text, ups.reason);
    return;
  }
  const analysis::Report& report = content.report;
  const ShortNames names = short_names_of(report);
  add_slider(text, ups, report);
  const auto gain = [&](std::size_t kernel, std::size_t factor, std::size_t point) {
    return ratio(ups.points[point].makespan_ns, ups.makespan_ns(kernel, factor, point)) - 1;
  };
  std::vector<std::size_t> order(ups.kernels.size());
  std::iota(order.begin(), order.end(), 0);
  const std::size_t last = ups.points.size() - 1;
  for (std::size_t factor = 0; factor < ups.factors.size(); ++factor) {
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return gain(a, factor, last) > gain(b, factor, last); });
    std::vector<std::string> columns{"kernel", "of the work"};
    for (const SpeedUpPoint& point : ups.points) columns.push_back(format_count(point.cores, "core", "cores"));
    Table table(text, fmt::format("Gain if a kernel were {} times as fast", ups.factors[factor]), columns,
                factor == 0 ? Shown::kAlways : Shown::kOnDemand);
    for (const std::size_t kernel : order) {
      const analysis::KernelSummary& summary = report.kernels[ups.kernels[kernel]];
      const double share = ratio(summary.work_ns, report.work_ns);
      std::vector<Cell> cells{names.of(summary.name), share_cell(share)};
      for (std::size_t point = 0; point < ups.points.size(); ++point) {
        const double gained = gain(kernel, factor, point);
        cells.emplace_back(fmt::format("{:+.1f} %", in_percent(gained)), gained);
      }
      table.row(cells);
    }
  }
  if (!ups.reason.empty()) add_paragraph(text, ups.reason);
}

}  // namespace foretask::report
