// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "report/json_output.hpp"
#include "report/simulate/json_pooled_runs.hpp"
#include "report/simulate/json_sampling.hpp"
#include "report/simulate/simulation.hpp"

namespace foretask::report {

namespace {

Json sample_json(const analysis::MakespanSample& sample, std::uint32_t count) {
  Json quantiles;
  for (std::size_t i = 0; i < analysis::kMakespanQuantiles.size(); ++i)
    quantiles[fmt::format("p{:02.0f}", 100 * analysis::kMakespanQuantiles[i])] = sample.quantiles_ns[i];
  return {
      {"count", count}, {"mean_ns", sample.mean_ns}, {"sd_ns", sample.sd_ns}, {"quantiles_ns", std::move(quantiles)}};
}

}  // namespace

std::string simulation_json(const Simulation& simulation) {
  const std::string policy(analysis::policy_name(simulation.policy));

  Json runs = Json::array();
  for (const SimulatedRun& run : simulation.runs) {
    runs.push_back({{"cores", run.cores},
                    {"policy", policy},
                    {"makespan_ns", run.replay.makespan_ns},
                    {"speedup", run.replay.speedup},
                    {"utilization", run.replay.utilization},
                    {"workers", run.workers},
                    {"replays", run.replay.replays},
                    {"lowest_ns", run.replay.lowest_ns},
                    {"highest_ns", run.replay.highest_ns},
                    {"lock_ns", run.lock_ns}});
    if (run.sampled) runs.back()["samples"] = sample_json(*run.sampled, simulation.sampled->samples);
    if (run.range)
      runs.back()["between_runs"] = {
          {"p05_ns", run.range->low_ns}, {"p50_ns", run.range->median_ns}, {"p95_ns", run.range->high_ns}};
  }
  Json speedups = Json::array();
  for (const Speedup& speedup : simulation.speedups)
    speedups.push_back({{"kernel", speedup.kernel}, {"factor", speedup.factor}});

  Json schedules = Json::array();
  for (const ChangedLoop& change : simulation.schedules)
    schedules.push_back({{"loop", change.loop}, {"schedule", change.schedule}});

  Json json = {{"tasks", simulation.tasks},       {"edges", simulation.edges},        {"work_ns", simulation.work_ns()},
               {"span_ns", simulation.span_ns},   {"runs", std::move(runs)},          {"input", simulation.input},
               {"nodes", simulation.nodes},       {"machine", simulation.machine},    {"seed", simulation.seed},
               {"speedups", std::move(speedups)}, {"schedules", std::move(schedules)}};
  json["costs"] = costs_json(simulation.costs);
  if (simulation.measured) {
    json["measured"] = {{"workers", simulation.measured->workers}, {"elapsed_ns", simulation.measured->elapsed_ns}};
  }
  if (!simulation.inflated.empty()) {
    json["inflated"] = Json::array();
    for (const analysis::KernelWork& one : simulation.inflated)
      json["inflated"].push_back({{"kernel", one.kernel}, {"workers", one.workers}, {"factor", one.factor}});
  }
  if (!simulation.pooled.empty()) json["with"] = pooled_json(simulation.pooled);
  if (simulation.sampled) json["sampled"] = sampling_json(*simulation.sampled);
  return json_text(json);
}

}  // namespace foretask::report
