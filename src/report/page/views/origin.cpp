// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "report/page/frame.hpp"
#include "report/page/parts.hpp"
#include "report/page/views.hpp"
#include "report/run/run_report.hpp"

namespace foretask::report {

void add_origin(Text& text, const PageContent& content) {
  const View view(text, "origin", "Where this came from",
                  "The recorded program, the machine, and what wrote this page.");
  {
    Table table(text, "The recording", {"what", "value"}, Shown::kAlways);
    for (const auto& [what, value] : content.origin) table.row({what, value});
  }
  add_data_block(text, "data-report", report_json(content.report, content.cut_off));
}

}  // namespace foretask::report
