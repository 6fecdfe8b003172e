// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "report/predict/prediction.hpp"
#include "report/text.hpp"
#include "report/units.hpp"

namespace foretask::report {
namespace {

std::string interval(const analysis::SpeculationPoint& row) {
  return std::isnan(row.low) || std::isnan(row.high) ? "unknown"
                                                     : fmt::format("{} - {}", format_ns(row.low), format_ns(row.high));
}

std::string marks(const analysis::SpeculationPoint& row) {
  if (!row.beyond_sample && !row.at_least) return {};
  return fmt::format("  {}{}", row.at_least ? "+" : "", row.beyond_sample ? "*" : "");
}

}  // namespace

std::string speculation_text(const std::vector<analysis::Speculation>& sections) {
  Text text;
  const char* blank = "";
  for (const analysis::Speculation& section : sections) {
    add(text, "{}Or-parallel section {}: {}, {} found a solution, {} at once.\n", blank, section.section,
        format_count(section.searches, "search", "searches"), format_count(section.found), section.at_once);
    blank = "\n";
    add(text, "{:>8}  {:>10}  {:>10}  {:>10}  {:>24}  {:>6}\n", "searches", "first", "sd", "90 %",
        "mean, 2 standard errors", "gain");
    for (const analysis::SpeculationPoint& row : section.rows)
      add(text, "{:>8}  {:>10}  {:>10}  {:>10}  {:>24}  {:>6}{}\n", row.workers, format_ns(row.mean), format_ns(row.sd),
          format_ns(row.p90), interval(row), std::isnan(row.gain) ? "-" : fmt::format("{:.2f}", row.gain), marks(row));
    add(text,
        "First: mean time until the first of N searches finds a solution. Gain: how many times sooner than with "
        "{} at once.\n",
        section.at_once);
    const auto any = [&section](bool analysis::SpeculationPoint::*mark) {
      return std::any_of(section.rows.begin(), section.rows.end(), [mark](const auto& row) { return row.*mark; });
    };
    if (any(&analysis::SpeculationPoint::at_least))
      add(text, "+: the times are lower bounds, the gain is an upper bound.\n");
    if (any(&analysis::SpeculationPoint::beyond_sample))
      add(text, "*: rests on a fitted tail beyond the recorded times.\n");
    for (const std::string& one : section.notes) add(text, "Note: {}.\n", one);
  }
  return fmt::to_string(text);
}

}  // namespace foretask::report
