// SPDX-License-Identifier: Apache-2.0
#include "report/predict/campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "report/json_output.hpp"
#include "report/plain_text.hpp"
#include "report/units.hpp"
#include "statistics/quantile.hpp"

namespace foretask::report {
namespace {

Json rows_json(const analysis::ProgramTable& table) {
  Json rows = Json::array();
  for (const CampaignRow& row : campaign_rows(table))
    rows.push_back({{"n", row.n},
                    {"p", row.p},
                    {"runs", row.runs},
                    {"time_ns", row.time},
                    {"speedup", row.speedup > 0 ? Json(row.speedup) : Json()},
                    {"work", row.work},
                    {"delay", row.delay},
                    {"no_work", row.no_work},
                    {"baseline_ns", row.baseline > 0 ? Json(row.baseline) : Json()}});
  return rows;
}

constexpr std::size_t kMostWarnings = 10;
// Asked for next: somewhat beyond what was recorded.
constexpr double kMoreWorkers = 4;

// For a shell: in quotes where it is needed.
std::string as_word(const std::string& text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./,=+-%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

bool has_baselines(const CampaignTable& one) {
  return std::any_of(one.table.runs.begin(), one.table.runs.end(),
                     [](const analysis::ProgramRun& run) { return run.baseline > 0; });
}

std::string unrecorded(const CampaignRow& row) {
  return fmt::format("  {:>10}", row.baseline > 0 ? format_ns(row.baseline) : "-");
}

std::string text_of(const CampaignTable& one) {
  Text text;
  const std::vector<CampaignRow> rows = campaign_rows(one.table);
  add(text, "{}: {} of {}{}{}\n\n", one.path, format_count(one.table.runs.size(), "run", "runs"),
      one_line(one.table.program), one.others.empty() ? "" : " with ", one.others);
  std::size_t width = one.table.size_name.size();
  std::size_t wide = 10;  // times
  for (const CampaignRow& row : rows) {
    width = std::max(width, fmt::format("{}", row.n).size());
    wide = std::max(wide, format_ns(row.time).size());
  }
  const bool has_baseline = has_baselines(one);
  add(text, "{:>{}}  {:>5}  {:>5}  {:>{}}  {:>8}  {:>7}  {:>7}  {:>8}{}\n", one.table.size_name, width, "p", "runs",
      "time", wide, "speedup", "work", "delay", "no work", has_baseline ? "  unrecorded" : "");
  for (const CampaignRow& row : rows)
    add(text, "{:>{}}  {:>5}  {:>5}  {:>{}}  {:>8}  {:>7}  {:>7}  {:>8}{}\n", row.n, width, row.p, row.runs,
        format_ns(row.time), wide, row.speedup > 0 ? fmt::format("{:.2f}", row.speedup) : "-", format_share(row.work),
        format_share(row.delay), format_share(row.no_work), has_baseline ? unrecorded(row) : "");
  const auto& warnings = one.table.warnings;
  for (std::size_t i = 0; i < std::min(warnings.size(), kMostWarnings); ++i)
    add(text, "{}Warning: {}\n", i == 0 ? "\n" : "", warnings[i]);
  if (warnings.size() > kMostWarnings)
    add(text, "({} more warnings: --json lists them)\n", warnings.size() - kMostWarnings);
  return fmt::to_string(text);
}

// The step between the two largest sizes once more: as much larger, where the steps are alike or a lone one is small,
// else as many times. A multiple of what divides all sizes: many programs take no others.
double larger_size(const std::set<double>& sizes) {
  constexpr double kMostWhole = 1e15;
  const double largest = *sizes.rbegin();
  const double second = *std::next(sizes.rbegin());
  const double step = largest - second;
  bool is_even = sizes.size() > 2 || largest < 2 * second;
  for (auto at = std::next(sizes.begin()); at != sizes.end(); ++at)
    is_even = is_even && std::abs(*at - *std::prev(at) - step) <= 1e-9 * largest;
  if (is_even) return largest + step;
  const double larger = largest * (largest / second);
  const bool are_whole = std::all_of(sizes.begin(), sizes.end(), [](double n) { return n == std::floor(n); });
  if (!are_whole || larger > kMostWhole) return larger;
  std::int64_t divisor = 0;
  for (const double n : sizes) divisor = std::gcd(divisor, std::llround(n));
  return std::round(larger / static_cast<double>(divisor)) * static_cast<double>(divisor);
}

// What holds the runs of one table: the folder, or a shell's pattern of theirs.
std::string runs_of(const CampaignResult& result, const CampaignTable& one) {
  if (one.others.empty()) return as_word(result.folder);
  return as_word(result.folder) + "/*," + as_word(one.others) + ",p=*";
}

std::string next_command(const CampaignResult& result) {
  const CampaignTable& one = result.tables.front();
  std::set<double> sizes;
  double workers = 1;
  for (const analysis::ProgramRun& run : one.table.runs) {
    sizes.insert(run.n);
    workers = std::max(workers, run.p);
  }
  const bool has_one = sizes.size() < 2;
  return fmt::format("foretask predict {} --set {}={} --cores 1,{},{}{}", runs_of(result, one), one.table.size_name,
                     has_one ? *sizes.begin() : larger_size(sizes), std::max(2.0, workers), kMoreWorkers * workers,
                     has_one ? "\n      (record other sizes to predict another " + one.table.size_name + ")" : "");
}

// Of the runs whose folder is there, or of the others.
std::string failures_text(const CampaignResult& result, bool is_there) {
  std::size_t count = 0;
  std::string list;
  for (const CampaignFailure& one : result.failed) {
    if (one.is_there != is_there) continue;
    ++count;
    list += fmt::format("  {}: {}\n", one.run, one.why);
    if (!one.output.empty()) list += fmt::format("    its output: {}\n", one.output);
  }
  if (count == 0) return {};
  if (is_there)
    return fmt::format("\n{} recording{} cannot be read and {} in no table:\n{}", count, count == 1 ? "" : "s",
                       count == 1 ? "is" : "are", list);
  return fmt::format("\n{} run{} failed and {} in no table; the same command tries {} again:\n{}", count,
                     count == 1 ? "" : "s", count == 1 ? "is" : "are", count == 1 ? "it" : "them", list);
}

}  // namespace

std::vector<CampaignRow> campaign_rows(const analysis::ProgramTable& table) {
  std::map<std::pair<double, double>, std::vector<const analysis::ProgramRun*>> groups;
  for (const analysis::ProgramRun& run : table.runs) groups[{run.n, run.p}].push_back(&run);
  std::map<double, double> alone;
  std::vector<CampaignRow> rows;
  for (const auto& [key, runs] : groups) {
    CampaignRow row{.n = key.first, .p = key.second, .runs = runs.size()};
    std::vector<double> times;
    std::vector<double> unrecorded;
    double whole = 0;
    for (const analysis::ProgramRun* const run : runs) {
      times.push_back(run->time);
      if (run->baseline > 0) unrecorded.push_back(run->baseline);
      whole += run->p * run->time;
      row.work += run->work;
      row.delay += run->delay;
      row.no_work += run->no_work;
    }
    row.time = statistics::median(std::move(times));
    if (!unrecorded.empty()) row.baseline = statistics::median(std::move(unrecorded));
    for (double* const part : {&row.work, &row.delay, &row.no_work}) *part = ratio(*part, whole);
    if (row.p == 1) alone[row.n] = row.time;
    if (const auto found = alone.find(row.n); found != alone.end()) row.speedup = found->second / row.time;
    rows.push_back(row);
  }
  return rows;
}

std::string campaign_json(const CampaignResult& result) {
  Json json;
  std::size_t runs = 0;
  for (const CampaignTable& one : result.tables) runs += one.table.runs.size();
  json["table"] = result.tables.empty() ? Json() : Json(result.tables.front().path);
  json["runs"] = runs;
  json["failed"] = Json::array();
  for (const CampaignFailure& one : result.failed) {
    json["failed"].push_back({{"run", one.run}, {"why", one.why}});
    if (!one.output.empty()) json["failed"].back()["output"] = one.output;
  }
  json["folder"] = result.folder;
  json["missing"] = result.missing;
  json["tables"] = Json::array();
  for (const CampaignTable& one : result.tables)
    json["tables"].push_back({{"path", one.path},
                              {"others", one.others},
                              {"size", one.table.size_name},
                              {"program", one.table.program},
                              {"machine", one.table.machine},
                              {"rows", rows_json(one.table)},
                              {"warnings", one.table.warnings}});
  return json_text(json);
}

std::string campaign_text(const CampaignResult& result) {
  std::string text;
  for (const CampaignTable& one : result.tables) text += (text.empty() ? "" : "\n") + text_of(one);
  if (!result.tables.empty())
    text += "\nTimes are medians. Shares are of the workers' time, p x time, over all runs of a row.\n";
  if (std::any_of(result.tables.begin(), result.tables.end(), has_baselines))
    text += "unrecorded: the whole process without the recorder, on the program's own runtime.\n";
  text += failures_text(result, false) + failures_text(result, true);
  if (!result.tables.empty()) text += "\nNext: " + next_command(result) + "\n";
  return text;
}

}  // namespace foretask::report
