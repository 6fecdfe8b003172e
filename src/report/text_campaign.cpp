// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "report/campaign.hpp"
#include "report/plain_text.hpp"
#include "report/units.hpp"

namespace foretask::report {
namespace {

constexpr std::size_t kMostWarnings = 10;
// Asked for next: somewhat beyond what was recorded.
constexpr double kLargerInput = 2;
constexpr double kMoreWorkers = 4;

// For a shell: in quotes where it is needed.
std::string as_word(const std::string& text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./,=+-%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

std::string text_of(const CampaignTable& one) {
  fmt::memory_buffer text;
  auto out = std::back_inserter(text);
  const std::vector<CampaignRow> rows = campaign_rows(one.table);
  fmt::format_to(out, "{}: {} runs of {}{}{}\n\n", one.path, one.table.runs.size(), one_line(one.table.program),
                 one.others.empty() ? "" : " with ", one.others);
  std::size_t width = one.table.size_name.size();
  for (const CampaignRow& row : rows) width = std::max(width, fmt::format("{}", row.n).size());
  fmt::format_to(out, "{:>{}}  {:>5}  {:>5}  {:>10}  {:>8}  {:>7}  {:>7}  {:>8}\n", one.table.size_name, width, "p",
                 "runs", "time", "speed-up", "work", "delay", "no work");
  for (const CampaignRow& row : rows)
    fmt::format_to(out, "{:>{}}  {:>5}  {:>5}  {:>10}  {:>8}  {:>7}  {:>7}  {:>8}\n", row.n, width, row.p, row.runs,
                   format_ns(row.time), row.speedup > 0 ? fmt::format("{:.2f}", row.speedup) : "-",
                   format_share(row.work), format_share(row.delay), format_share(row.no_work));
  const auto& warnings = one.table.warnings;
  for (std::size_t i = 0; i < std::min(warnings.size(), kMostWarnings); ++i)
    fmt::format_to(out, "{}Warning: {}\n", i == 0 ? "\n" : "", warnings[i]);
  if (warnings.size() > kMostWarnings)
    fmt::format_to(out, "({} more warnings; --json has them)\n", warnings.size() - kMostWarnings);
  return fmt::to_string(text);
}

std::string next_command(const CampaignResult& result) {
  const CampaignTable& one = result.tables.front();
  double largest = 0;
  double workers = 1;
  for (const analysis::ProgramRun& run : one.table.runs) {
    largest = std::max(largest, run.n);
    workers = std::max(workers, run.p);
  }
  return fmt::format("foretask predict {} --set {}={} --cores 1,{},{}",
                     result.tables.size() == 1 ? as_word(result.folder) : "--table " + as_word(one.path),
                     one.table.size_name, kLargerInput * largest, std::max(2.0, workers), kMoreWorkers * workers);
}

}  // namespace

std::string campaign_text(const CampaignResult& result) {
  std::string text;
  for (const CampaignTable& one : result.tables) text += (text.empty() ? "" : "\n") + text_of(one);
  if (!result.tables.empty())
    text += "\nTimes are medians; shares are of the workers' time, p x time, of all runs of a row together.\n";
  if (!result.failed.empty()) {
    text += fmt::format("\n{} run{} failed and {} in no table; the same command tries {} again:\n",
                        result.failed.size(), result.failed.size() == 1 ? "" : "s",
                        result.failed.size() == 1 ? "is" : "are", result.failed.size() == 1 ? "it" : "them");
    for (const CampaignFailure& one : result.failed) text += fmt::format("  {}: {}\n", one.run, one.why);
  }
  if (!result.tables.empty()) text += "\nNext: " + next_command(result) + "\n";
  return text;
}

}  // namespace foretask::report
