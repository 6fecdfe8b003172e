// SPDX-License-Identifier: Apache-2.0
#include "report/simulate/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>

#include "foretask/analysis/calibration.hpp"
#include "report/json_output.hpp"
#include "report/plain_text.hpp"
#include "report/sentences.hpp"
#include "report/simulate/json_parts.hpp"
#include "report/units.hpp"

namespace foretask::analysis {

FORETASK_JSON_FIELDS(KernelWork, kernel, workers, factor)

}  // namespace foretask::analysis

namespace foretask::report {

FORETASK_JSON_FIELDS(Speedup, kernel, factor)
FORETASK_JSON_FIELDS(ChangedLoop, loop, schedule)
FORETASK_JSON_FIELDS(MeasuredRun, workers, elapsed_ns, unrecorded)

namespace {

// Within this factor of a bound we say that the bound decides.
constexpr double kNear = 1.05;

// Which core count already gives what the best one gives, and which bound stands there.
std::string reading(const Simulation& simulation) {
  const auto& runs = simulation.runs;
  if (runs.empty()) return {};
  const double span = simulation.span_ns;
  const auto widest = std::max_element(runs.begin(), runs.end(), [](auto& a, auto& b) { return a.cores < b.cores; });
  const auto fastest = std::min_element(runs.begin(), runs.end(),
                                        [](auto& a, auto& b) { return a.replay.makespan_ns < b.replay.makespan_ns; });
  auto enough = fastest;
  for (auto run = runs.begin(); run != runs.end(); ++run) {
    if (run->replay.makespan_ns <= kNear * fastest->replay.makespan_ns && run->cores < enough->cores) enough = run;
  }

  if (fastest->lock_ns > 0 && fastest->replay.makespan_ns <= kNear * fastest->lock_ns) {
    return fmt::format(
        "The replay stops scaling at {}: a lock or critical section that is held and handed on for {} in all sets its "
        "time (foretask report says whose). More cores do not help it.\n",
        format_count(enough->cores, "core", "cores"), format_ns(fastest->lock_ns));
  }
  if (span > 0 && fastest->replay.makespan_ns <= kNear * span) {
    return fmt::format(
        "The replay stops scaling at {}: the critical path ({}) sets its time. More cores do not help it.\n",
        format_count(enough->cores, "core", "cores"), format_ns(span));
  }
  if (enough->cores < widest->cores) {
    return fmt::format(
        "Beyond {} the replay gains less than 5 %, though the critical path ({}) allows more. Likely causes: "
        "{}.\n",
        format_count(enough->cores, "core", "cores"), format_ns(span),
        !simulation.costs.teams.empty() ? "the cost of scheduling and the order in which tasks become ready"
        : simulation.machine.empty()
            ? "release times, if the file has some, and the order in which tasks become ready"
            : "messages between nodes, release times, and the order in which tasks become ready");
  }
  if (widest->replay.utilization >= 0.9) {
    return fmt::format(
        "The replay still scales at {}: the work per core ({}) sets its time, not the critical path ({}).\n",
        format_count(widest->cores, "core", "cores"), format_ns(ratio(simulation.work_ns(), widest->workers)),
        format_ns(span));
  }
  return fmt::format(
      "{} {}{} {} of the cores' time is idle or goes to scheduling: the work per core is {}, the critical path {}.\n",
      runs.size() > 1 ? "The replay still gains at" : "On", format_count(widest->cores, "core", "cores"),
      runs.size() > 1 ? ", but" : "", format_share(1 - widest->replay.utilization),
      format_ns(ratio(simulation.work_ns(), widest->workers)), format_ns(span));
}

// Of the recorded time, from which on a replay on the recorded cores says little of others.
constexpr double kMuchOff = 0.15;

// (time - measured) / measured of a replay as the run was; nothing on other cores, or of faster kernels.
std::optional<double> misfit(const Simulation& simulation, const SimulatedRun& run) {
  const bool is_as_recorded = simulation.machine.empty() && simulation.speedups.empty() && simulation.schedules.empty();
  if (!simulation.measured || !is_as_recorded || simulation.measured->workers != run.cores) return {};
  const double measured = simulation.measured->elapsed_ns;
  return ratio(run.replay.makespan_ns - measured, measured);
}

std::string word_on_misfit(const Simulation& simulation) {
  double off = 0;
  for (const SimulatedRun& run : simulation.runs) off = misfit(simulation, run).value_or(off);
  if (std::abs(off) < kMuchOff) return {};
  return fmt::format(
      "On the recorded cores the replay is {} {} than the run was: expect errors of that size on other cores. Where "
      "other programs held the cores, record again on idle ones.\n",
      format_share(std::abs(off)), off < 0 ? "shorter" : "longer");
}

// Of the workers' time: what the runtime costs decides from here on.
constexpr double kMuchRuntime = 0.1;
constexpr double kMostlyRuntime = 0.4;
constexpr double kSmallTaskNs = 10'000;

// How far the runtime's costs are known, where they matter.
std::string word_on_costs(const Simulation& simulation) {
  if (!simulation.measured || simulation.policy != analysis::Policy::kWorkStealing) return {};
  const MeasuredRun& measured = *simulation.measured;
  const bool is_as_recorded = std::all_of(simulation.runs.begin(), simulation.runs.end(),
                                          [&](const SimulatedRun& run) { return run.cores == measured.workers; });
  if (is_as_recorded) return {};
  const analysis::SchedulingCosts& costs = simulation.costs;
  const double mean_ns = ratio(simulation.work_ns(), simulation.tasks);
  // Most of it is within strands and looks like work.
  if (!costs.is_calibrated && simulation.tasks != 0 && mean_ns < kSmallTaskNs)
    return fmt::format(
        "The work is {} for each task. What the runtime itself takes for tasks so small is not known here. To find it: "
        "foretask doctor --calibrate, on the machine of the recording, and there this command again.\n",
        format_ns(mean_ns));
  const double share = ratio(measured.runtime_ns, static_cast<double>(measured.elapsed_ns) * measured.workers);
  if (!costs.is_calibrated || share < kMuchRuntime) return {};
  const bool is_unsure = costs.spread > analysis::kUnsureSpread;
  const bool is_most = share >= kMostlyRuntime;
  std::string text;
  if (is_unsure || is_most)
    text += fmt::format("The runtime's own work took {} of the recorded workers' time.", format_share(share));
  if (is_unsure)
    text += fmt::format(
        " Its calibration is unsure: repetitions differ by {}, and so may this part on other cores. To settle it: "
        "foretask doctor --calibrate on an idle machine, then record again.",
        format_share(costs.spread));
  if (is_most)
    text +=
        " On other cores it is taken to cost what it did in the calibration, in the mean. For tasks so small it "
        "varies: such predictions were off by a factor of three and more. To settle it: record on that number of "
        "threads.";
  if (!text.empty()) text += "\n";
  const std::uint32_t known = costs.calibrated_threads;
  const bool is_beyond = std::any_of(simulation.runs.begin(), simulation.runs.end(),
                                     [&](const SimulatedRun& run) { return run.cores > known; });
  if (is_beyond)
    text += fmt::format(
        "The runtime's costs are measured on up to {}. On more cores they may be larger: threads that share queues "
        "hinder each other, "
        "and these replays do not know how much.\n",
        format_count(known, "thread", "threads"));
  return text;
}

// Whether the program would divide its loops further than the replay does.
std::string word_on_loop_parts(const Simulation& simulation) {
  if (!simulation.measured) return {};
  const std::uint32_t workers = simulation.measured->workers;
  if (std::all_of(simulation.runs.begin(), simulation.runs.end(),
                  [workers](const SimulatedRun& run) { return run.cores <= workers; }))
    return {};
  const std::string words = loop_parts_words(simulation.measured->loop_parts, workers);
  if (words.empty()) return {};
  return words + ", and these times may be too long. To settle it: record on that number of threads.\n";
}

// The kernels whose work other recordings show to differ, and how far that of the first goes.
std::string word_on_inflation(const Simulation& simulation) {
  if (simulation.inflated.empty()) return {};
  const auto& rows = simulation.inflated;
  const auto& most = *std::max_element(rows.begin(), rows.end(), [&](const auto& a, const auto& b) {
    const auto away = [&](const auto& one) {
      return one.kernel == rows.front().kernel ? std::abs(std::log(one.factor)) : -1;
    };
    return away(a) < away(b);
  });
  std::set<std::string> kernels;
  std::uint32_t known = 0;
  for (const analysis::KernelWork& one : rows) {
    kernels.insert(one.kernel);
    known = std::max(known, one.workers);
  }
  std::string text = fmt::format(
      "The other recordings show {} whose work differs with the number of workers, as where memory is shared: that of "
      "{} is {:.2f} "
      "times as long on {}. The replays use that, and what lies between.\n",
      format_count(kernels.size(), "kernel", "kernels"), one_line(most.kernel), most.factor,
      format_count(most.workers, "worker", "workers"));
  if (std::any_of(simulation.runs.begin(), simulation.runs.end(), [&](const auto& run) { return run.cores > known; }))
    text += fmt::format("Beyond {} the work is not known, and is taken as it is there. To see it, record on more.\n",
                        format_count(known, "worker", "workers"));
  return text;
}

// A share of the recorded time from which on locks may decide the time on more cores.
constexpr double kMuchWaiting = 0.05;
// Of a replay's time: threads meet at a lock that is held for so long.
constexpr double kMuchHeld = 0.25;

std::string word_on_locks(const Simulation& simulation) {
  if (!simulation.measured) return {};
  const MeasuredRun& measured = *simulation.measured;
  const double share = ratio(measured.blocked_ns, static_cast<double>(measured.elapsed_ns) * measured.workers);
  std::string text;
  if (share >= kMuchWaiting)
    text = fmt::format("The recorded workers spent {} of their time waiting for locks, critical sections or MPI. ",
                       format_share(share));
  const auto held = std::find_if(simulation.runs.begin(), simulation.runs.end(), [](const SimulatedRun& run) {
    return run.lock_ns >= kMuchHeld * run.replay.makespan_ns;
  });
  if (held != simulation.runs.end())
    text += fmt::format("On {} a lock is held for {} of the time. ", format_count(held->cores, "core", "cores"),
                        format_share(ratio(held->lock_ns, held->replay.makespan_ns)));
  if (text.empty()) return {};
  return text + "The replay has no such waits: where threads want a lock at the same time, its times are too short.\n";
}

std::string sampled_words(const SimulatedRun& run) {
  if (run.range) return fmt::format("   runs {} to {}", format_ns(run.range->low_ns), format_ns(run.range->high_ns));
  return fmt::format("   sampled {} ± {}", format_ns(run.sampled->quantiles_ns[4]), format_ns(run.sampled->sd_ns));
}

// What the sampled makespans and the ranges of runs are.
std::string sampling_note(const SampleCount& sampled) {
  const auto& spread = sampled.spread;
  const bool has_range = spread && spread->runs >= analysis::kFewestRunsOfRange;
  std::string text = "\n";
  if (has_range)
    text +=
        fmt::format("Runs: the range that 90 % of future runs fall into, according to {} recordings.\n", spread->runs);
  if (spread) text += fmt::format("The recordings differ by {:.1f} % (standard deviation).\n", 100 * spread->log_sd);
  if (has_range) return text;
  text += fmt::format(
      "Sampled: median and standard deviation of {} replays with drawn task times. Task times and stealing cause this "
      "spread on a machine that never varies. Whole runs differ more.\n",
      sampled.samples);
  if (sampled.is_a_run)
    text += fmt::format("For the range of future runs give {} other recordings: --runs.\n",
                        analysis::kFewestRunsOfRange - 1);
  return text;
}

Json sample_json(const analysis::MakespanSample& sample, std::uint32_t count) {
  Json quantiles;
  for (std::size_t i = 0; i < analysis::kMakespanQuantiles.size(); ++i)
    quantiles[fmt::format("p{:02.0f}", 100 * analysis::kMakespanQuantiles[i])] = sample.quantiles_ns[i];
  return {
      {"count", count}, {"mean_ns", sample.mean_ns}, {"sd_ns", sample.sd_ns}, {"quantiles_ns", std::move(quantiles)}};
}

Json run_json(const Simulation& simulation, const SimulatedRun& run) {
  const analysis::SimulationResult& one = run.replay;
  Json json{{"cores", run.cores}, {"policy", analysis::policy_name(simulation.policy)}};
  FORETASK_ADD_JSON_FIELDS(makespan_ns, speedup, utilization)
  json["workers"] = run.workers;
  FORETASK_ADD_JSON_FIELDS(replays, lowest_ns, highest_ns)
  json["lock_ns"] = run.lock_ns;
  if (run.sampled) json["samples"] = sample_json(*run.sampled, simulation.sampled->samples);
  if (run.range)
    json["between_runs"] = {
        {"p05_ns", run.range->low_ns}, {"p50_ns", run.range->median_ns}, {"p95_ns", run.range->high_ns}};
  return json;
}

}  // namespace

std::string sampling_words(const SampleCount& sampled) {
  if (sampled.kept == 0) return {};
  return fmt::format("{} of {} tasks{} have no similar tasks. They keep their own times.\n", format_count(sampled.kept),
                     format_count(sampled.tasks), sampled.is_a_run ? ", implicit ones included," : "");
}

std::string assumed_even_words(double share) {
  constexpr double kMuch = 0.05;
  if (share < kMuch) return {};
  return fmt::format(
      "The replay divides {} of the work among any number of cores, though the recording does not show its iterations "
      "(docs/loops.md).\n",
      format_share(share));
}

std::string simulation_text(const Simulation& simulation) {
  Text text;
  const std::string contents = simulation.contents.empty()
                                   ? fmt::format("{}, {}", format_count(simulation.tasks, "task", "tasks"),
                                                 format_count(simulation.edges, "edge", "edges"))
                                   : simulation.contents;
  constexpr double kMostlyAssumed = 0.5;  // of the work: then work / span says nothing of the cores
  add(text, "{}: {}, work {}, critical path {}{}\n", simulation.input, contents, format_ns(simulation.work_ns()),
      format_ns(simulation.span_ns),
      simulation.assumed_even >= kMostlyAssumed
          ? ""
          : fmt::format(", parallelism {:.1f}", ratio(simulation.work_ns(), simulation.span_ns)));
  for (const Speedup& speedup : simulation.speedups)
    add(text, "{} made {:g} times as fast\n", speedup.kernel, speedup.factor);
  for (const ChangedLoop& change : simulation.schedules)
    add(text, "{} under schedule({})\n", change.loop, change.schedule);
  add(text, "policy {}{}{}\n\n{:>7}  {:>12}  {:>8}  {:>10}\n", analysis::policy_name(simulation.policy),
      simulation.machine.empty() ? "" : ", on ", simulation.machine, "cores", "time", "speedup", "efficiency");
  for (const SimulatedRun& run : simulation.runs) {
    add(text, "{:>7}  {:>12}  {:>8.2f}  {:>10}", run.cores, format_ns(run.replay.makespan_ns), run.replay.speedup,
        format_share(run.replay.speedup / static_cast<double>(run.workers)));
    const std::string lowest = format_ns(run.replay.lowest_ns);
    const std::string highest = format_ns(run.replay.highest_ns);
    if (lowest != highest) add(text, "   {} to {}", lowest, highest);
    if (run.sampled) text.append(sampled_words(run));
    if (const auto off = misfit(simulation, run))
      add(text, "   measured {} ({:+.1f} %)", format_ns(simulation.measured->elapsed_ns), in_percent(*off));
    add(text, "\n");
  }
  const auto of_several = std::find_if(simulation.runs.begin(), simulation.runs.end(), [](const SimulatedRun& run) {
    return run.replay.highest_ns > run.replay.lowest_ns;
  });
  if (of_several != simulation.runs.end()) {
    add(text, "\nTimes are medians of {} replays with different random victims. Beside them: shortest to longest.\n",
        of_several->replay.replays);
  }
  if (simulation.sampled) add(text, "{}{}", sampling_note(*simulation.sampled), sampling_words(*simulation.sampled));
  if (simulation.measured) {
    add(text, "\nThe recorded run{} took {} on {}.\n", simulation.speedups.empty() ? "" : " (nothing made faster)",
        format_ns(simulation.measured->elapsed_ns), format_count(simulation.measured->workers, "worker", "workers"));
    if (const analysis::TimeRange& time = simulation.measured->unrecorded; !time.is_known())
      add(text,
          "Recording slowed it down, which is left out: the program alone may take {}. To measure it: foretask "
          "record "
          "--baseline.\n",
          range_words(time));
  }
  add(text, "\nSpeedup: work / time. Efficiency: speedup / cores.\n{}{}", reading(simulation),
      word_on_misfit(simulation) + word_on_costs(simulation) + word_on_loop_parts(simulation) +
          word_on_inflation(simulation));
  add(text, "{}{}", assumed_even_words(simulation.assumed_even), pooled_words(simulation.pooled));
  add(text, "{}", word_on_locks(simulation));
  return fmt::to_string(text);
}

std::string simulation_json(const Simulation& one) {
  Json json;
  FORETASK_ADD_JSON_FIELDS(tasks, edges)
  json["work_ns"] = one.work_ns();
  FORETASK_ADD_JSON_FIELDS(span_ns)
  for (const SimulatedRun& run : one.runs) json["runs"].push_back(run_json(one, run));
  FORETASK_ADD_JSON_FIELDS(input, nodes, machine, seed, speedups, schedules)
  json["costs"] = costs_json(one.costs);
  if (one.measured) FORETASK_ADD_JSON_FIELDS(measured)
  if (!one.inflated.empty()) FORETASK_ADD_JSON_FIELDS(inflated)
  if (!one.pooled.empty()) json["with"] = one.pooled;
  if (one.sampled) FORETASK_ADD_JSON_FIELDS(sampled)
  return json_text(json);
}

std::string pooled_words(const std::vector<PooledRun>& runs) {
  std::string text;
  for (const PooledRun& one : runs) {
    if (one.loops == 0) continue;  // nothing that another recording could show
    if (one.matched == 0) {
      text +=
          fmt::format("No costs of iterations come from {}: it has no matching loop execution.\n", one_line(one.run));
    } else if (one.refined == 0) {
      text += fmt::format("{} shows nothing new of what iterations cost.\n", one_line(one.run));
    } else {
      text += fmt::format("Costs of iterations also come from {}: {} of {} loop executions are in it too.\n",
                          one_line(one.run), format_count(one.matched), format_count(one.loops));
    }
  }
  return text;
}

}  // namespace foretask::report
