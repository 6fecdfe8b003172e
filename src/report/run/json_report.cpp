// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <utility>

#include "report/json_output.hpp"
#include "report/run/kernel_counters.hpp"
#include "report/run/run_report.hpp"
#include "report/units.hpp"

namespace foretask::report {
namespace {

Json functions_json(const analysis::KernelSummary& kernel) {
  Json functions = Json::array();
  for (const analysis::FunctionTime& function : kernel.functions)
    functions.push_back({{"name", function.name}, {"samples", function.samples}, {"time_ns", function.time_ns}});
  return functions;
}

Json sampling_json(const analysis::FunctionSampling& sampling) {
  return {{"period_ns", sampling.period_ns},
          {"samples", sampling.samples},
          {"lost", sampling.lost},
          {"reason", sampling.reason}};
}

Json kernels_json(const analysis::Report& report) {
  Json kernels = Json::array();
  for (const analysis::KernelSummary& kernel : report.kernels) {
    Json entry{{"name", kernel.name},       {"count", kernel.count}, {"work_ns", kernel.work_ns},
               {"mean_ns", kernel.mean_ns}, {"cv", kernel.cv},       {"critical_path_ns", kernel.critical_path_ns}};
    entry["system_blocked_ns"] = kernel.system_blocked_ns;
    if (report.function_sampling.period_ns != 0) entry["functions"] = functions_json(kernel);
    add_counters_json(kernel, entry);
    kernels.push_back(std::move(entry));
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

Json profile_json(const analysis::Report& report) {
  Json profile = Json::array();
  for (const analysis::ProfilePoint& point : report.profile)
    profile.push_back({{"time_ns", point.time_ns}, {"running", point.running}, {"ready", point.ready}});
  return profile;
}

Json speculative_json(const analysis::Report& report) {
  Json sections = Json::array();
  for (const analysis::SpeculativeSection& section : report.speculative) {
    const analysis::SpeculativeTimes& winner = section.winner_ns;
    sections.push_back(
        {{"name", section.name},
         {"groups", section.groups},
         {"cancelled", section.cancelled},
         {"members", section.members},
         {"winner_ns", {{"mean", winner.mean}, {"sd", winner.sd}, {"p50", winner.p50}, {"p90", winner.p90}}},
         {"left_ns", section.left_ns},
         {"winner_work_ns", section.winner_work_ns},
         {"wasted_work_ns", section.wasted_work_ns},
         {"wasted_share", section.wasted_share()},
         {"never_ran", section.never_ran},
         {"ended", section.ended},
         {"cut_short", section.cut_short}});
  }
  return sections;
}

Json causes_json(const std::optional<analysis::WaitCauses>& waits) {
  if (!waits) return {};
  return {{"numbers_ns", waits->numbers_ns}, {"costs_ns", waits->costs_ns}, {"speeds_ns", waits->speeds_ns}};
}

Json loops_json(const analysis::Report& report) {
  Json loops = Json::array();
  for (const analysis::LoopSummary& loop : report.loops)
    loops.push_back({{"name", loop.name},
                     {"instances", loop.instances},
                     {"iterations", loop.iterations},
                     {"schedule", loop.schedule},
                     {"work_ns", loop.work_ns},
                     {"hand_outs", loop.hand_outs},
                     {"hand_out_ns", loop.hand_out_ns},
                     {"imbalance", loop.imbalance ? Json(*loop.imbalance) : Json()},
                     {"waited_ns", loop.waited_ns},
                     {"waits", causes_json(loop.waits)},
                     {"threads", loop.threads},
                     {"cut", loop.cut}});
  return loops;
}

Json locks_json(const analysis::Report& report) {
  Json locks = Json::array();
  for (const analysis::LockSummary& lock : report.locks)
    locks.push_back(
        {{"name", lock.name}, {"times", lock.times}, {"held_ns", lock.held_ns}, {"waited_ns", lock.waited_ns}});
  return locks;
}

Json granularity_json(const analysis::Report& report) {
  Json kernels = Json::array();
  for (const analysis::GranularitySummary& kernel : report.granularity) {
    Json thresholds = Json::array();
    for (const auto& [time_ns, threshold_ns] : kernel.thresholds)
      thresholds.push_back({{"time_ns", time_ns}, {"threshold_ns", threshold_ns}});
    kernels.push_back({{"name", kernel.name},
                       {"tasks", kernel.tasks},
                       {"calls", kernel.calls},
                       {"decision_ns", kernel.decision_ns},
                       {"thresholds", thresholds}});
  }
  return kernels;
}

Json launched_json(const analysis::LaunchedRun& run) {
  return {
      {"elapsed_ns", run.elapsed_ns}, {"runtime", run.runtime}, {"exit_code", run.exit_code}, {"signal", run.signal}};
}

Json baseline_json(const std::optional<analysis::Baseline>& baseline) {
  if (!baseline) return {};
  Json json = launched_json(baseline->own);
  json["recorded"] = launched_json(baseline->recorded);
  return json;
}

template <typename Number>
Json number_or_null(const std::optional<Number>& number) {
  return number ? Json(*number) : Json();
}

Json processes_json(const analysis::ProcessShares& shares) {
  if (shares.processes.empty()) return {};
  Json list = Json::array();
  for (const analysis::RecordedProcess& one : shares.processes)
    list.push_back({{"process", one.name},
                    {"folder", one.folder},
                    {"program", one.program},
                    {"command", one.command},
                    {"start_ns", number_or_null(one.start_ns)},
                    {"elapsed_ns", number_or_null(one.elapsed_ns)},
                    {"cpu_ns", number_or_null(one.cpu_ns)},
                    {"ended", one.has_ended}});
  return {{"shown", shares.processes[shares.shown].name},
          {"elapsed_ns", number_or_null(shares.elapsed_ns)},
          {"idle_ns", number_or_null(shares.idle_ns)},
          {"cpu_ns", shares.cpu_ns},
          {"left_out", shares.left_out},
          {"most", shares.most_processes},
          {"list", std::move(list)}};
}

Json cut_off_json(const analysis::CutOffAdvice& advice) {
  return {{"grain_ns", advice.grain_ns},
          {"depth", advice.depth ? Json(*advice.depth) : Json(nullptr)},
          {"tasks", advice.tasks},
          {"makespan_ns", advice.predicted_ns}};
}

}  // namespace

std::string report_json(const analysis::Report& report, const std::optional<analysis::CutOffAdvice>& cut_off) {
  Json json;
  json["workers"] = report.workers;
  json["elapsed_ns"] = report.elapsed_ns;
  json["tasks"] = report.tasks;
  json["work_ns"] = report.work_ns;
  json["span_ns"] = report.span_ns;
  json["burdened_span_ns"] = report.burdened_span_ns;
  json["delay_ns"] = report.delay_ns;
  json["no_work_ns"] = report.no_work_ns;
  json["create_task"] = report.create_task;
  json["wait_tasks"] = report.wait_tasks;
  json["probe_ns"] = report.probe_ns;
  json["dropped_events"] = report.dropped_events;
  json["kernels"] = kernels_json(report);
  json["loops"] = loops_json(report);

  json["program"] = report.program;
  json["command"] = report.command;
  json["recorded_elapsed_ns"] = report.recorded_elapsed_ns;
  json["parallelism"] = ratio(static_cast<double>(report.work_ns), static_cast<double>(report.span_ns));
  json["strands"] = report.strands;
  json["edges"] = report.edges;
  json["barriers"] = report.barriers;
  json["cancelled_tasks"] = report.cancelled_tasks;
  json["burden_ns"] = report.burden_ns;
  json["runtime_ns"] = report.runtime_ns;
  json["blocked_ns"] = report.blocked_ns;
  json["system_blocked_ns"] = report.system_blocked_ns;
  json["core_wait_ns"] = report.core_wait_ns;
  json["core_wait_elapsed_ns"] = report.core_wait_elapsed_ns;
  json["outside_ns"] = report.outside_ns;
  json["held_up_ns"] = report.held_up_ns;
  json["assumed_even_ns"] = report.assumed_even_ns;
  json["identity_error"] = report.identity_error;
  json["costs"] = costs_json(report.costs);
  json["function_sampling"] = sampling_json(report.function_sampling);
  json["critical_paths"] = {{"longest_work", path_json(report, report.longest_work)},
                            {"last_finisher", path_json(report, report.last_finisher)},
                            {"largest_delay", path_json(report, report.largest_delay)}};
  json["profile"] = profile_json(report);
  add_counters_json(report, json);
  json["baseline"] = baseline_json(report.baseline);
  json["locks"] = locks_json(report);
  json["granularity"] = granularity_json(report);
  json["warnings"] = report.warnings;
  json["speculative"] = speculative_json(report);
  json["cut_off"] = cut_off ? cut_off_json(*cut_off) : Json(nullptr);
  json["processes"] = processes_json(report.processes);
  return json_text(json);
}

}  // namespace foretask::report
