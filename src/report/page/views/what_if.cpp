// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "report/page/data_block.hpp"
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

}  // namespace

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
    return ratio(static_cast<double>(ups.points[point].makespan_ns),
                 static_cast<double>(ups.makespan_ns(kernel, factor, point))) -
           1;
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
      const double share = ratio(static_cast<double>(summary.work_ns), static_cast<double>(report.work_ns));
      std::vector<Cell> cells{names.of(summary.name), {format_share(share), share}};
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
