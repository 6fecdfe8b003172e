// SPDX-License-Identifier: Apache-2.0
// What replays with drawn task times rest on, as JSON.
#pragma once

#include <cmath>

#include "report/json_output.hpp"
#include "report/simulate/simulation.hpp"

namespace foretask::report {

inline Json sampling_json(const SampleCount& sampled) {
  Json json = {{"samples", sampled.samples}, {"tasks", sampled.tasks}, {"kept", sampled.kept}};
  if (sampled.spread) {
    json["other_runs"] = sampled.spread->runs - 1;
    json["run_spread"] = sampled.spread->log_sd;
    json["run_over_replay"] = std::exp(sampled.spread->log_shift);
  }
  return json;
}

}  // namespace foretask::report
