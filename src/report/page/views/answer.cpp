// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "report/page/parts.hpp"
#include "report/page/views.hpp"
#include "report/run/causes.hpp"
#include "report/run/reading.hpp"
#include "report/sentences.hpp"
#include "report/units.hpp"

namespace foretask::report {
namespace {

using analysis::Report;

std::string completeness(const Report& report) {
  std::string words = report.dropped_events == 0
                          ? "No event was lost"
                          : fmt::format("{} lost: every figure lacks what they would say",
                                        format_count(report.dropped_events, "event was", "events were"));
  words += report.has_ended ? ", and the recording goes on to the program's end. "
                            : ". The recording stops before the program's end. ";
  return words;
}

std::string identity_words(const Report& report) {
  return fmt::format(
      "Useful work and causes add up to workers x wall time{}. Recording took {}, which the figures leave out. ",
      report.identity_error == 0 ? "" : fmt::format(", {:.1e} of which no event explains", report.identity_error),
      format_ns(report.probe_ns));
}

std::string assumed_words(const Report& report) {
  const double assumed = ratio(report.assumed_even_ns, report.work_ns);
  if (assumed < 0.01) return "How the work divides among threads was seen for all of it.";
  return fmt::format(
      "How {} of the work divides was not seen: replays on other numbers of cores divide it evenly. A recording on "
      "another number of threads would show it.",
      format_share(assumed));
}

void add_causes(Text& text, const Report& report) {
  const CauseTable causes = cause_table(report);
  std::vector<std::string> columns{"what", "time", "share"};
  for (const std::uint32_t cores : causes.cores)
    columns.push_back("without it on " + format_count(cores, "core", "cores"));
  columns.emplace_back("most to blame");
  Table table(text, "Where the cores' time went. Useful work: with the run as it is", columns, Shown::kAlways);
  for (const CauseRow& row : causes.rows) {
    std::vector<Cell> cells{std::string(row.name), ns_cell(row.ns), share_cell(row.share)};
    cells.insert(cells.end(), row.without.begin(), row.without.end());
    cells.emplace_back(row.kernel);
    table.row(cells);
  }
}

}  // namespace

void add_answer(Text& text, const PageContent& content) {
  const Report& report = content.report;
  const View view(text, "answer", "What limits the program",
                  "The answer in words, and how far it can be trusted. The views below show what it rests on.");
  add_paragraph(text, took_words(report) + ". " + shares_words(report));
  add(text, "<p class=\"lead\">{}</p>\n", markup_text(answer_words(report)));
  add_paragraph(text, "More cores: " + more_cores_words(report));
  add_causes(text, report);
  if (content.cut_off) add_paragraph(text, advice_words(*content.cut_off));
  add(text, "<h3>How far it can be trusted</h3>\n");
  add_paragraph(text, completeness(report) + identity_words(report) + assumed_words(report));
  if (report.warnings.empty()) return;
  add(text, "<ul class=\"warnings\">\n");
  for (const std::string& warning : report.warnings) add(text, "<li>{}</li>\n", markup_text(warning));
  add(text, "</ul>\n");
}

}  // namespace foretask::report
