// SPDX-License-Identifier: Apache-2.0
#include "report/campaign.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace foretask::report {
namespace {

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace

std::size_t CampaignResult::runs() const noexcept {
  std::size_t count = 0;
  for (const CampaignTable& one : tables) count += one.table.runs.size();
  return count;
}

std::vector<CampaignRow> campaign_rows(const analysis::ProgramTable& table) {
  std::map<std::pair<double, double>, std::vector<const analysis::ProgramRun*>> groups;
  for (const analysis::ProgramRun& run : table.runs) groups[{run.n, run.p}].push_back(&run);
  std::map<double, double> alone;
  std::vector<CampaignRow> rows;
  for (const auto& [key, runs] : groups) {
    const auto median = [&runs = runs](auto&& value) {
      std::vector<double> values;
      for (const analysis::ProgramRun* const run : runs) values.push_back(value(*run));
      return median_of(std::move(values));
    };
    CampaignRow row{.n = key.first, .p = key.second, .runs = runs.size()};
    row.time = median([](const auto& run) { return run.time; });
    row.work = median([](const auto& run) { return run.work / (run.p * run.time); });
    row.delay = median([](const auto& run) { return run.delay / (run.p * run.time); });
    row.no_work = median([](const auto& run) { return run.no_work / (run.p * run.time); });
    if (row.p == 1) alone[row.n] = row.time;
    if (const auto found = alone.find(row.n); found != alone.end()) row.speedup = found->second / row.time;
    rows.push_back(row);
  }
  return rows;
}

}  // namespace foretask::report
