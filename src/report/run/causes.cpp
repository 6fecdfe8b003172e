// SPDX-License-Identifier: Apache-2.0
#include "report/run/causes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/region_name.hpp"
#include "report/run/reading.hpp"
#include "report/sentences.hpp"
#include "report/units.hpp"

namespace foretask::report {
namespace {

using analysis::Cause;
using analysis::LostTime;
using analysis::Report;

std::string name_of(const Report& report, const std::string& kernel) {
  return short_names_of(report, ShortNames::kSentenceColumns).of(kernel);
}

// " most in f": nothing where no kernel is to blame.
std::string most_in(const Report& report, const LostTime& one) {
  return one.kernel.empty() ? "" : ", most in " + name_of(report, one.kernel);
}

const analysis::KernelSummary* kernel_of(const Report& report, const std::string& name) {
  const auto found = std::ranges::find(report.kernels, name, &analysis::KernelSummary::name);
  return found == report.kernels.end() ? nullptr : &*found;
}

std::string whatif(const Report& report, const char* options) {
  return fmt::format("foretask whatif RUN --cores {}{}", report.workers, options);
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

// Of a loop that may be divided better; of a region's code, which may be a loop that calls no runtime.
std::string advice_on_schedule(const Report& report, const analysis::LoopSummary& loop) {
  if (base::is_region_name(loop.name))
    return " If a loop divides that (GCC's static loops are not seen apart), try schedule(dynamic) or "
           "schedule(guided); "
           "what is in a master or single construct runs on one thread.";
  const bool is_even = loop.schedule == "static" && loop.waits && has_most(loop, loop.waits->numbers_ns);
  if (!loop.schedule.starts_with("static") || is_even) return {};
  return " Another schedule may divide it better: " + whatif(report, " --schedules") + " tries them.";
}

// Threads that had nothing to do while others were in a loop.
std::string imbalance_words(const Report& report, const LostTime& one) {
  const auto loop = std::ranges::find(report.loops, one.kernel, &analysis::LoopSummary::name);
  if (loop == report.loops.end() || !loop->imbalance)
    return fmt::format("Threads waited for the slowest of them{}: they have different parts of it.",
                       most_in(report, one));
  return fmt::format(
      "Threads waited for the slowest of them, most in {}, whose slowest thread took {:.2f} times as long as the "
      "mean.{}{}",
      name_of(report, loop->name), *loop->imbalance, main_cause(*loop), advice_on_schedule(report, *loop));
}

constexpr double kMuchRuntime = 0.1;  // of the workers' time

// Where most of it is what handing out chunks takes of a loop whose chunks take less than ten times that.
std::string reading_of_chunks(const Report& report, const LostTime& one) {
  constexpr double kSmall = 10;
  const auto most = std::ranges::max_element(report.loops, {}, &analysis::LoopSummary::hand_out_ns);
  if (most == report.loops.end() || 2 * most->hand_out_ns < one.lost_ns) return {};
  const bool is_loop = !std::string_view(most->name).ends_with(base::kSectionsSuffix);
  if (!is_loop || static_cast<double>(most->work_ns) > kSmall * static_cast<double>(most->hand_out_ns)) return {};
  return fmt::format(
      "The loop's chunks are too small: {}, {}. A chunk has {} of work, and {} are lost to hand it out: in "
      "all {} of the cores' time. Larger chunks cost less: {} says how large.",
      name_of(report, most->name), most->schedule, format_ns(ratio(most->work_ns, most->hand_outs)),
      format_ns(ratio(most->hand_out_ns, most->hand_outs)), format_share(ratio(most->hand_out_ns, report.cores_ns())),
      whatif(report, " --schedules"));
}

// Tasks that take less than twice what the runtime takes for them, as far as it had the cores.
std::string reading_of_small_tasks(const Report& report) {
  const double worker_ns = report.cores_ns();
  const double tasks_runtime_ns = report.runtime_ns - hand_out_ns(report);
  if (report.tasks == 0 || tasks_runtime_ns < kMuchRuntime * worker_ns) return {};
  const double mean_ns = ratio(task_work_ns(report), report.tasks);
  const double runtime_ns = ratio(tasks_runtime_ns, report.tasks);
  if (mean_ns >= 2 * runtime_ns) return {};
  return fmt::format(
      "The tasks are too small: {} of work each, and the runtime takes {} for each, {} of the workers' time. Fewer and "
      "larger tasks cost less.",
      format_ns(mean_ns), format_ns(runtime_ns), format_share(ratio(tasks_runtime_ns, worker_ns)));
}

std::string serial_words(const Report& report, const LostTime& one) {
  const analysis::KernelSummary* const kernel = kernel_of(report, one.kernel);
  const std::string gain = fmt::format(". {} says what the run gains if that is made faster or parallel.",
                                       whatif(report, fmt::format(" --kernel '{}'", one.kernel).c_str()));
  if (kernel != nullptr && !kernel->is_serial_part())
    return fmt::format("One thread ran {}, a region of its own, and the others waited{}", name_of(report, one.kernel),
                       gain);
  std::string where;
  if (kernel != nullptr && !kernel->functions.empty() && !kernel->functions.front().name.starts_with('('))
    where = fmt::format(", most of it in {}", kernel->functions.front().name);
  return fmt::format("One thread ran what is outside of parallel regions{}, and the others waited{}", where, gain);
}

std::string path_words(const Report& report, const LostTime& one) {
  return fmt::format(
      "Too few tasks could run at once: workers waited for those that ran{}. Split these, or make them faster: {} says "
      "what the run gains.",
      most_in(report, one), whatif(report, ""));
}

std::string region_words(const Report& report, const LostTime& one) {
  if (std::string words = reading_of_chunks(report, one); !words.empty()) return words;
  // Work of so many times its costs is no short region.
  constexpr double kShort = 4;
  const analysis::KernelSummary* const kernel = kernel_of(report, one.kernel);
  if (kernel == nullptr || one.regions < 2 ||
      static_cast<double>(kernel->work_ns) > kShort * static_cast<double>(one.kernel_ns))
    return fmt::format("Threads were started and joined late{}. Fewer and longer parallel regions cost less.",
                       most_in(report, one));
  return fmt::format(
      "Parallel regions are too short{}: it ran {} with {} of work each time, and {} of the cores' time "
      "went each time into starting and joining its threads. Fewer and longer regions cost less, and so "
      "do fewer threads for them: foretask tune --region-threads -- PROGRAM tries that.",
      most_in(report, one), format_count(one.regions, "time", "times"), format_ns(ratio(kernel->work_ns, one.regions)),
      format_ns(ratio(one.kernel_ns, one.regions)));
}

std::string task_words(const Report& report, const LostTime& one) {
  if (std::string words = reading_of_small_tasks(report); !words.empty()) return words;
  return fmt::format(
      "Tasks were ready{}, and workers came to them late. Fewer and larger tasks cost less: "
      "{} says which size.",
      most_in(report, one), whatif(report, " --grain auto"));
}

std::string lock_words(const Report& report, const LostTime& one) {
  const auto lock = std::ranges::find(report.locks, one.kernel, &analysis::LockSummary::name);
  const std::string held = lock == report.locks.end() ? ""
                                                      : fmt::format(" It is held for {} in all, one thread at a time.",
                                                                    format_ns(lock->held_ns));
  return fmt::format(
      "Threads waited for a lock or critical section{}.{} Do less while it is held, or use several "
      "locks.",
      most_in(report, one), held);
}

std::string slower_words(const Report& report, const LostTime& one) {
  const auto& base = report.core_time.base;
  if (!base) return {};
  const std::string workers = format_count(base->workers, "worker", "workers");
  const double factor = 1 + ratio(one.lost_ns, std::max<std::int64_t>(1, base->useful_ns));
  if (one.lost_ns < 0)
    return fmt::format("The same code took {:.2f} times as long as on {}: its data may fit into more caches.", factor,
                       workers);
  return fmt::format(
      "The same code took {:.2f} times as long as on {}{}. Threads share memory bandwidth and caches, "
      "write to the same cache lines (false sharing, atomics), or did more work: foretask diff {} RUN "
      "says it of each kernel.",
      factor, workers, most_in(report, one), base->folder);
}

std::string quota_words(const Report& report) {
  const double quota = report.origin.quota;
  constexpr const char* kWords =
      "The control group's limit on CPU time ({}cpu.max or cfs_quota) held threads up. Raise "
      "it, or run no more threads than it leaves cores{}.";
  if (!(quota > 0)) return fmt::format(kWords, "", "");
  return fmt::format(kWords, fmt::format("{:.2g} cores, ", quota),
                     fmt::format(": OMP_NUM_THREADS={}", std::max(1.0, std::floor(quota))));
}

std::string no_core_words(const Report& report) {
  const std::uint32_t cores = report.origin.processors_usable;
  const std::string unknown =
      report.has_ended ? "" : " Limits that were in force are known only of programs that have come to their end.";
  if (cores == 0 || report.workers <= cores)
    return "Other programs had the cores. Record again on idle ones." + unknown;
  const auto& environment = report.origin.environment;
  const bool is_asked_for = std::ranges::any_of(environment, [cores](const auto& one) {
    return one.first == "OMP_NUM_THREADS" && one.second == std::to_string(cores);
  });
  return fmt::format("{} shared {}. Run no more threads than that{}.{}",
                     format_count(report.workers, "thread", "threads"), format_count(cores, "core", "cores"),
                     is_asked_for ? ": the program starts more than OMP_NUM_THREADS says, by nested regions or threads "
                                    "of its own"
                                  : fmt::format(": OMP_NUM_THREADS={}", cores),
                     unknown);
}

// Nobody can start a program again without knowing how it is told its threads.
std::string how_to_compare(const Report& report) {
  return report.costs.rules.is_openmp
             ? fmt::format("foretask record --threads 1,{} shows it", report.workers)
             : fmt::format(
                   "foretask record --threads 1,{} shows it, with {{p}} in the place of the program's number of "
                   "threads",
                   report.workers);
}

}  // namespace

std::string cause_text(const Report& report, const LostTime& one) {
  switch (one.cause) {
    case Cause::kSerial:
      return serial_words(report, one);
    case Cause::kCriticalPath:
      return path_words(report, one);
    case Cause::kImbalance:
      return imbalance_words(report, one);
    case Cause::kTaskCosts:
      return task_words(report, one);
    case Cause::kRegionCosts:
      return region_words(report, one);
    case Cause::kLocks:
      return lock_words(report, one);
    case Cause::kSlowerWork:
      return slower_words(report, one);
    case Cause::kQuota:
      return quota_words(report);
    case Cause::kBound:
      return "Threads are bound to fewer processors than there are threads, and shared them. Look for taskset, "
             "OMP_PROC_BIND and OMP_PLACES: OMP_DISPLAY_AFFINITY=true shows what is in force.";
    case Cause::kNoCore:
      return no_core_words(report);
    case Cause::kBlocked:
      if (report.runtime == "mpi")
        return "The process waited for others, or was blocked in the system: join the ranks (foretask merge), and "
               "replay "
               "them together.";
      return fmt::format(
          "Threads were blocked in the system, by sleep, files, network or MPI{}. strace -c -f -w PROGRAM "
          "shows in which calls.",
          most_in(report, one));
    default:
      return "Nothing is known of what this was.";
  }
}

std::string took_words(const Report& report) {
  analysis::TimeRange alone = unrecorded_time(report);
  alone.lowest_ns += report.core_wait_elapsed_ns;
  alone.highest_ns += report.core_wait_elapsed_ns;
  std::string words = "Took " + format_ns(report.core_time.wall_ns);
  if (!alone.is_known())
    words +=
        fmt::format(" (without recording it may be {}; foretask record --baseline measures it)", range_words(alone));
  words += " on " + format_count(report.workers, "worker", "workers");
  if (report.not_of_interest_ns != 0)
    words +=
        fmt::format(" in what is of interest, without {} before and after it", format_ns(report.not_of_interest_ns));
  if (const auto& base = report.core_time.base)
    words +=
        fmt::format(", {:.2f} times as fast as on {}", ratio(base->wall_ns, report.core_time.wall_ns), base->workers);
  return words;
}

std::string shares_words(const Report& report) {
  constexpr double kMuch = 0.02;  // of all cores' time
  constexpr std::size_t kShown = 3;
  const analysis::CoreTime& time = report.core_time;
  std::string words = fmt::format("{:.2f} of {} did useful work", ratio(time.useful_ns, time.wall_ns),
                                  format_count(report.workers, "core", "cores"));
  std::size_t shown = 0;
  for (const LostTime& one : time.lost) {
    if (static_cast<double>(one.lost_ns) < kMuch * report.cores_ns() || shown == kShown) break;
    words += fmt::format("{} {} went to {}", shown == 0 ? ";" : ",",
                         format_share(ratio(one.lost_ns, report.cores_ns())), cause_name(one.cause));
    ++shown;
  }
  words += ".";
  for (const LostTime& one : time.lost)
    if (one.cause == Cause::kSlowerWork && static_cast<double>(-one.lost_ns) >= kMuch * report.cores_ns())
      words += fmt::format(" That work is {} more than what it took here: the code was faster than in the base.",
                           format_share(ratio(-one.lost_ns, report.cores_ns())));
  if (!time.base && report.workers > 1)
    words += fmt::format(" Whether that work was slower than on one is not known: {}.", how_to_compare(report));
  return words;
}

CauseTable cause_table(const Report& report) {
  constexpr double kLeast = 0.001;
  const double whole_ns = report.cores_ns();
  const ShortNames names = short_names_of(report);
  const analysis::CoreTime& time = report.core_time;
  std::vector<analysis::TimeOnCores> as_it_is{{report.workers, time.wall_ns}};
  as_it_is.insert(as_it_is.end(), time.replays.begin(), time.replays.end());
  CauseTable table;
  for (const analysis::TimeOnCores& one : as_it_is) table.cores.push_back(one.cores);
  const auto times = [&](const std::vector<analysis::TimeOnCores>& all) {
    std::vector<std::string> words;
    for (const std::uint32_t cores : table.cores) {
      const auto found = std::ranges::find(all, cores, &analysis::TimeOnCores::cores);
      words.push_back(found == all.end() ? "-" : format_ns(found->time_ns));
    }
    return words;
  };
  table.rows = {{"useful work", time.useful_ns, ratio(time.useful_ns, whole_ns), {}, times(as_it_is)}};
  std::int64_t rest_ns = 0;
  for (const LostTime& one : time.lost) {
    const double share = ratio(one.lost_ns, whole_ns);
    if (std::abs(share) < kLeast)
      rest_ns += one.lost_ns;
    else
      table.rows.push_back({cause_name(one.cause), one.lost_ns, share, one.kernel.empty() ? "" : names.of(one.kernel),
                            times(one.without)});
  }
  if (rest_ns != 0) table.rows.push_back({"all else", rest_ns, ratio(rest_ns, whole_ns), {}, times({})});
  return table;
}

}  // namespace foretask::report
