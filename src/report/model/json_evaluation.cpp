// SPDX-License-Identifier: Apache-2.0

#include "report/json_output.hpp"
#include "report/model/evaluation.hpp"

namespace foretask::report {

std::string evaluation_json(const analysis::Evaluation& evaluation) {
  Json methods = Json::array();
  for (const analysis::MethodEvaluation& method : evaluation.methods) {
    methods.push_back({{"name", analysis::method_name(method.method)},
                       {"predicted_total", method.predicted_total},
                       {"actual_total", method.actual_total},
                       {"error_pct", method.error_pct},
                       {"mape_pct", method.mape_pct},
                       {"chosen_ids", method.chosen_ids}});
  }
  const Json json = {{"n", evaluation.rows}, {"methods", std::move(methods)}};
  return json_text(json);
}

}  // namespace foretask::report
