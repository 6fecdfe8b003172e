// SPDX-License-Identifier: Apache-2.0
#include "report/whatif/loop_schedules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/csv_field.hpp"
#include "base/region_name.hpp"
#include "report/json_output.hpp"
#include "report/simulate/json_pooled_runs.hpp"
#include "report/text.hpp"

namespace foretask::report {
namespace {

constexpr double kWorthIt = 1.01;

Json gain_json(const ScheduleGain& gain) {
  return {
      {"cores", gain.cores}, {"base_ns", gain.base_ns}, {"makespan_ns", gain.makespan_ns}, {"speedup", gain.speedup()}};
}

Json row_json(const LoopSchedules& found, const ScheduleRow& row) {
  Json json = {{"loop", found.loops[row.loop].name}, {"schedule", found.loops[row.loop].schedule}};
  json["best"] = row.best();
  json.update(gain_json(row.program));
  json["loop_ns"] = row.trial.loop_ns;
  json["unseen"] = row.trial.unseen;
  Json tried = Json::array();
  for (const analysis::TriedSchedule& one : row.trial.tried)
    tried.push_back({{"schedule", analysis::schedule_name(one.schedule, one.chunk)}, {"loop_ns", one.loop_ns}});
  json["tried"] = std::move(tried);
  return json;
}

}  // namespace

double ScheduleGain::speedup() const noexcept {
  return makespan_ns == 0 ? 1 : static_cast<double>(base_ns) / static_cast<double>(makespan_ns);
}

std::string ScheduleRow::best() const {
  const analysis::TriedSchedule& one = trial.tried[trial.best];
  return analysis::schedule_name(one.schedule, one.chunk);
}

bool ScheduleRow::is_worth_it() const noexcept {
  const auto best_ns = static_cast<double>(trial.tried[trial.best].loop_ns);
  return program.speedup() >= kWorthIt && static_cast<double>(trial.loop_ns) >= kWorthIt * best_ns;
}

std::vector<std::string> loops_left_alone(const analysis::Report& report, double share,
                                          const std::vector<ScheduledLoop>& tried) {
  std::vector<std::string> names;
  for (const analysis::LoopSummary& loop : report.loops) {
    const bool is_little = static_cast<double>(loop.work_ns) < share * static_cast<double>(report.work_ns);
    const bool is_tried =
        std::any_of(tried.begin(), tried.end(), [&](const ScheduledLoop& one) { return one.name == loop.name; });
    if (!is_little && !is_tried && !loop.name.ends_with(base::kSectionsSuffix)) names.push_back(loop.name);
  }
  return names;
}

std::string loop_schedules_json(const LoopSchedules& found) {
  Json json = {{"policy", analysis::policy_name(found.policy)}};
  Json rows = Json::array();
  for (const ScheduleRow& row : found.rows) rows.push_back(row_json(found, row));
  json["schedules"] = std::move(rows);
  Json together = Json::array();
  for (const ScheduleGain& gain : found.together) together.push_back(gain_json(gain));
  json["together"] = std::move(together);
  Json loops = Json::array();
  for (const ScheduledLoop& loop : found.loops)
    loops.push_back(
        {{"name", loop.name}, {"schedule", loop.schedule}, {"work_ns", loop.work_ns}, {"share", loop.share}});
  json["loops"] = std::move(loops);
  json["left_alone"] = found.left_alone;
  json["input"] = found.input;
  json["tasks"] = found.tasks;
  json["work_ns"] = found.work_ns;
  json["span_ns"] = found.span_ns;
  json["replays"] = found.replays;
  json["chunk_ns"] = found.chunk_ns;
  if (!found.pooled.empty()) json["with"] = pooled_json(found.pooled);
  return json_text(json);
}

std::string loop_schedules_csv(const LoopSchedules& found) {
  Text text;
  add(text, "loop,schedule,cores,best,base_ns,makespan_ns,speedup,unseen\n");
  for (const ScheduleRow& row : found.rows)
    add(text, "{},{},{},{},{},{},{:.9g},{:.9g}\n", base::csv_field(found.loops[row.loop].name),
        base::csv_field(found.loops[row.loop].schedule), row.program.cores, base::csv_field(row.best()),
        row.program.base_ns, row.program.makespan_ns, row.program.speedup(), row.trial.unseen);
  return fmt::to_string(text);
}

}  // namespace foretask::report
