// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <utility>

#include "report/json_output.hpp"
#include "report/run/causes.hpp"
#include "report/run/run_report.hpp"
#include "report/units.hpp"

namespace foretask::analysis {

FORETASK_JSON_FIELDS(FunctionTime, name, samples, time_ns)
FORETASK_JSON_FIELDS(FunctionSampling, period_ns, samples, lost, reason)
FORETASK_JSON_FIELDS(Efficiencies, workers, wall_ns, parallel, load_balance, serialisation, transfer,
                     computation_scaling, instruction_scaling, ipc_scaling, global)
FORETASK_JSON_FIELDS(TimeOnCores, cores, time_ns)
FORETASK_JSON_FIELDS(BaseRun, folder, workers, wall_ns, useful_ns)
FORETASK_JSON_FIELDS(ProfilePoint, time_ns, running, ready)
FORETASK_JSON_FIELDS(WaitCauses, numbers_ns, costs_ns, speeds_ns)
FORETASK_JSON_FIELDS(LoopSummary, name, instances, iterations, schedule, work_ns, hand_outs, hand_out_ns, imbalance,
                     waited_ns, waits, threads, cut)
FORETASK_JSON_FIELDS(LockSummary, name, times, held_ns, waited_ns)
FORETASK_JSON_FIELDS(GranularitySummary::Threshold, time_ns, threshold_ns)
FORETASK_JSON_FIELDS(GranularitySummary, name, tasks, calls, decision_ns, thresholds)
FORETASK_JSON_FIELDS(SpeculativeTimes, mean, sd, p50, p90)
FORETASK_JSON_FIELDS(LaunchedRun, elapsed_ns, runtime, exit_code, signal)
FORETASK_JSON_FIELDS(CounterSummary, name, run, tasks, mean, cv)
FORETASK_JSON_FIELDS(Quartiles, tasks, low, median, high)
FORETASK_JSON_FIELDS(ActiveWorkers, workers, tasks, mean_ns, inflation, inflation_error)
FORETASK_JSON_FIELDS(SampledKernel, name, parameters, count, total_ns, mean_ns, cv)

static void to_json(report::Json& json, const SpeculativeSection& one) {
  FORETASK_ADD_JSON_FIELDS(name, groups, cancelled, members, winner_ns, left_ns, winner_work_ns, wasted_work_ns)
  json["wasted_share"] = one.wasted_share();
  FORETASK_ADD_JSON_FIELDS(never_ran, ended, cut_short)
}

static void to_json(report::Json& json, const Baseline& one) {
  json = one.own;
  FORETASK_ADD_JSON_FIELDS(recorded)
}

static void to_json(report::Json& json, const RecordedCounter& one) {
  FORETASK_ADD_JSON_FIELDS(name, status, run)
  if (!one.reason.empty()) FORETASK_ADD_JSON_FIELDS(reason)
}

static void to_json(report::Json& json, const SpreadFactor& one) {
  json["source"] = spread_source_name(one.source);
  FORETASK_ADD_JSON_FIELDS(judged, by)
  json["share"] = one.judged ? std::optional(one.share) : std::nullopt;
  json["p"] = one.judged ? std::optional(one.p) : std::nullopt;
  if (!one.detail.empty()) FORETASK_ADD_JSON_FIELDS(detail)
}

static void to_json(report::Json& json, const CutOffAdvice& one) {
  FORETASK_ADD_JSON_FIELDS(grain_ns, depth, tasks)
  json["makespan_ns"] = one.predicted_ns;
}

static void to_json(report::Json& json, const RecordedProcess& one) {
  json["process"] = one.name;
  FORETASK_ADD_JSON_FIELDS(folder, program, command, start_ns, elapsed_ns, cpu_ns)
  json["ended"] = one.has_ended;
}

}  // namespace foretask::analysis

namespace foretask::report {
namespace {

const char* verdict_name(analysis::SpreadVerdict verdict) {
  switch (verdict) {
    case analysis::SpreadVerdict::kTooFew:
      return "too few tasks";
    case analysis::SpreadVerdict::kRegular:
      return "regular";
    case analysis::SpreadVerdict::kExplained:
      return "explained";
    case analysis::SpreadVerdict::kPartly:
      return "explained in part";
    default:
      return "not explained";
  }
}

Json variability_json(const analysis::Variability& one) {
  const bool names_source =
      one.verdict == analysis::SpreadVerdict::kExplained || one.verdict == analysis::SpreadVerdict::kPartly;
  Json json;
  FORETASK_ADD_JSON_FIELDS(tasks, spread)
  json["verdict"] = verdict_name(one.verdict);
  json["source"] = names_source ? Json(analysis::spread_source_name(one.factors.front().source)) : Json();
  FORETASK_ADD_JSON_FIELDS(factors, text)
  return json;
}

Json ratio_json(const analysis::CounterRatio& one) {
  Json json;
  FORETASK_ADD_JSON_FIELDS(name, value)
  if (!one.spread.empty()) json["spread"] = one.spread.front();
  Json by_workers = Json::array();
  for (std::size_t i = 1; i < one.spread.size(); ++i)
    by_workers.emplace_back(Json{{"workers", one.spread[i].workers}}).update(Json(one.spread[i]));
  json["by_active_workers"] = std::move(by_workers);
  return json;
}

Json kernels_json(const analysis::Report& report) {
  Json kernels = Json::array();
  for (const analysis::KernelSummary& one : report.kernels) {
    Json& json = kernels.emplace_back();
    FORETASK_ADD_JSON_FIELDS(name, count, work_ns, mean_ns, cv, critical_path_ns, system_blocked_ns)
    if (report.function_sampling.period_ns != 0) FORETASK_ADD_JSON_FIELDS(functions)
    FORETASK_ADD_JSON_FIELDS(counters)
    json["ratios"] = Json::array();
    for (const analysis::CounterRatio& ratio : one.ratios) json["ratios"].push_back(ratio_json(ratio));
    FORETASK_ADD_JSON_FIELDS(active_workers)
    json["variability"] = variability_json(one.variability);
  }
  return kernels;
}

Json path_json(const analysis::Report& report, const analysis::CriticalPath& path) {
  Json kernels = Json::array();
  for (const auto& [kernel, ns] : path.kernels) {
    if (kernel < report.kernels.size()) kernels.push_back({{"name", report.kernels[kernel].name}, {"ns", ns}});
  }
  return {{"work_ns", path.work_ns}, {"delay_ns", path.delay_ns}, {"kernels", std::move(kernels)}};
}

Json processes_json(const analysis::ProcessShares& one) {
  if (one.processes.empty()) return {};
  Json json{{"shown", one.processes[one.shown].name}};
  FORETASK_ADD_JSON_FIELDS(elapsed_ns, idle_ns, cpu_ns, left_out)
  json["most"] = one.most_processes;
  json["list"] = one.processes;
  return json;
}

}  // namespace

namespace {

Json causes_json(const analysis::Report& report) {
  Json causes = Json::array();
  for (const analysis::LostTime& one : report.core_time.lost)
    causes.push_back({{"name", analysis::cause_name(one.cause)},
                      {"lost_ns", one.lost_ns},
                      {"kernel", one.kernel.empty() ? Json() : Json(one.kernel)},
                      {"text", cause_text(report, one)},
                      {"without", one.without}});
  return causes;
}

}  // namespace

std::string report_json(const analysis::Report& one, const std::optional<analysis::CutOffAdvice>& cut_off,
                        const std::vector<analysis::Efficiencies>& efficiencies) {
  Json json;
  FORETASK_ADD_JSON_FIELDS(workers, elapsed_ns, tasks, work_ns, span_ns, burdened_span_ns, delay_ns, no_work_ns,
                           create_task, wait_tasks, probe_ns, dropped_events)
  json["kernels"] = kernels_json(one);
  FORETASK_ADD_JSON_FIELDS(loops, program, command, recorded_elapsed_ns)
  json["parallelism"] = ratio(one.work_ns, one.span_ns);
  FORETASK_ADD_JSON_FIELDS(strands, edges, barriers, contracted_tasks, counted_tasks, cancelled_tasks, burden_ns,
                           runtime_ns, blocked_ns, system_blocked_ns, core_wait_ns, core_wait_elapsed_ns, outside_ns,
                           held_up_ns, assumed_even_ns, identity_error)
  json["costs"] = costs_json(one.costs);
  FORETASK_ADD_JSON_FIELDS(function_sampling)
  json["critical_paths"] = {{"longest_work", path_json(one, one.longest_work)},
                            {"last_finisher", path_json(one, one.last_finisher)},
                            {"largest_delay", path_json(one, one.largest_delay)}};
  FORETASK_ADD_JSON_FIELDS(profile, counters, counter_sampling, samples, baseline, locks, granularity, warnings,
                           speculative)
  json["cut_off"] = cut_off;
  const analysis::CoreTime& time = one.core_time;
  json["not_of_interest_ns"] = one.not_of_interest_ns;
  json["wall_ns"] = time.wall_ns;
  json["useful_ns"] = time.useful_ns;
  json["causes"] = causes_json(one);
  json["base"] = time.base;
  json["on_other_cores"] = time.replays;
  json["efficiencies"] = efficiencies;
  json["unrecorded"] = unrecorded_time(one);
  json["processes"] = processes_json(one.processes);
  return json_text(json);
}

}  // namespace foretask::report
