// SPDX-License-Identifier: Apache-2.0

#include "report/json_output.hpp"
#include "report/predict/campaign.hpp"

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

}  // namespace

std::string campaign_json(const CampaignResult& result) {
  Json json;
  json["table"] = result.tables.empty() ? Json() : Json(result.tables.front().path);
  json["runs"] = result.runs();
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

}  // namespace foretask::report
