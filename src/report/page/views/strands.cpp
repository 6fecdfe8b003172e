// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "report/figure/chart.hpp"
#include "report/page/parts.hpp"
#include "report/page/views.hpp"
#include "report/units.hpp"

namespace foretask::report {
namespace {

constexpr std::size_t kColumns = 320;
constexpr std::size_t kRows = 40;

struct Mean {
  double time_ns = 0;
  double running = 0;
  double ready = 0;
};

// Means over `columns` equal parts of the time.
std::vector<Mean> means_of(const std::vector<analysis::ProfilePoint>& profile, std::size_t columns) {
  std::vector<Mean> means;
  if (profile.size() < 2) return means;
  const auto end = static_cast<double>(profile.back().time_ns);
  const double width = end / static_cast<double>(columns);
  means.resize(columns);
  for (std::size_t i = 0; i < columns; ++i) means[i].time_ns = (static_cast<double>(i) + 0.5) * width;
  for (std::size_t i = 0; i + 1 < profile.size(); ++i) {
    const auto from = static_cast<double>(profile[i].time_ns);
    const auto to = static_cast<double>(profile[i + 1].time_ns);
    auto column = std::min(static_cast<std::size_t>(from / width), columns - 1);
    for (; column < columns && static_cast<double>(column) * width < to; ++column) {
      const double part =
          std::min(to, static_cast<double>(column + 1) * width) - std::max(from, static_cast<double>(column) * width);
      if (part <= 0) continue;
      means[column].running += profile[i].running * part / width;
      means[column].ready += profile[i].ready * part / width;
    }
  }
  return means;
}

}  // namespace

void add_strands(Text& text, const PageContent& content) {
  const analysis::Report& report = content.report;
  if (report.profile.size() < 2) return;
  const View view(text, "strands", "Running and ready over time",
                  "How many strands (pieces of tasks between two events) ran at once, and how many more were ready and "
                  "waited for a worker. Where fewer run than there are workers and none is ready, there is no work; "
                  "where many are ready, more cores would help.");
  const auto end = static_cast<double>(report.profile.back().time_ns);
  const std::vector<Mean> means = means_of(report.profile, kColumns);
  std::vector<ChartPoint> none, running, all;
  double most = report.workers;
  for (const Mean& mean : means) {
    none.push_back({mean.time_ns, 0});
    running.push_back({mean.time_ns, mean.running});
    all.push_back({mean.time_ns, mean.running + mean.ready});
    most = std::max(most, mean.running + mean.ready);
  }
  // Thousands of ready strands would flatten the running ones.
  const double top = std::min(most, 4.0 * report.workers) * 1.05;
  {
    Chart chart(text, "strands-figure", "Running and ready strands over time", time_axis("time", end, 8),
                {"strands", 0, top, count_ticks(top, 7), false});
    chart.band("ready", running, all);
    chart.band("work", none, running);
    chart.line("bound", {{0, static_cast<double>(report.workers)}, {end, static_cast<double>(report.workers)}});
    chart.legend("work", "running");
    chart.legend("ready", most > top ? fmt::format("ready (up to {:.0f}: cut off)", most - report.workers) : "ready");
    chart.legend("bound", "workers");
  }
  Table table(text, "Running and ready strands, means", {"from", "running", "ready"}, Shown::kOnDemand);
  for (const Mean& mean : means_of(report.profile, kRows)) {
    const double from = mean.time_ns - end / (2 * static_cast<double>(kRows));
    table.row({ns_cell(from),
               {fmt::format("{:.2f}", mean.running), mean.running},
               {fmt::format("{:.2f}", mean.ready), mean.ready}});
  }
}

}  // namespace foretask::report
