// SPDX-License-Identifier: Apache-2.0
#include "report/run/reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/region_name.hpp"
#include "report/sentences.hpp"
#include "report/units.hpp"

namespace foretask::report {
namespace {

using analysis::Report;

// Of the workers' time: waits for locks or messages are what the run did.
constexpr double kMostlyBlocked = 0.5;
// The share of work in the workers' time from which on they count as busy.
constexpr double kBusy = 0.9;
// Above this, no runtime's cost of a task is a large part of it.
constexpr double kLargeTaskNs = 50'000;
// Above this, of each worker's time for a task, the delay is no runtime's doing.
constexpr double kLargeDelayNs = 15'000;

// Searches that lost are work as well: what is said of work and cores is not of them.
std::string reading_of_searches(const Report& report) {
  constexpr double kMuch = 0.1;  // of the work
  double wasted_ns = 0;
  for (const analysis::SpeculativeSection& section : report.speculative) wasted_ns += section.wasted_work_ns;
  const double share = ratio(wasted_ns, report.work_ns);
  if (share < kMuch) return {};
  return fmt::format(
      "{} of the work was thrown away: it went into searches that did not win. More workers can still find the first "
      "solution sooner: foretask predict says by how much. A replay (foretask simulate) repeats the searches of this "
      "run.",
      format_share(share));
}

double assumed_share(const Report& report) { return ratio(report.assumed_even_ns, report.work_ns); }

// Then the span says nothing of the cores.
bool is_mostly_assumed(const Report& report) {
  constexpr double kMostly = 0.5;  // of the work
  return assumed_share(report) >= kMostly;
}

// Where the critical path is of this number of threads.
std::string reading_of_loop_parts(const Report& report) {
  const std::string words = loop_parts_words(loop_parts_share(report), report.workers);
  return words.empty() ? words : " " + words + ". To see how far that helps, record on more.";
}

// What is said of more cores rests on work that was not seen to divide, or was divided for fewer.
std::string reading_of_assumption(const Report& report) {
  if (is_span_known(report)) return reading_of_loop_parts(report);
  const double share = assumed_share(report);
  return fmt::format(" This takes {} of the work to divide evenly among more threads. {}", format_share(share),
                     report.workers > 1
                         ? "It ran in parallel regions, and no iterations were seen: the program's text tells how many "
                           "there are."
                         : "One thread ran it, so the recording does not show how it divides: record on two threads "
                           "or more.");
}

bool has_most(const analysis::LoopSummary& loop, std::int64_t ns) { return 2 * ns > loop.waited_ns; }

// Why most of the loop's waits were; nothing where no cause has most of them.
std::string main_cause(const analysis::LoopSummary& loop) {
  if (!loop.waits) return {};
  if (has_most(loop, loop.waits->numbers_ns))
    return fmt::format(" The loop has too few iterations or chunks for {} threads.", loop.threads);
  if (has_most(loop, loop.waits->speeds_ns)) return " Threads were held up: the same iterations took longer at times.";
  if (!has_most(loop, loop.waits->costs_ns)) return {};
  return loop.schedule.starts_with("static") ? " The loop's iterations cost unequally, or that thread's core is slower."
                                             : " The loop's iterations cost unequally.";
}

// Of a static loop that may be divided better.
std::string advice_on_schedule(const analysis::LoopSummary& loop) {
  const bool is_even = loop.schedule == "static" && loop.waits && has_most(loop, loop.waits->numbers_ns);
  if (!loop.schedule.starts_with("static") || is_even) return {};
  return " Another schedule may divide it better: foretask whatif --schedules tries them.";
}

// Threads that had nothing to do while others were in a loop.
std::string reading_of_imbalance(const Report& report) {
  const auto waited = [](const analysis::LoopSummary& a, const analysis::LoopSummary& b) {
    return a.waited_ns < b.waited_ns;
  };
  const auto worst = std::max_element(report.loops.begin(), report.loops.end(), waited);
  constexpr double kMuch = 0.5;  // of no work and delay
  if (worst == report.loops.end() || worst->waited_ns < kMuch * (report.no_work_ns + report.delay_ns)) return {};
  return fmt::format(
      "Threads waited for the slowest of them, most in {}, whose slowest thread took {:.2f} times as long as the "
      "mean.{}{}",
      short_names_of(report, ShortNames::kSentenceColumns).of(worst->name), worst->imbalance.value_or(1),
      main_cause(*worst), advice_on_schedule(*worst));
}

// Of which no number of cores makes the run shorter: the lock that is held longest, one thread after another. Null
// where the critical path is longer.
const analysis::LockSummary* serial_lock(const Report& report) {
  const bool has = !report.locks.empty() && report.locks.front().held_ns > report.span_ns;
  return has ? &report.locks.front() : nullptr;
}

std::string words_of_lock(const Report& report, const analysis::LockSummary& lock) {
  return fmt::format("A lock or critical section in {} is held for {} in all, one thread at a time",
                     short_names_of(report, ShortNames::kSentenceColumns).of(lock.name), format_ns(lock.held_ns));
}

// Work / what runs one after another.
double most_cores(const Report& report) {
  const analysis::LockSummary* const lock = serial_lock(report);
  return ratio(report.work_ns, lock ? lock->held_ns : report.span_ns);
}

// What regions run outside of loops may be each thread's part of something: the number of parts is then that of
// threads.
std::string reading_of_region_code(const Report& report) {
  constexpr double kMuch = 0.1;  // of the critical path
  double path_ns = 0;
  for (const analysis::KernelSummary& kernel : report.kernels)
    if (base::is_region_name(kernel.code)) path_ns += kernel.critical_path_ns;
  const double share = ratio(path_ns, report.span_ns);
  if (share < kMuch) return {};
  return fmt::format(
      " {} of the path is code of parallel regions outside of loops. A program may divide that by the number of its "
      "threads: a recording on {} would show it.",
      format_share(share), format_count(report.workers + 1, "thread", "threads"));
}

// By the span law, of the recorded graph and its locks.
std::string bound_on_cores(const Report& report) {
  constexpr double kNoGain = 1.05;
  const analysis::LockSummary* const lock = serial_lock(report);
  if (is_mostly_assumed(report) && !lock) return "More cores may help.";
  const double bound = ratio(report.elapsed_ns, lock ? lock->held_ns : report.span_ns);
  const std::string path = lock ? words_of_lock(report, *lock) + ", of " + format_ns(report.elapsed_ns) + " elapsed"
                                : fmt::format("The critical path takes {} of the {} elapsed", format_ns(report.span_ns),
                                              format_ns(report.elapsed_ns));
  if (report.own_tasks != 0)
    return fmt::format(
        "{}: as far as is known of what tasks waited for, more cores can make the run {:.1f} times as fast.", path,
        bound);
  const std::string workers = format_count(report.workers, "worker", "workers");
  const std::string region_code = lock ? "" : reading_of_region_code(report);
  if (bound < kNoGain)
    return fmt::format("{}, so the work takes as long on more cores, if it is divided as it was on {}.{}", path,
                       workers, region_code);
  const bool was_busy = report.work_ns >= kBusy * report.workers * report.elapsed_ns;
  return fmt::format(
      "{}, so more cores can make the run, if its work is divided as it was, at most {:.1f} times as fast as it was on "
      "{}.{}{}",
      path, bound, workers, was_busy ? "" : " This counts their idle time too, and the parallelism work alone.",
      region_code);
}

// Of the explicit tasks.
double task_work_ns(const Report& report) {
  double sum = 0;
  for (const analysis::KernelSummary& kernel : report.kernels)
    if (!base::is_team_name(kernel.code) && kernel.name != "(serial part)") sum += kernel.work_ns;
  return sum;
}

constexpr double kMuchRuntime = 0.1;  // of the workers' time

// Of loops whose chunks take less than twice what handing them out takes, the one that loses most.
std::string reading_of_small_chunks(const Report& report, double worker_ns) {
  const analysis::LoopSummary* most = nullptr;
  for (const analysis::LoopSummary& loop : report.loops) {
    if (loop.work_ns >= 2 * loop.hand_out_ns || std::string_view(loop.name).ends_with(base::kSectionsSuffix)) continue;
    if (!most || loop.hand_out_ns > most->hand_out_ns) most = &loop;
  }
  if (!most || most->hand_out_ns < kMuchRuntime * worker_ns) return {};
  return fmt::format(
      "The loop's chunks are too small: {}, {}. A chunk has {} of work, and {} are lost to hand it out: in "
      "all {} of the workers' time. Larger chunks cost less (foretask whatif RUN --schedules).",
      short_names_of(report, ShortNames::kSentenceColumns).of(most->name), most->schedule,
      format_ns(ratio(most->work_ns, most->hand_outs)), format_ns(ratio(most->hand_out_ns, most->hand_outs)),
      format_share(ratio(most->hand_out_ns, worker_ns)));
}

constexpr double kMuchHeldUp = 0.1;

// The part of the threads' time in which they could run, and had no core.
double held_up_share(const Report& report) {
  return ratio(report.held_up_ns, report.workers * static_cast<double>(report.recorded_elapsed_ns));
}

// Tasks that take less than twice what the runtime takes for them, as far as it had the cores.
std::string reading_of_small_tasks(const Report& report, double worker_ns) {
  const double tasks_runtime_ns = report.runtime_ns - hand_out_ns(report);
  if (report.tasks == 0 || tasks_runtime_ns < kMuchRuntime * worker_ns) return {};
  if (held_up_share(report) >= kMuchHeldUp) return {};
  const double mean_ns = ratio(task_work_ns(report), report.tasks);
  const double runtime_ns = ratio(tasks_runtime_ns, report.tasks);
  if (mean_ns >= 2 * runtime_ns) return {};
  return fmt::format(
      "The tasks are too small: {} of work each, and the runtime takes {} for each, {} of the workers' time. Fewer and "
      "larger tasks cost less.",
      format_ns(mean_ns), format_ns(runtime_ns), format_share(ratio(tasks_runtime_ns, worker_ns)));
}

}  // namespace

ShortNames short_names_of(const Report& report, std::size_t columns) {
  std::vector<std::string> names;
  for (const analysis::KernelSummary& kernel : report.kernels) names.push_back(kernel.name);
  for (const analysis::LoopSummary& loop : report.loops) names.push_back(loop.name);
  return ShortNames(names, columns);
}

bool is_of_tasks(const Report& report) {
  if (!report.has_regions) return true;
  double loop_work_ns = 0;
  for (const analysis::LoopSummary& loop : report.loops) loop_work_ns += loop.work_ns;
  return report.tasks != 0 && task_work_ns(report) >= loop_work_ns;
}

bool has_team_kernels(const Report& report) {
  return std::any_of(report.kernels.begin(), report.kernels.end(),
                     [](const analysis::KernelSummary& kernel) { return base::is_team_name(kernel.code); });
}

std::int64_t hand_out_ns(const Report& report) {
  std::int64_t sum = 0;
  for (const analysis::LoopSummary& loop : report.loops) sum += loop.hand_out_ns;
  return sum;
}

std::string contents_words(const Report& report) {
  const std::string tasks = format_count(report.tasks, "task", "tasks");
  const std::string edges = format_count(report.edges, "edge", "edges");
  if (report.loops.empty())
    return (report.tasks == 0 && report.has_regions ? format_count(report.strands, "strand", "strands") : tasks) +
           ", " + edges;
  std::uint64_t times = 0;
  for (const analysis::LoopSummary& loop : report.loops) times += loop.instances;
  const std::string loops =
      fmt::format("{} (run {})", format_count(report.loops.size(), "parallel loop", "parallel loops"),
                  times == 1 ? "once" : format_count(times) + " times");
  return report.tasks == 0 ? loops : tasks + ", " + loops;
}

bool is_span_known(const Report& report) {
  constexpr double kMuch = 0.05;  // of the work
  return assumed_share(report) < kMuch;
}

std::string parallelism_words(const Report& report) {
  if (is_mostly_assumed(report))
    return fmt::format("its parallelism is not known: how {} of the work divides was not seen",
                       format_share(assumed_share(report)));
  return fmt::format("its parallelism (work / critical path) is {:.1f}", ratio(report.work_ns, report.span_ns));
}

// What others wait for a thread that has no core is no fault of the program's.
std::string held_up_words(const Report& report) {
  const double share = held_up_share(report);
  if (share < kMuchHeldUp) return {};
  return fmt::format(
      "Threads that could run had no core for {} of their time: other programs had it, threads are bound to the same "
      "core, or a limit is in force. What others waited for them is delay or no work. Record again on idle cores.",
      format_share(share));
}

std::string reading(const Report& report, double worker_ns) {
  const double parallelism = most_cores(report);
  const analysis::LockSummary* const lock = serial_lock(report);
  const double work = ratio(report.work_ns, worker_ns);
  const double delay = ratio(report.delay_ns, worker_ns);
  const double no_work = ratio(report.no_work_ns, worker_ns);
  if (!(worker_ns > 0)) return "No worker time was recorded.";
  const std::string searches = reading_of_searches(report);
  if (!searches.empty()) return searches;
  if (report.blocked_ns >= kMostlyBlocked * worker_ns)
    return "Most of the time the workers waited for locks, critical sections or MPI. Of an MPI program join the ranks "
           "(foretask merge) and replay them together. Else make the critical sections shorter.";
  const std::string small_tasks = reading_of_small_tasks(report, worker_ns);
  if (!small_tasks.empty()) return small_tasks;
  const std::string small_chunks = reading_of_small_chunks(report, worker_ns);
  if (!small_chunks.empty()) return small_chunks;
  if (work >= kBusy) {
    std::string text = "The workers were busy with the program's own code. ";
    if (parallelism >= 2.0 * report.workers) {
      text += is_mostly_assumed(report) && !lock
                  ? "More cores can help. "
                  : fmt::format("More cores can help, up to about {:.0f}. ", parallelism);
      if (lock) text += words_of_lock(report, *lock) + ". ";
      text += "Faster kernels help too (see the list below).";
    } else {
      text += bound_on_cores(report) + (lock ? " To go further, do less while it is held, or use several locks."
                                             : " To go further, make the kernels on the critical path faster.");
    }
    return text + reading_of_assumption(report);
  }
  const bool has_tasks = is_of_tasks(report);
  if (!has_tasks) {
    const std::string imbalance = reading_of_imbalance(report);
    if (!imbalance.empty()) return imbalance + reading_of_assumption(report);
  }
  if (delay >= no_work) {
    if (hand_out_ns(report) >= 0.5 * report.delay_ns)
      return "Most of the delay is what the runtime took to hand out chunks of loops. Larger chunks cost "
             "less (foretask whatif RUN --schedules).";
    if (!has_tasks || report.tasks == 0)
      return "Threads started late in parallel regions, or went on late after waits. Fewer and longer regions cost "
             "less. Check that no other program held the cores.";
    const double mean_ns = ratio(task_work_ns(report), report.tasks);
    const double delay_ns = ratio(report.delay_ns, report.tasks);
    if (mean_ns >= kLargeTaskNs || delay_ns >= kLargeDelayNs * report.workers) {
      return fmt::format(
          "Tasks were ready, and workers did not run them. There is {} of work and {} of delay per task, so that is "
          "not the price of scheduling. Other programs may have held the cores, or there are more workers than cores. "
          "Record again on idle cores.",
          format_ns(mean_ns), format_ns(delay_ns));
    }
    return fmt::format(
        "Tasks were ready, and workers did not run them. There is {} of work and {} of delay per task. That is the "
        "price of scheduling (fewer and larger tasks cost less), or other programs held the cores (record again on "
        "idle cores).",
        format_ns(mean_ns), format_ns(delay_ns));
  }
  if (!has_tasks)
    return "Threads waited at the ends of parallel regions, or while one of them ran what is outside of regions. " +
           bound_on_cores(report) + reading_of_assumption(report);
  if (parallelism < 2.0 * report.workers) {
    return "Workers had no task to run at times. " + bound_on_cores(report) +
           (lock ? " Do less while it is held, or use several locks."
                 : " Split the kernels on the critical path, or make them faster.") +
           reading_of_assumption(report);
  }
  return fmt::format(
             "Workers had no task to run at times, though the run's parallelism is {:.0f}. Look for serial parts, "
             "mainly at the start and the end, and create tasks earlier.",
             parallelism) +
         reading_of_assumption(report);
}

}  // namespace foretask::report
