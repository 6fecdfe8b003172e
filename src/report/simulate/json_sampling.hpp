// SPDX-License-Identifier: Apache-2.0
// What replays with drawn task times rest on, as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "report/simulate/simulation.hpp"

namespace foretask::report {

inline nlohmann::ordered_json sampling_json(const SampleCount& sampled) {
  return {{"samples", sampled.samples},
          {"tasks", sampled.tasks},
          {"residual", sampled.residual},
          {"kept", sampled.kept},
          {"run_spread", sampled.run_spread},
          {"other_runs", sampled.other_runs},
          {"run_over_replay", sampled.run_over_replay}};
}

}  // namespace foretask::report
