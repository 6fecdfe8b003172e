// SPDX-License-Identifier: Apache-2.0
// Parts of answers about replays, as JSON: the other recordings that the loops come from, and what replays with drawn
// task times rest on.
#pragma once

#include <cmath>
#include <vector>

#include "report/json_output.hpp"
#include "report/simulate/simulation.hpp"

namespace foretask::report {

FORETASK_JSON_FIELDS(PooledRun, run, loops, matched, refined)

[[maybe_unused]] static void to_json(Json& json, const SampleCount& one) {
  FORETASK_ADD_JSON_FIELDS(samples, tasks, kept)
  if (!one.spread) return;
  json["other_runs"] = one.spread->runs - 1;
  json["run_spread"] = one.spread->log_sd;
  json["run_over_replay"] = std::exp(one.spread->log_shift);
}

}  // namespace foretask::report
