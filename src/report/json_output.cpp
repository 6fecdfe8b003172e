// SPDX-License-Identifier: Apache-2.0
#include "report/json_output.hpp"

namespace foretask::report {

std::string json_text(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

Json costs_json(const analysis::SchedulingCosts& costs) {
  // The costs of a team of the recorded size also stand outside of the list.
  const analysis::TeamCosts recorded = analysis::team_costs(costs.teams, costs.recorded_workers);
  Json json{{"create_ns", recorded.create_ns}, {"dispatch_ns", recorded.dispatch_ns},
            {"steal_ns", recorded.steal_ns},   {"deque_capacity", costs.rules.deque_capacity},
            {"thread_ns", costs.thread_ns},    {"recorded_workers", costs.recorded_workers}};
  json["team_start_ns"] = costs.team_start_ns;
  json["calibrated"] = costs.is_calibrated;
  json["spread"] = costs.spread;
  Json& teams = json["teams"] = Json::array();
  for (const analysis::TeamCosts& team : costs.teams) {
    Json entry{{"threads", team.threads}};
    for (const analysis::TeamCostField& field : analysis::kTeamCostFields)
      entry[std::string(field.name)] = team.*field.ns;
    teams.push_back(std::move(entry));
  }
  return json;
}

}  // namespace foretask::report
