// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "report/kernel_counters.hpp"
#include "report/run_report.hpp"
#include "report/units.hpp"

namespace foretask::report {
namespace {

using analysis::Report;
using Text = fmt::memory_buffer;

constexpr std::size_t kKernelsShown = 20;
constexpr std::size_t kPathKernelsShown = 4;
// The share of work in the workers' time from which on they count as busy.
constexpr double kBusy = 0.9;
// Above this, no runtime's cost of a task is a large part of it.
constexpr double kLargeTaskNs = 50'000;

double as_double(std::int64_t ns) { return static_cast<double>(ns); }

template <typename... Args>
void add(Text& text, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
}

std::string one_line(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

// One or two sentences: what the shares mean, and what to try.
// Searches that lost are work as well: what is said of work and cores is not of them.
std::string reading_of_searches(const Report& report) {
  constexpr double kMuch = 0.1;  // of the work
  double wasted_ns = 0;
  for (const analysis::SpeculativeSection& section : report.speculative) wasted_ns += as_double(section.wasted_work_ns);
  const double share = ratio(wasted_ns, as_double(report.work_ns));
  if (share < kMuch) return {};
  return fmt::format(
      "{} of the work was thrown away, by searches that others won. More workers make the first solution come sooner "
      "all the same: foretask predict says by how much. ",
      format_share(share));
}

std::string reading(const Report& report, double worker_ns) {
  const double parallelism = ratio(as_double(report.work_ns), as_double(report.span_ns));
  const double work = ratio(as_double(report.work_ns), worker_ns);
  const double delay = ratio(as_double(report.delay_ns), worker_ns);
  const double no_work = ratio(as_double(report.no_work_ns), worker_ns);
  std::string text = reading_of_searches(report);
  if (!text.empty()) return text + "What simulate says repeats the searches of this run.";
  if (work >= kBusy) {
    text = fmt::format("The workers were busy with the program's own code. ");
    if (parallelism >= 2.0 * report.workers) {
      text += fmt::format("More cores help, up to about {:.0f}; so does a faster kernel (see below).", parallelism);
    } else {
      text += fmt::format(
          "Its parallelism is {:.1f}, so hardly more cores help: a faster kernel does, first of all on "
          "the critical path.",
          parallelism);
    }
    return text;
  }
  if (delay >= no_work) {
    const double mean_ns = ratio(as_double(report.work_ns), static_cast<double>(report.tasks));
    if (mean_ns >= kLargeTaskNs) {
      return fmt::format(
          "Tasks were ready, and workers did not run them. With a mean task of {} that is not the price "
          "of scheduling: something else held the cores, such as other programs on this machine, or "
          "fewer cores than workers. Record again on idle cores.",
          format_ns(mean_ns));
    }
    return fmt::format(
        "Tasks were ready, and idle workers did not start them: that is the price of scheduling. The "
        "mean task takes {}; fewer and larger tasks (a higher cut-off) cost less.",
        format_ns(mean_ns));
  }
  if (parallelism < 2.0 * report.workers) {
    return fmt::format(
        "Workers had no task to run: the critical path takes {} of the {} elapsed. Split the kernels on "
        "it, or make them faster; more cores alone do not help.",
        format_ns(as_double(report.span_ns)), format_ns(as_double(report.elapsed_ns)));
  }
  return fmt::format(
      "Workers had no task to run at times, though there is parallelism for {:.0f} on the whole: look "
      "for serial parts, at the start and the end above all, and create tasks earlier.",
      parallelism);
}

void add_share(Text& text, const char* name, std::int64_t ns, double whole, const char* meaning) {
  add(text, "  {:<16}  {:>10}  {:>7}   {}\n", name, format_ns(as_double(ns)), format_share(ratio(as_double(ns), whole)),
      meaning);
}

void add_answer(Text& text, const Report& report) {
  const double worker_ns = report.workers * as_double(report.elapsed_ns);
  add(text, "{}\n", report.command.empty() ? report.program : one_line(report.command));
  add(text, "took {} on {} worker{}; its parallelism (work / critical path) is {:.1f}.\n\n",
      format_ns(as_double(report.elapsed_ns)), report.workers, report.workers == 1 ? "" : "s",
      ratio(as_double(report.work_ns), as_double(report.span_ns)));
  add(text, "Where the workers' time went ({} x {}):\n", report.workers, format_ns(as_double(report.elapsed_ns)));
  add_share(text, "work", report.work_ns, worker_ns, "running the program's code");
  add_share(text, "scheduler delay", report.delay_ns, worker_ns, "a task was ready and a worker idle");
  add_share(text, "no work", report.no_work_ns, worker_ns, "no task was ready");
  if (report.blocked_ns > 0)
    add_share(text, "(blocked)", report.blocked_ns, worker_ns, "held up by locks, critical sections, calls of MPI");
  add(text, "\n{}\n", reading(report, worker_ns));
}

void add_figures(Text& text, const Report& report) {
  add(text, "\nwork {}   critical path {}   with the scheduler's burden ({} an edge) {}\n",
      format_ns(as_double(report.work_ns)), format_ns(as_double(report.span_ns)),
      format_ns(as_double(report.burden_ns)), format_ns(as_double(report.burdened_span_ns)));
  add(text, "{} tasks   {} strands   {} edges   {} creations   {} waits   {} barriers\n", format_count(report.tasks),
      format_count(report.strands), format_count(report.edges), format_count(report.create_task),
      format_count(report.wait_tasks), format_count(report.barriers));
  if (report.cancelled_tasks != 0)
    add(text, "{} tasks more were cancelled before they started.\n", format_count(report.cancelled_tasks));
  add(text, "Recording cost {} of probes, taken out of the figures.\n", format_ns(as_double(report.probe_ns)));
}

void add_kernels(Text& text, const Report& report) {
  if (report.kernels.empty()) return;
  add(text, "\nKernels, most work first:\n  {:>12}  {:>10}  {:>10}  {:>6}  {:>8}  {:>9}   {}\n", "tasks", "total",
      "mean", "cv", "of work", "of crit.", "name");
  const std::size_t shown = std::min(report.kernels.size(), kKernelsShown);
  for (std::size_t i = 0; i < shown; ++i) {
    const analysis::KernelSummary& kernel = report.kernels[i];
    add(text, "  {:>12}  {:>10}  {:>10}  {:>6.2f}  {:>8}  {:>9}   {}\n", format_count(kernel.count),
        format_ns(as_double(kernel.work_ns)), format_ns(kernel.mean_ns), kernel.cv,
        format_share(ratio(as_double(kernel.work_ns), as_double(report.work_ns))),
        format_share(ratio(as_double(kernel.critical_path_ns), as_double(report.span_ns))), kernel.name);
  }
  if (shown < report.kernels.size()) add(text, "  and {} more (--json has all)\n", report.kernels.size() - shown);
  add(text, "cv: standard deviation / mean of its tasks' times; of crit.: its share of the critical path\n");
}

void add_speculative(Text& text, const Report& report) {
  if (report.speculative.empty()) return;
  add(text, "\nOr-parallel sections (taskgroups that a task of theirs cancels):\n");
  for (const analysis::SpeculativeSection& section : report.speculative) {
    const analysis::SpeculativeTimes& winner = section.winner_ns;
    add(text, "  {}: {} group{}, {} won, {:.1f} tasks each\n", section.name, format_count(section.groups),
        section.groups == 1 ? "" : "s", format_count(section.cancelled),
        ratio(static_cast<double>(section.members), static_cast<double>(section.groups)));
    add(text, "    the winner took {}, sd {}, 90th percentile {}; the group was left {} later\n",
        format_ns(winner.mean), format_ns(winner.sd), format_ns(winner.p90), format_ns(section.left_ns));
    add(text, "    thrown away: {} of work, {} of these groups'; {} tasks cut short, {} never ran\n",
        format_ns(as_double(section.wasted_work_ns)), format_share(section.wasted_share()),
        format_count(section.cut_short), format_count(section.never_ran));
  }
}

void add_path(Text& text, const Report& report, const char* name, const analysis::CriticalPath& path) {
  add(text, "  {:<22}  work {:>10}  delay {:>10}   ", name, format_ns(as_double(path.work_ns)),
      format_ns(as_double(path.delay_ns)));
  const char* separator = "";
  for (std::size_t i = 0; i < std::min(path.kernels.size(), kPathKernelsShown); ++i) {
    const auto& [kernel, ns] = path.kernels[i];
    if (kernel >= report.kernels.size()) continue;
    add(text, "{}{} {}", separator, report.kernels[kernel].name,
        format_share(ratio(as_double(ns), as_double(path.work_ns))));
    separator = ", ";
  }
  add(text, "\n");
}

void add_paths(Text& text, const Report& report) {
  add(text, "\nCritical paths:\n");
  add_path(text, report, "longest work", report.longest_work);
  add_path(text, report, "to the last finisher", report.last_finisher);
  add_path(text, report, "largest delay", report.largest_delay);
}

}  // namespace

std::string report_text(const Report& report) {
  Text text;
  if (report.dropped_events != 0) {
    add(text, "INCOMPLETE: {} events were lost; every figure below is of what was recorded.\n\n",
        format_count(report.dropped_events));
  }
  add_answer(text, report);
  add_figures(text, report);
  add_kernels(text, report);
  add(text, "{}{}{}", samples_text(report), counters_text(report), spread_text(report));
  add_speculative(text, report);
  add_paths(text, report);
  if (!report.warnings.empty()) {
    add(text, "\nWarnings:\n");
    for (const std::string& warning : report.warnings) add(text, "  - {}\n", warning);
  }
  return fmt::to_string(text);
}

}  // namespace foretask::report
