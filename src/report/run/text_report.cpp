// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/region_name.hpp"
#include "report/plain_text.hpp"
#include "report/run/causes.hpp"
#include "report/run/kernel_texts.hpp"
#include "report/run/processes.hpp"
#include "report/run/reading.hpp"
#include "report/run/run_report.hpp"
#include "report/sentences.hpp"
#include "report/short_names.hpp"
#include "report/units.hpp"

namespace foretask::report {
namespace {

using analysis::LoopSummary;
using analysis::Report;

constexpr std::size_t kLoopsShown = 20;

// "94 % costs, 6 % numbers"; the largest first, without what rounds to nothing.
std::string causes_words(const analysis::WaitCauses& waits) {
  constexpr double kLeast = 0.005;
  std::array<std::pair<std::int64_t, const char*>, 3> causes{
      {{waits.costs_ns, "costs"}, {waits.numbers_ns, "numbers"}, {waits.speeds_ns, "speeds"}}};
  std::stable_sort(causes.begin(), causes.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  const double sum = waits.costs_ns + waits.numbers_ns + waits.speeds_ns;
  std::string words;
  for (const auto& [ns, name] : causes) {
    if (ratio(ns, sum) < kLeast) continue;
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", format_share(ratio(ns, sum)), name);
  }
  return words;
}

void add_waits(Text& text, const Report& report, const ShortNames& names) {
  constexpr double kMuch = 0.01;  // of the workers' time
  constexpr std::size_t kShown = 3;
  const double least = kMuch * report.workers * report.elapsed_ns;
  std::vector<const LoopSummary*> waited;
  for (const LoopSummary& loop : report.loops)
    if (loop.waits && loop.waited_ns >= least) waited.push_back(&loop);
  if (waited.empty()) return;
  std::stable_sort(waited.begin(), waited.end(),
                   [](const LoopSummary* a, const LoopSummary* b) { return a->waited_ns > b->waited_ns; });
  if (waited.size() > kShown) waited.resize(kShown);
  add(text, "Why threads waited for the slowest:\n");
  for (const LoopSummary* const loop : waited)
    add(text, "  {:<40}  {}\n", causes_words(*loop->waits), names.of(loop->name));
  add(text,
      "costs: some iterations cost more (of a static loop: or a core is always slower). numbers: iterations or chunks "
      "are too few to divide. speeds: threads were held up at times.\n");
}

void add_hand_outs(Text& text, const Report& report, const ShortNames& names) {
  constexpr double kMuch = 0.01;  // of the workers' time
  const double least = kMuch * report.workers * report.elapsed_ns;
  for (const LoopSummary& loop : report.loops)
    if (loop.hand_out_ns >= least)
      add(text, "Beside the total, handing out {} took {}, {} each: {}\n",
          format_count(loop.hand_outs, "chunk", "chunks"), format_ns(loop.hand_out_ns),
          format_ns(ratio(loop.hand_out_ns, loop.hand_outs)), names.of(loop.name));
}

void add_loops(Text& text, const Report& report, const ShortNames& names) {
  if (report.loops.empty()) return;
  add(text, "\nParallel loops, most work first:\n  {:>9}  {:>12}  {:>10}  {:>9}  {:>10}  {:<12}  {}\n", "times",
      "iterations", "total", "imbalance", "waited", "schedule", "name");
  const std::size_t shown = std::min(report.loops.size(), kLoopsShown);
  for (std::size_t i = 0; i < shown; ++i) {
    const LoopSummary& loop = report.loops[i];
    add(text, "  {:>9}  {:>12}  {:>10}  {:>9}  {:>10}  {:<12}  {}\n", format_count(loop.instances),
        loop.iterations == 0 ? "-" : format_count(loop.iterations), format_ns(loop.work_ns),
        loop.imbalance ? fmt::format("{:.2f}", *loop.imbalance) : "-", loop.imbalance ? format_ns(loop.waited_ns) : "-",
        loop.schedule, names.of(loop.name));
  }
  if (shown < report.loops.size()) add(text, "  and {} more (--json lists all)\n", report.loops.size() - shown);
  add(text,
      "imbalance: the slowest thread's time / the threads' mean. waited: what the other threads' "
      "shares are shorter. -: one thread, or not known.\n");
  std::uint64_t cut = 0;
  bool is_guessed = false;
  for (const LoopSummary& loop : report.loops) {
    cut += loop.cut;
    is_guessed = is_guessed || loop.schedule.ends_with('?');
  }
  if (is_guessed) add(text, "?: guessed from the sizes of chunks.\n");
  if (cut != 0)
    add(text, "{} cut short: cancelled, or not done at the program's end. Iterations are those that were handed out.\n",
        format_count(cut, "loop was", "loops were"));
  add_hand_outs(text, report, names);
  add_waits(text, report, names);
}

// Of the workers' time: what the runtime takes is worth a line from here on.
constexpr double kMuchRuntime = 0.01;
constexpr std::size_t kKernelsShown = 20;
constexpr std::size_t kPathKernelsShown = 4;

std::string one_line(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

void add_share(Text& text, const char* name, std::int64_t ns, double whole, std::string_view meaning) {
  add(text, "  {:<16}  {:>10}  {:>7}   {}\n", name, format_ns(ns), format_share(ratio(ns, whole)), meaning);
}

// What the threads did in the work.
std::string meaning_of_work(const Report& report) {
  constexpr double kMuch = 0.01;
  const double blocked = ratio(report.system_blocked_ns, report.work_ns);
  if (blocked < kMuch) return "running the program's code";
  return fmt::format("running the program's code: on a core {}, blocked in the system {}", format_share(1 - blocked),
                     format_share(blocked));
}

void add_causes(Text& text, const Report& report) {
  const CauseTable table = cause_table(report);
  add(text, "\nWhere the cores' time went ({} x {}), and the run's time without that on {} {}:\n", report.workers,
      format_ns(report.core_time.wall_ns), fmt::join(table.cores, ", "), table.cores.back() == 1 ? "core" : "cores");
  for (const CauseRow& row : table.rows) {
    add(text, "  {:<14}  {:>10}  {:>7}", row.name, format_ns(row.ns), format_share(row.share));
    for (const std::string& time : row.without) add(text, "  {:>8}", time);
    add(text, "{}{}\n", row.kernel.empty() ? "" : "   ", row.kernel);
  }
  add(text, "useful work: with the run as it is. -: no replay knows.\n");
}

// A column a recording.
void add_efficiencies(Text& text, const std::vector<analysis::Efficiencies>& all) {
  using analysis::Efficiencies;
  if (all.empty()) return;
  const auto add_row = [&](const char* name, auto value) {
    std::string row;
    bool has_any = false;
    for (const Efficiencies& one : all) {
      const std::optional<double> number = value(one);
      has_any = has_any || number;
      row += fmt::format("  {:>8}", number ? format_share(*number) : "-");
    }
    if (has_any) add(text, "  {:<24}{}\n", name, row);
  };
  add(text, "\nEfficiencies, as the POP project defines them, by workers:\n  {:<24}", "");
  for (const Efficiencies& one : all) add(text, "  {:>8}", one.workers);
  add(text, "\n");
  add_row("global", [](const Efficiencies& one) { return one.global; });
  add_row("  parallel", [](const Efficiencies& one) { return std::optional(one.parallel); });
  add_row("    load balance", [](const Efficiencies& one) { return std::optional(one.load_balance); });
  add_row("    serialisation", [](const Efficiencies& one) { return std::optional(one.serialisation); });
  add_row("    transfer", [](const Efficiencies& one) { return std::optional(one.transfer); });
  add_row("  computation scaling", [](const Efficiencies& one) { return one.computation_scaling; });
  add_row("    instruction scaling", [](const Efficiencies& one) { return one.instruction_scaling; });
  add_row("    IPC scaling", [](const Efficiencies& one) { return one.ipc_scaling; });
}

void add_answer(Text& text, const Report& report) {
  add(text, "{}\n{}.\n{}\n{}\n", report.command.empty() ? report.program : one_line(report.command), took_words(report),
      shares_words(report), answer_words(report));
  add(text, "\nMore cores: {}\n", more_cores_words(report));
  if (report.baseline) add(text, "{} The figures here are of the recorded run.\n", baseline_words(*report.baseline));
  add_causes(text, report);
}

// What the threads did in the work, and what kept them from it, by the paper's measures.
void add_measures(Text& text, const Report& report) {
  const double worker_ns = report.workers * static_cast<double>(report.elapsed_ns);
  add(text, "\nThe workers' time ({} x {}):\n", report.workers, format_ns(report.elapsed_ns));
  add_share(text, "work", report.work_ns, worker_ns, meaning_of_work(report));
  const bool has_tasks = is_of_tasks(report);
  add_share(text, "scheduler delay", report.delay_ns, worker_ns,
            has_tasks ? "a worker was idle or in the runtime although a task was ready"
                      : "a thread could have gone on, and had not yet");
  add_share(text, "no work", report.no_work_ns, worker_ns,
            has_tasks ? "a worker was idle, and no task was ready"
                      : "a thread waited for the others, or was outside of parallel regions");
  const auto add_runtime = [&](std::int64_t ns, const char* what) {
    if (ns < kMuchRuntime * worker_ns) return;
    add(text, "The delay includes {} ({} of the workers' time) in which the runtime {}.\n", format_ns(ns),
        format_share(ratio(ns, worker_ns)), what);
  };
  if (has_tasks) add_runtime(report.runtime_ns - hand_out_ns(report), "created, started and joined tasks");
  add_runtime(hand_out_ns(report), "handed out chunks of loops");
  if (report.blocked_ns > 0)
    add(text, "Delay and no work include {} ({} of the workers' time) of waits for locks, critical sections or MPI.\n",
        format_ns(report.blocked_ns), format_share(ratio(report.blocked_ns, worker_ns)));
}

void add_figures(Text& text, const Report& report) {
  add(text, "\nwork {}   critical path {}   burdened span {} ({} for each possible steal)\n", format_ns(report.work_ns),
      format_ns(report.span_ns), format_ns(report.burdened_span_ns), format_ns(report.burden_ns));
  add(text, "{}   {}   {}   {}   {}   {}\n", format_count(report.tasks, "explicit task", "explicit tasks"),
      format_count(report.strands, "strand", "strands"), format_count(report.edges, "edge", "edges"),
      format_count(report.create_task, "creation", "creations"), format_count(report.wait_tasks, "wait", "waits"),
      format_count(report.barriers, "barrier", "barriers"));
  if (report.contracted_tasks != 0)
    add(text,
        "Told as parts of the tasks around them, which took less than the grain (--grain): {}. cv does not show how "
        "these differ.\n",
        format_count(report.contracted_tasks, "task", "tasks"));
  if (report.counted_tasks != 0)
    add(text,
        "Counted without time stamps: {}, {} of all. How the time around them is split among kernels is estimated from "
        "those with.\n",
        format_count(report.counted_tasks, "task", "tasks"),
        format_share(static_cast<double>(report.counted_tasks) / static_cast<double>(report.tasks)));
  add(text, "Recording took {}. The figures leave it out.\n", format_ns(report.probe_ns));
}

void add_kernels(Text& text, const Report& report, const ShortNames& names) {
  if (report.kernels.empty()) return;
  add(text, "\nKernels, most work first:\n  {:>12}  {:>10}  {:>10}  {:>6}  {:>8}  {:>9}   {}\n",
      is_of_tasks(report) ? "tasks" : "shares", "total", "mean", "cv", "of work", "of crit.", "name");
  const std::size_t shown = std::min(report.kernels.size(), kKernelsShown);
  bool has_missing = false;  // of what the functions are known for
  for (std::size_t i = 0; i < shown; ++i) {
    const analysis::KernelSummary& kernel = report.kernels[i];
    add(text, "  {:>12}  {:>10}  {:>10}  {:>6.2f}  {:>8}  {:>9}   {}\n", format_count(kernel.count),
        format_ns(kernel.work_ns), format_ns(kernel.mean_ns), kernel.cv,
        format_share(ratio(kernel.work_ns, report.work_ns)),
        format_share(ratio(kernel.critical_path_ns, report.span_ns)), names.of(kernel.name));
    const FunctionRows functions = function_rows(report, kernel);
    add(text, "{}", functions.text);
    has_missing = has_missing || functions.has_missing;
  }
  if (shown < report.kernels.size()) add(text, "  and {} more (--json lists all)\n", report.kernels.size() - shown);
  add(text, "cv: standard deviation / mean of a kernel's {}. of crit.: its share of the critical path.\n",
      is_of_tasks(report) ? "task times" : "times");
  add(text, "{}", sampling_text(report.function_sampling, has_missing));
  const auto has = [&report](std::string_view part) {
    return std::any_of(report.kernels.begin(), report.kernels.end(),
                       [part](const auto& kernel) { return kernel.name.find(part) != std::string::npos; });
  };
  if (has("(serial part)"))
    add(text, "(serial part): the program's own code outside of tasks{}.\n",
        has_team_kernels(report) ? " and parallel regions" : "");
  if (has(base::kRegionSuffix)) add(text, "[parallel]: a region's code outside of tasks, once for each thread.\n");
  if (has(base::kLoopSuffix)) add(text, "loop: a parallel loop, counted once for each thread's share of it.\n");
  if (has(base::kSectionsSuffix)) add(text, "sections: a sections construct, counted likewise.\n");
  if (std::any_of(report.kernels.begin(), report.kernels.end(),
                  [&names](const auto& kernel) { return names.of(kernel.name).find(" #2") != std::string::npos; }))
    add(text, "#2: another kernel whose name reads the same.\n");
  if (names.are_cut()) add(text, "Long names are cut: ... stands for what they lack. --json has them whole.\n");
  if (report.cancelled_tasks != 0)
    add(text, "{} cancelled before the start.\n",
        format_count(report.cancelled_tasks, "more task was", "more tasks were"));
}

void add_locks(Text& text, const Report& report, const ShortNames& names) {
  constexpr double kMuch = 0.01;  // of the elapsed time
  constexpr std::size_t kShown = 5;
  const double least = kMuch * report.elapsed_ns;
  std::size_t shown = 0;
  for (const analysis::LockSummary& lock : report.locks) {
    if (lock.held_ns + lock.waited_ns < least || shown == kShown) continue;
    if (shown++ == 0)
      add(text, "\nLocks and critical sections, longest held first:\n  {:>12}  {:>10}  {:>10}  {:>10}   {}\n", "times",
          "held", "of elapsed", "waited", "held longest by");
    add(text, "  {:>12}  {:>10}  {:>10}  {:>10}   {}\n", format_count(lock.times), format_ns(lock.held_ns),
        format_share(ratio(lock.held_ns, report.elapsed_ns)), format_ns(lock.waited_ns), names.of(lock.name));
  }
}

void add_granularity(Text& text, const Report& report) {
  if (report.granularity.empty()) return;
  add(text, "\nParts that foretask made tasks, or had called:\n  {:>12}  {:>14}  {:>14}  {:>22}   {}\n", "tasks",
      "calls", "a decision", "tasks are worth it at", "kernel");
  const ShortNames names(report.granularity);
  for (const analysis::GranularitySummary& kernel : report.granularity) {
    std::vector<double> thresholds;
    for (const auto& [time_ns, threshold_ns] : kernel.thresholds) thresholds.push_back(threshold_ns);
    const auto [least, most] = std::minmax_element(thresholds.begin(), thresholds.end());
    const std::string range = least == most ? format_ns(*least) : format_ns(*least) + " to " + format_ns(*most);
    add(text, "  {:>12}  {:>14}  {:>14}  {:>22}   {}\n", format_count(kernel.tasks), format_count(kernel.calls),
        format_ns(kernel.decision_ns), range, names.of(kernel.name));
  }
}

void add_speculative(Text& text, const Report& report) {
  if (report.speculative.empty()) return;
  add(text, "\nOr-parallel sections (taskgroups that one of their tasks cancels):\n");
  for (const analysis::SpeculativeSection& section : report.speculative) {
    const analysis::SpeculativeTimes& winner = section.winner_ns;
    add(text, "  {}: {}, {} with a winner, {:.1f} tasks per group\n", section.name,
        format_count(section.groups, "group", "groups"), format_count(section.cancelled),
        ratio(section.members, section.groups));
    add(text, "    the winner took {} (standard deviation {}, 90 % quantile {}); the group ended {} later\n",
        format_ns(winner.mean), format_ns(winner.sd), format_ns(winner.p90), format_ns(section.left_ns));
    add(text, "    thrown away: {} of work, {} of the work in cancelled groups; {} cut short, {} never ran\n",
        format_ns(section.wasted_work_ns), format_share(section.wasted_share()),
        format_count(section.cut_short, "task", "tasks"), format_count(section.never_ran));
  }
}

void add_path(Text& text, const Report& report, const ShortNames& names, const char* name,
              const analysis::CriticalPath& path) {
  add(text, "  {:<22}  work {:>10}  waited {:>10}\n", name, format_ns(path.work_ns), format_ns(path.delay_ns));
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < std::min(path.kernels.size(), kPathKernelsShown); ++i) {
    const auto& [kernel, ns] = path.kernels[i];
    if (kernel >= report.kernels.size()) continue;
    parts.push_back(fmt::format("{} {}", names.of(report.kernels[kernel].name), format_share(ratio(ns, path.work_ns))));
  }
  if (!parts.empty()) add(text, "      {}\n", fmt::join(parts, ", "));
}

void add_paths(Text& text, const Report& report, const ShortNames& names) {
  add(text, "\nCritical paths (waited: from ready to started, workers idle or not):\n");
  add_path(text, report, names, "longest work", report.longest_work);
  add_path(text, report, names, "to the last finisher", report.last_finisher);
  add_path(text, report, names, "longest waiting", report.largest_delay);
  if (!report.loops.empty())
    add(text,
        "The longest work has only the longest chunk of each parallel loop. The other two have a thread's whole "
        "share.\n");
}

}  // namespace

std::string report_text(const Report& report, Detail detail, const std::optional<analysis::CutOffAdvice>& cut_off,
                        const std::vector<analysis::Efficiencies>& efficiencies) {
  Text text;
  add(text, "{}", processes_text(report.processes));
  if (report.dropped_events != 0) {
    add(text, "INCOMPLETE: {} dropped. Every figure below lacks what they would say.\n\n",
        format_count(report.dropped_events, "event was", "events were"));
  }
  add_answer(text, report);
  if (cut_off) add(text, "{}\n", advice_words(*cut_off));
  if (detail == Detail::kAll || efficiencies.size() > 1) add_efficiencies(text, efficiencies);
  const ShortNames names = short_names_of(report);
  add_kernels(text, report, names);
  add_loops(text, report, names);
  add_locks(text, report, names);
  add_granularity(text, report);
  add(text, "{}{}", samples_text(report), counters_text(report));
  add_speculative(text, report);
  if (detail == Detail::kAll) {
    add(text, "{}", spread_text(report));
    add_paths(text, report, names);
    add_measures(text, report);
    add_figures(text, report);
  }
  if (!report.warnings.empty()) {
    add(text, "\nWarnings:\n");
    for (const std::string& warning : report.warnings) add(text, "  - {}\n", warning);
  }
  if (detail == Detail::kShort)
    add(text, "\nMore: --details says why a kernel's tasks differ, and shows the critical paths.\n");
  return fmt::to_string(text);
}

}  // namespace foretask::report
