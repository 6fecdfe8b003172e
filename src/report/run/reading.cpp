// SPDX-License-Identifier: Apache-2.0
#include "report/run/reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/region_name.hpp"
#include "report/run/causes.hpp"
#include "report/sentences.hpp"
#include "report/units.hpp"

namespace foretask::report {
namespace {

using analysis::Report;

// The share of useful work in the cores' time from which on they count as busy.
constexpr double kBusy = 0.9;

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
  return fmt::format(" This assumes that {} of the work divides evenly among more threads. {}", format_share(share),
                     report.workers > 1
                         ? "It ran in parallel regions, and no iterations were seen: the program's text tells how many "
                           "there are."
                         : "One thread ran it, so the recording does not show how it divides: record on two threads "
                           "or more.");
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

bool is_busy(const Report& report) {
  return report.core_time.lost.empty() || ratio(report.core_time.useful_ns, report.cores_ns()) >= kBusy;
}

// What bounds it for certain where it was not seen how most of the work divides: what is outside of regions.
std::string parallelism_words(const Report& report) {
  if (!is_mostly_assumed(report))
    return fmt::format("The parallelism (work / critical path) is {:.1f}. ", ratio(report.work_ns, report.span_ns));
  double serial_ns = 0;
  for (const analysis::KernelSummary& kernel : report.kernels)
    if (kernel.is_serial_part()) serial_ns += kernel.critical_path_ns;
  const std::string assumed =
      fmt::format("how {} of the work divides was not seen. ", format_share(assumed_share(report)));
  constexpr double kLittle = 0.001;
  if (serial_ns < kLittle * report.work_ns) return "The parallelism (work / critical path) is not known: " + assumed;
  return fmt::format("The parallelism (work / critical path) is at most {:.1f}, for the serial part alone; ",
                     ratio(report.work_ns, serial_ns)) +
         assumed;
}

// By the span law, of the recorded graph and its locks.
std::string bound_on_cores(const Report& report) {
  constexpr double kNoGain = 1.05;
  const analysis::LockSummary* const lock = serial_lock(report);
  if (is_mostly_assumed(report) && !lock) return "More of them may help.";
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

}  // namespace

double task_work_ns(const Report& report) {
  double sum = 0;
  for (const analysis::KernelSummary& kernel : report.kernels)
    if (!base::is_team_name(kernel.code) && !kernel.is_serial_part()) sum += kernel.work_ns;
  return sum;
}

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

std::string answer_words(const Report& report) {
  if (report.core_time.wall_ns <= 0) return "No time of workers was recorded.";
  const std::string searches = reading_of_searches(report);
  if (!searches.empty()) return searches;
  if (is_busy(report))
    return "The cores were busy with the program's own code. Faster kernels help: foretask whatif RUN --cores " +
           std::to_string(report.workers) + " says which.";
  return cause_text(report, report.core_time.lost.front());
}

std::string more_cores_words(const Report& report) {
  if (const auto& base = report.core_time.base; base && base->wall_ns <= report.core_time.wall_ns)
    return fmt::format("On {} the run took longer than on {}. More of them do not help as long as that stays.",
                       format_count(report.workers, "core", "cores"), base->workers);
  if (report.runtime == "mpi")
    return "What the other processes did is not in this recording: foretask merge joins them.";
  const double parallelism = most_cores(report);
  const std::string known = parallelism_words(report);
  if (parallelism < 2.0 * report.workers || is_mostly_assumed(report))
    return known + bound_on_cores(report) + reading_of_assumption(report);
  const analysis::LockSummary* const lock = serial_lock(report);
  return known + fmt::format("They can help, up to about {:.0f}.", parallelism) +
         (lock ? " " + words_of_lock(report, *lock) + "." : "") + reading_of_assumption(report);
}

}  // namespace foretask::report
