// SPDX-License-Identifier: Apache-2.0
#include "report/predict/campaign.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "report/units.hpp"
#include "statistics/quantile.hpp"

namespace foretask::report {
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

}  // namespace foretask::report
