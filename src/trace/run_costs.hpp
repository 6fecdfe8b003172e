// SPDX-License-Identifier: Apache-2.0
// The file that keeps a calibration, and its part of run.json. Cold.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foretask/analysis/scheduling_costs.hpp"
#include "foretask/result.hpp"
#include "trace/process_facts.hpp"

namespace foretask::trace {

using analysis::RuntimeCosts;

inline constexpr std::int64_t kMostCostNs = 1'000'000'000;

// The fields, of run.json and of the file: `fields` as in run_fields.hpp.
void runtime_costs_fields(auto& fields, auto& costs) {
  fields.value("library", costs.library);
  fields.value("fingerprint", costs.fingerprint);
  fields.value("measured", costs.measured);
  fields.value("spread", costs.spread, 0.0, 1e6);
  fields.value("listen_ns", costs.listen_ns, std::int64_t{0}, kMostCostNs);
  fields.value("tried_threads", costs.tried_threads, std::uint32_t{0}, std::uint32_t{1} << 20);
  fields.list("teams", costs.teams, [](auto& inner, auto& team) {
    inner.value("threads", team.threads, std::uint32_t{1}, std::uint32_t{1} << 20);
    for (const analysis::TeamCostField& field : analysis::kTeamCostFields)
      inner.value(std::string(field.name).c_str(), team.*field.ns, std::int64_t{0}, kMostCostNs);
  });
}

// "HOME/costs/FINGERPRINT-LIBRARY.json".
[[nodiscard]] std::string runtime_costs_path(const std::string& home, const std::string& fingerprint,
                                             const std::string& library);

// The recorded runtime's library, which has a build id; null: none of the modules is.
[[nodiscard]] const Module* runtime_module(const std::vector<Module>& modules, const analysis::RuntimeRules& rules);

// The costs stored for that library on the machine with this fingerprint. Default values if none are stored.
[[nodiscard]] RuntimeCosts stored_runtime_costs(const std::string& fingerprint, const std::vector<Module>& modules,
                                                const analysis::RuntimeRules& rules);

// Errors name the path: no file, no JSON, wrong fields.
[[nodiscard]] Result<RuntimeCosts> read_runtime_costs(const std::string& path);
[[nodiscard]] std::string runtime_costs_json(const RuntimeCosts& costs);

}  // namespace foretask::trace
