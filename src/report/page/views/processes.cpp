// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "report/page/parts.hpp"
#include "report/page/views.hpp"
#include "report/run/processes.hpp"
#include "report/units.hpp"

namespace foretask::report {
namespace {

constexpr double kWidth = 720;
constexpr double kLeft = 96;
constexpr double kBarHeight = 18;
constexpr double kGap = 6;
constexpr std::size_t kCommandLetters = 120;

// Each process from its start to its end; the whole width is the launch.
void add_bars(Text& text, const analysis::ProcessShares& shares) {
  if (!shares.elapsed_ns || *shares.elapsed_ns == 0) return;
  const auto whole = static_cast<double>(*shares.elapsed_ns);
  const std::vector<std::size_t> rows = largest_processes(shares);
  add(text, "<figure><svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n", kWidth,
      static_cast<double>(rows.size()) * (kBarHeight + kGap),
      markup_text(fmt::format("When each of {} ran", format_count(rows.size(), "process", "processes"))));
  double top = 0;
  for (const std::size_t row : rows) {
    const analysis::RecordedProcess& one = shares.processes[row];
    const double from = ratio(*one.start_ns, whole);
    const double part = ratio(*one.elapsed_ns, whole);
    add(text, "<text class=\"end\" x=\"{}\" y=\"{:.1f}\">{}</text>", kLeft - 6, top + kBarHeight - 5,
        markup_text(one.name));
    add(text,
        "<rect class=\"bar {}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\"><title>{}: {} of CPU time in "
        "{}</title></rect>\n",
        row == shares.shown ? "path" : "work", kLeft + (kWidth - kLeft) * from, top,
        std::max(1.0, (kWidth - kLeft) * part), kBarHeight, markup_text(command_words(one, kCommandLetters)),
        markup_text(time_words(one.cpu_ns)), markup_text(time_words(one.elapsed_ns)));
    top += kBarHeight + kGap;
  }
  add(text, "</svg>\n<figcaption>");
  add_key(text, "path", "the process that the rest of the page is about");
  add_key(text, "work", "another process");
  add(text, "The whole width: {}. ", markup_text(format_ns(whole)));
  if (rows.size() < shares.processes.size())
    add(text, "The figure has the {} processes with the most CPU time, the table all.", rows.size());
  add(text, "</figcaption></figure>\n");
}

Cell time_cell(const std::optional<std::int64_t>& ns) { return {time_words(ns), static_cast<double>(ns.value_or(-1))}; }

}  // namespace

void add_processes(Text& text, const PageContent& content) {
  const analysis::ProcessShares& shares = content.report.processes;
  if (shares.processes.empty()) return;
  const View view(text, "processes", "How the processes shared the time",
                  "The recorded processes of one launch, in the order in which they began to record.");
  add(text, "<p class=\"lead\">{}</p>\n", markup_text(processes_words(shares)));
  add_bars(text, shares);
  {
    Table table(text, "The processes", {"process", "start", "took", "CPU time", "of all", "command"}, Shown::kAlways);
    for (const analysis::RecordedProcess& one : shares.processes) {
      const double share = cpu_share(shares, one);
      table.row({one.name,
                 time_cell(one.start_ns),
                 time_cell(one.elapsed_ns),
                 time_cell(one.cpu_ns),
                 {format_share(share), one.cpu_ns ? share : -1},
                 command_words(one, kCommandLetters)});
    }
  }
  add_paragraph(text, shown_words(shares));
}

}  // namespace foretask::report
