// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "report/page/parts.hpp"
#include "report/page/source_place.hpp"
#include "report/page/views.hpp"
#include "report/run/reading.hpp"
#include "report/units.hpp"

namespace foretask::report {
namespace {

constexpr std::size_t kPlaces = 10;
constexpr int kLinesBeside = 3;
constexpr std::size_t kMostColumns = 200;  // of a source line

// The kernel's line and three on both sides; nothing where the file's folders are not known, and where it is not there
// or too short.
void add_source(Text& text, const PageContent& content, const std::string& kernel) {
  const std::optional<SourcePlace> place = source_place(content, kernel);
  if (!place || !place->file.starts_with('/')) return;
  std::ifstream file(place->file);
  Text lines;
  int number = 1;
  for (std::string line; number <= place->line + kLinesBeside && std::getline(file, line); ++number) {
    if (number < place->line - kLinesBeside) continue;
    line.resize(std::min(line.size(), kMostColumns));
    const char* const mark = number == place->line ? "mark" : "span";
    // One line of markup_text() loses its indentation.
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    add(lines, "<{0}>{1:>5}  {2}{3}</{0}>\n", mark, number, std::string(indent, ' '),
        indent < line.size() ? markup_text(line) : "");
  }
  if (number > place->line) add(text, "<pre tabindex=\"0\">{}</pre>\n", fmt::to_string(lines));
}

std::string cause_of(const analysis::PathGap& gap) {
  if (2 * gap.others_ns >= gap.length_ns) return "worker was busy";
  return gap.is_on_another_worker ? "idle worker took it up" : "worker was idle";
}

void add_gaps(Text& text, const PageContent& content, const ShortNames& names) {
  const analysis::Report& report = content.report;
  const analysis::CriticalPath& last = report.last_finisher;
  std::string words = fmt::format(
      "Going back from the strand that ended last, each time to what it waited for longest: {} of work and {} from "
      "being "
      "ready to being started.",
      format_ns(last.work_ns), format_ns(last.delay_ns));
  if (!last.gaps.empty())
    words +=
        " In a gap, the worker that went on with the path was at other strands at first: more workers or another order "
        "may save that. Then it had none: that is time of the runtime and the system.";
  add_paragraph(text, words);
  if (last.gaps.empty()) return;
  Table table(text, "The longest gaps on that path",
              {"before", "gap", "from", "other strands", "mostly", "workers busy", "what happened"}, Shown::kAlways);
  for (const analysis::PathGap& gap : last.gaps) {
    if (gap.kernel >= report.kernels.size() || gap.others_kernel >= report.kernels.size()) continue;
    const auto length = static_cast<double>(gap.length_ns);
    const auto others = static_cast<double>(gap.others_ns);
    const double busy = ratio(gap.busy_ns, length * static_cast<double>(report.workers));
    table.row({names.of(report.kernels[gap.kernel].name), ns_cell(length), ns_cell(gap.begin_ns), ns_cell(others),
               others > 0 ? names.of(report.kernels[gap.others_kernel].name) : "-", share_cell(busy), cause_of(gap)});
  }
}

}  // namespace

void add_critical_path(Text& text, const PageContent& content) {
  const analysis::Report& report = content.report;
  const analysis::CriticalPath& path = report.longest_work;
  if (path.kernels.empty()) return;
  const std::string meaning =
      is_span_known(report)
          ? "The run cannot be shorter on any number of cores, unless what is on it becomes faster or is divided."
          : "How some of the work divides was not seen: the true one may be another.";
  const View view(text, "critical-path", "The critical path",
                  fmt::format("The longest chain of strands that wait for each other: {} of work. {}",
                              format_ns(path.work_ns), meaning));
  const ShortNames names = short_names_of(report, ShortNames::kSentenceColumns);
  add(text, "<ol>\n");
  for (std::size_t i = 0; i < std::min(path.kernels.size(), kPlaces); ++i) {
    const auto& [kernel, ns] = path.kernels[i];
    if (kernel >= report.kernels.size()) continue;
    const std::string& name = report.kernels[kernel].name;
    add(text, "<li><p>{}: {}, {} of the path</p>\n", markup_text(names.of(name)), format_ns(ns),
        markup_text(format_share(ratio(ns, path.work_ns))));
    add_source(text, content, name);
    add(text, "</li>\n");
  }
  add(text, "</ol>\n");
  add_gaps(text, content, names);
}

}  // namespace foretask::report
