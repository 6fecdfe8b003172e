// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "report/page/chart.hpp"
#include "report/page/parts.hpp"
#include "report/page/views.hpp"
#include "report/run/reading.hpp"
#include "report/units.hpp"

namespace foretask::report {
namespace {

// The kernel and factor whose replay on most cores is shortest.
struct Best {
  std::size_t kernel = 0;
  std::size_t factor = 0;
};

std::optional<Best> best_change(const SpeedUps& ups) {
  if (ups.kernels.empty() || ups.points.empty()) return std::nullopt;
  Best best;
  const std::size_t last = ups.points.size() - 1;
  // The same factor for all: which kernel is it worth most in?
  best.factor = 0;
  for (std::size_t i = 1; i < ups.kernels.size(); ++i)
    if (ups.makespan_ns(i, best.factor, last) < ups.makespan_ns(best.kernel, best.factor, last)) best.kernel = i;
  return best;
}

std::vector<Tick> core_ticks(const std::vector<SpeedUpPoint>& points) {
  std::vector<Tick> ticks;
  for (const SpeedUpPoint& point : points)
    ticks.push_back({static_cast<double>(point.cores), format_count(point.cores)});
  return ticks;
}

// Of any schedule: by the work law and the span law, as far as they are known.
double most_speed_up(const analysis::Report& report, double cores) {
  if (!is_span_known(report)) return cores;
  return std::min(cores, ratio(static_cast<double>(report.work_ns), static_cast<double>(report.span_ns)));
}

std::string bound_words(const analysis::Report& report) {
  return is_span_known(report) ? "as it is, no schedule is faster: the cores, and work / critical path"
                               : "as it is, no schedule is faster: the cores; the critical path is not known";
}

void add_bound_alone(Text& text, const analysis::Report& report) {
  constexpr double kMostCores = 64;
  const double last = std::max(kMostCores, static_cast<double>(report.workers));
  std::vector<ChartPoint> bound;
  std::vector<Tick> ticks;
  double top = 1;
  for (double cores = 1; cores <= last; cores *= 2) {
    bound.push_back({cores, most_speed_up(report, cores)});
    ticks.push_back({cores, fmt::format("{}", cores)});
    top = std::max(top, bound.back().y);
  }
  const double measured = ratio(static_cast<double>(report.work_ns), static_cast<double>(report.elapsed_ns));
  {
    Chart chart(text, "speed-up-figure",
                fmt::format("Measured speed-up {:.2f}, and the most that is possible", measured),
                {"cores", 1, last, ticks, true}, {"speed-up", 0, top * 1.05, count_ticks(top * 1.05, 7), false});
    chart.line("bound", bound);
    chart.point("measured", {static_cast<double>(report.workers), measured}, "measured");
    chart.legend("bound", bound_words(report));
    chart.legend("measured", "measured: the recorded run");
  }
  Table table(text, "The most that is possible", {"cores", "speed-up"}, Shown::kOnDemand);
  for (const ChartPoint& point : bound)
    table.row({{fmt::format("{}", point.x), point.x}, {fmt::format("{:.2f}", point.y), point.y}});
}

}  // namespace

void add_speed_up(Text& text, const PageContent& content) {
  const analysis::Report& report = content.report;
  const SpeedUps& ups = content.speed_ups;
  const View view(text, "speed-up", "Speed-up over cores",
                  "How many times faster the run gets on more cores: work / time. Replays of the recorded graph, the "
                  "most that any schedule could reach, and what was measured.");
  const auto work = static_cast<double>(report.work_ns);
  if (ups.points.empty()) {
    add_paragraph(text, ups.reason);
    add_bound_alone(text, report);
    return;
  }
  const auto last = static_cast<double>(ups.points.back().cores);
  const ShortNames names = short_names_of(report, ShortNames::kSentenceColumns);
  const std::optional<Best> best = best_change(ups);
  double top = ratio(work, static_cast<double>(report.elapsed_ns));
  std::vector<ChartPoint> replayed, low, high, bound, changed;
  for (std::size_t i = 0; i < ups.points.size(); ++i) {
    const SpeedUpPoint& point = ups.points[i];
    const double cores = point.cores;
    const auto speed = [work](std::int64_t ns) { return ratio(work, static_cast<double>(ns)); };
    replayed.push_back({cores, speed(point.makespan_ns)});
    low.push_back({cores, speed(point.highest_ns)});
    high.push_back({cores, speed(point.lowest_ns)});
    bound.push_back({cores, most_speed_up(report, cores)});
    if (best) changed.push_back({cores, speed(ups.makespan_ns(best->kernel, best->factor, i))});
    top = std::max({top, high.back().y, bound.back().y, best ? changed.back().y : 0});
  }
  {
    Chart chart(text, "speed-up-figure",
                fmt::format("Replayed speed-up {:.2f} on {}", replayed.back().y,
                            format_count(ups.points.back().cores, "core", "cores")),
                {"cores", static_cast<double>(ups.points.front().cores), last, core_ticks(ups.points), true},
                {"speed-up", 0, top * 1.05, count_ticks(top * 1.05, 7), false});
    chart.band("replay", low, high);
    chart.line("bound", bound);
    chart.line("changed", changed);
    chart.line("replay", replayed);
    chart.point("measured", {static_cast<double>(report.workers), ratio(work, static_cast<double>(report.elapsed_ns))},
                "measured");
    chart.legend("replay", "replayed" + (ups.how.empty() ? "" : ", " + ups.how));
    if (!ups.band.empty()) chart.legend("replay", "the band around it: " + ups.band);
    chart.legend("bound", bound_words(report));
    if (best)
      chart.legend("changed",
                   fmt::format("{} {} times as fast", names.of(report.kernels[ups.kernels[best->kernel]].name),
                               ups.factors[best->factor]));
    chart.legend("measured", "measured: the recorded run");
  }
  Table table(text, "Speed-up by cores", {"cores", "time", "speed-up", "least", "most", "bound"}, Shown::kOnDemand);
  for (std::size_t i = 0; i < ups.points.size(); ++i) {
    const auto ns = static_cast<double>(ups.points[i].makespan_ns);
    table.row({{format_count(ups.points[i].cores), static_cast<double>(ups.points[i].cores)},
               {format_ns(ns), ns},
               {fmt::format("{:.2f}", replayed[i].y), replayed[i].y},
               {fmt::format("{:.2f}", low[i].y), low[i].y},
               {fmt::format("{:.2f}", high[i].y), high[i].y},
               {fmt::format("{:.2f}", bound[i].y), bound[i].y}});
  }
}

}  // namespace foretask::report
