// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "report/page/parts.hpp"
#include "report/page/views.hpp"
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
      "Work, delay and no work add up to workers x elapsed time but for {} of it. Recording took {}, which the figures "
      "leave out. ",
      report.identity_error == 0 ? "nothing" : fmt::format("{:.1e}", report.identity_error),
      format_ns(report.probe_ns));
}

std::string assumed_words(const Report& report) {
  const double assumed = ratio(report.assumed_even_ns, report.work_ns);
  if (assumed < 0.01) return "All of the work was seen to divide as the replays divide it.";
  return fmt::format(
      "How {} of the work divides was not seen: replays on other numbers of cores divide it evenly. A recording on "
      "another number of threads would show it.",
      format_share(assumed));
}

}  // namespace

void add_answer(Text& text, const PageContent& content) {
  const Report& report = content.report;
  const double worker_ns = report.workers * static_cast<double>(report.elapsed_ns);
  const View view(text, "answer", "What limits the program",
                  "The answer in words, and how far it can be trusted. The views below show what it rests on.");
  add_paragraph(text, fmt::format("{} on {}; {}.", format_ns(report.elapsed_ns),
                                  format_count(report.workers, "worker", "workers"), parallelism_words(report)));
  if (const std::string estimate = estimate_words(report); !estimate.empty()) add_paragraph(text, estimate);
  if (const std::string held_up = held_up_words(report); !held_up.empty()) add_paragraph(text, held_up);
  add(text, "<p class=\"lead\">{}</p>\n", markup_text(reading(report, worker_ns)));
  if (content.cut_off) add_paragraph(text, advice_words(*content.cut_off));
  add(text, "<h3>How far it can be trusted</h3>\n");
  add_paragraph(text, completeness(report) + identity_words(report) + assumed_words(report));
  if (report.warnings.empty()) return;
  add(text, "<ul class=\"warnings\">\n");
  for (const std::string& warning : report.warnings) add(text, "<li>{}</li>\n", markup_text(warning));
  add(text, "</ul>\n");
}

}  // namespace foretask::report
