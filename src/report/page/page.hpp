// SPDX-License-Identifier: Apache-2.0
// A report as one HTML file that needs nothing else: no network, and no script for what it says in words, tables and
// figures. docs/page.md says what it shows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "foretask/analysis/cut_off_advice.hpp"
#include "foretask/analysis/run.hpp"
#include "report/output.hpp"
#include "report/page/folded_graph.hpp"
#include "report/page/kernel_models.hpp"
#include "report/page/makespans.hpp"
#include "report/page/predicted_times.hpp"
#include "report/page/speed_ups.hpp"
#include "report/timeline/timeline.hpp"

namespace foretask::report {

// Refers to what it is made of.
struct PageContent {
  const analysis::Report& report;
  const Timeline& timeline;
  std::optional<analysis::CutOffAdvice> cut_off;
  SpeedUps speed_ups;
  KernelModels kernel_models;
  SpanPart span_part;  // empty: no folded graph
  PredictedTimes predicted;
  Makespans makespans;
  std::vector<std::pair<std::string, std::string>> origin;  // machine and versions: what, and its value
  // "https://host/file#L{line}" with {file} and {line}; empty: kernels' places are no links.
  std::string source_link;
  // The part of the recording that the timeline shows, in ns from its start, exactly where possible; empty: all of it.
  std::optional<std::pair<std::int64_t, std::int64_t>> stretch;
};

// O(strands), and some 50 MB beside what the content has. A failed write is told by output.finish().
void write_page(const PageContent& content, Output& output);

}  // namespace foretask::report
