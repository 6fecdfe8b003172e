// SPDX-License-Identifier: Apache-2.0
// The other recordings that a replay's loops come from, as JSON.
#pragma once

#include <vector>

#include "report/json_output.hpp"
#include "report/simulate/pooled_runs.hpp"

namespace foretask::report {

inline Json pooled_json(const std::vector<PooledRun>& runs) {
  Json json = Json::array();
  for (const PooledRun& one : runs)
    json.push_back({{"run", one.run}, {"loops", one.loops}, {"matched", one.matched}, {"refined", one.refined}});
  return json;
}

}  // namespace foretask::report
