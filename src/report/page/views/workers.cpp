// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/page/parts.hpp"
#include "report/page/views.hpp"
#include "report/run/reading.hpp"
#include "report/units.hpp"

namespace foretask::report {
namespace {

constexpr double kWidth = 720;
constexpr double kLeft = 96;
constexpr double kBarHeight = 18;
constexpr double kGap = 6;
constexpr std::size_t kWorkersDrawn = 64;

struct Share {
  const char* kind;
  const char* name;
  double ns;
};

// From the left: each share's width is its part of `whole_ns`.
void add_bar(Text& text, double top, std::string_view label, const std::vector<Share>& shares, double whole_ns) {
  add(text, "<text class=\"end\" x=\"{}\" y=\"{:.1f}\">{}</text>", kLeft - 6, top + kBarHeight - 5, markup_text(label));
  double left = kLeft;
  for (const Share& share : shares) {
    const double width = (kWidth - kLeft) * std::clamp(ratio(share.ns, whole_ns), 0.0, 1.0);
    add(text,
        "<rect class=\"bar {}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\"><title>{}: {}, "
        "{}</title></rect>",
        share.kind, left, top, width, kBarHeight, share.name, format_ns(share.ns),
        markup_text(format_share(ratio(share.ns, whole_ns))));
    left += width;
  }
  add(text, "\n");
}

// Stripes, so that areas differ by more than colour: the style sheet fills areas of any figure with them.
void add_pattern(Text& text, std::string_view kind, int degrees) {
  add(text,
      "<pattern id=\"pattern-{0}\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\" "
      "patternTransform=\"rotate({1})\"><path class=\"area {0}\" d=\"M0 0h7v7H0z\"/><path class=\"stripe\" "
      "d=\"M1 0v7\"/></pattern>",
      kind, degrees);
}

}  // namespace

void add_workers(Text& text, const PageContent& content, const StrandSums& sums) {
  const analysis::Report& report = content.report;
  const auto elapsed = static_cast<double>(report.elapsed_ns);
  const double worker_ns = report.workers * elapsed;
  const View view(text, "workers", "Where the workers' time went",
                  "Of all workers together: the program's own code (work), workers that were idle or in the runtime "
                  "although something was ready (scheduler delay), and workers for which nothing was ready (no work). "
                  "Below, how much of its time each worker ran the program's code.");
  const std::vector<Share> shares{{"work", "work", static_cast<double>(report.work_ns)},
                                  {"delay", "scheduler delay", static_cast<double>(report.delay_ns)},
                                  {"nowork", "no work", static_cast<double>(report.no_work_ns)}};
  const std::size_t drawn = std::min(sums.busy_ns.size(), kWorkersDrawn);
  const double height = (static_cast<double>(drawn) + 1) * (kBarHeight + kGap) + 2 * kGap;
  add(text, "<figure><svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n", kWidth, height,
      markup_text(fmt::format("Of the workers' time {} was work, {} scheduler delay and {} no work",
                              format_share(ratio(shares[0].ns, worker_ns)),
                              format_share(ratio(shares[1].ns, worker_ns)),
                              format_share(ratio(shares[2].ns, worker_ns)))));
  add(text, "<defs>");
  add_pattern(text, "delay", 45);
  add_pattern(text, "ready", -45);
  add(text, "</defs>\n");
  add_bar(text, 0, "all", shares, worker_ns);
  double top = kBarHeight + 3 * kGap;
  for (std::size_t i = 0; i < drawn; ++i, top += kBarHeight + kGap) {
    const auto busy = static_cast<double>(sums.busy_ns[i]);
    add_bar(text, top, fmt::format("worker {}", i), {{"work", "work", busy}}, elapsed);
  }
  add(text, "</svg>\n<figcaption>");
  for (const Share& share : shares) add_key(text, share.kind, share.name);
  if (drawn < sums.busy_ns.size())
    add(text, "The figure has the first {} of {} workers, the table all.", drawn, sums.busy_ns.size());
  add(text, "</figcaption></figure>\n");
  {
    Table table(text, "The workers' time", {"what", "time", "of all"}, Shown::kOnDemand);
    for (const Share& share : shares)
      table.row({share.name, ns_cell(share.ns), share_cell(ratio(share.ns, worker_ns))});
  }
  Table table(text, "Work by worker", {"worker", "work", "of the elapsed time"}, Shown::kOnDemand);
  for (std::size_t i = 0; i < sums.busy_ns.size(); ++i) {
    const auto busy = static_cast<double>(sums.busy_ns[i]);
    table.row({{fmt::format("{}", i), static_cast<double>(i)}, ns_cell(busy), share_cell(ratio(busy, elapsed))});
  }
}

}  // namespace foretask::report
