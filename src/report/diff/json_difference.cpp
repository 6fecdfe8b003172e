// SPDX-License-Identifier: Apache-2.0
#include "report/diff/difference.hpp"
#include "report/json_output.hpp"

namespace foretask::report {
namespace {

Json number_json(const std::optional<double>& number) { return number ? Json(*number) : Json(); }

Json change_json(const analysis::Change& change) {
  return {{"before", change.before},
          {"after", change.after},
          {"ratio", number_json(change.ratio)},
          {"low", number_json(change.low)},
          {"high", number_json(change.high)}};
}

Json side_json(const analysis::DifferenceSide& side) {
  Json warnings = Json::array();
  for (const analysis::RunWarning& one : side.warnings)
    warnings.push_back({{"run", one.folder}, {"warning", one.text}});
  return {{"runs", side.folders},
          {"program", side.program},
          {"workers", side.workers},
          {"create_task", side.created_tasks},
          {"held_up_share", side.held_up_share},
          {"warnings", warnings}};
}

// null: the side does not have it.
Json name_json(const std::string& name) { return name.empty() ? Json() : Json(name); }

}  // namespace

std::string difference_json(const analysis::RunDifference& difference) {
  Json json;
  json["comparison"] = difference.comparison == analysis::Comparison::kWorkers ? "workers" : "before_after";
  json["before"] = side_json(difference.before);
  json["after"] = side_json(difference.after);
  Json differs = Json::array();
  for (const analysis::FactPair& fact : difference.facts)
    if (fact.differs())
      differs.push_back({{"what", fact.what}, {"before", name_json(fact.before)}, {"after", name_json(fact.after)}});
  json["differs"] = std::move(differs);
  json["may_be_other_work"] = difference.may_be_other_work;
  json["confidence"] = analysis::kChangeConfidence;
  json["elapsed_ns"] = change_json(difference.elapsed_ns);
  json["worker_ns"] = change_json(difference.worker_ns);
  json["work_ns"] = change_json(difference.work_ns);
  json["delay_ns"] = change_json(difference.delay_ns);
  json["no_work_ns"] = change_json(difference.no_work_ns);
  json["span_ns"] = change_json(difference.span_ns);
  Json kernels = Json::array();
  for (const analysis::KernelChange& kernel : difference.kernels)
    kernels.push_back({{"before", name_json(kernel.before)},
                       {"after", name_json(kernel.after)},
                       {"work_ns", change_json(kernel.work_ns)},
                       {"count", change_json(kernel.count)},
                       {"mean_ns", change_json(kernel.mean_ns)}});
  json["kernels"] = std::move(kernels);
  return json_text(json);
}

}  // namespace foretask::report
