// SPDX-License-Identifier: Apache-2.0
#include "report/page/page.hpp"

#include <algorithm>

#include "report/page/frame.hpp"
#include "report/page/parts.hpp"
#include "report/page/views.hpp"
#include "report/plain_text.hpp"
#include "report/run/run_report.hpp"

namespace foretask::report {
namespace {

std::string title_of(const std::string& program) {
  const std::string name = program.substr(program.rfind('/') + 1);
  return name.empty() ? "recording" : name;
}

void add_origin(Text& text, const PageContent& content) {
  const View view(text, "origin", "Where this came from",
                  "The recorded program, the machine, and what wrote this page.");
  {
    Table table(text, "The recording", {"what", "value"}, Shown::kAlways);
    for (const auto& [what, value] : content.origin) table.row({what, value});
  }
  add_data_block(text, "data-report", report_json(content.report, content.cut_off, content.efficiencies));
}

}  // namespace

void write_page(const PageContent& content, Output& output) {
  Text views;
  const StrandSums sums(content.timeline);
  add_processes(views, content);
  add_answer(views, content);
  add_workers(views, content, sums);
  add_speed_up(views, content);
  add_what_if(views, content);
  add_strands(views, content);
  add_timeline(views, content);
  add_kernels(views, content, sums);
  add_critical_path(views, content);
  add_kernel_models(views, content);
  add_graph(views, content);
  add_predicted_times(views, content);
  add_origin(views, content);
  write_framed(title_of(content.report.program), views, output);
}

bool is_extrapolated(const PredictedTimes& predicted, double n, double p) {
  if (predicted.runs.empty()) return true;
  const auto [least, largest] = std::minmax_element(predicted.runs.begin(), predicted.runs.end(),
                                                    [](const auto& a, const auto& b) { return a.n < b.n; });
  const auto most = std::max_element(predicted.runs.begin(), predicted.runs.end(),
                                     [](const auto& a, const auto& b) { return a.p < b.p; });
  return n < least->n || n > largest->n || p > most->p;
}

}  // namespace foretask::report
