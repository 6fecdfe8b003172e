// SPDX-License-Identifier: Apache-2.0
#include "report/diff/difference_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "report/page/anonymous.hpp"
#include "report/plain_text.hpp"
#include "report/units.hpp"

namespace foretask::report {
namespace {

using analysis::Change;
using analysis::Comparison;
using analysis::KernelChange;
using analysis::RunDifference;

constexpr std::size_t kFewestRuns = 2;  // of a side, for an interval
constexpr std::size_t kGoodRuns = 3;    // for one that is not very wide
constexpr double kNoChange = 0.005;

bool is_of_workers(const RunDifference& difference) { return difference.comparison == Comparison::kWorkers; }

bool has_evidence(const RunDifference& difference) {
  return difference.before.folders.size() >= kFewestRuns && difference.after.folders.size() >= kFewestRuns;
}

std::string percent(double gain) { return fmt::format("{:+.1f} %", in_percent(gain)); }

double gain_of(double ratio) { return 1 / ratio - 1; }

Change reversed(const Change& change) {
  Change result{.before = change.after, .after = change.before, .ratio = {}, .low = {}, .high = {}};
  if (change.ratio && *change.ratio > 0) result.ratio = 1 / *change.ratio;
  if (change.low) {
    result.low = 1 / *change.high;
    result.high = 1 / *change.low;
  }
  return result;
}

// 0.8 of the time: "1.25 times as fast".
std::string speed_words(double ratio) {
  if (std::abs(ratio - 1) < kNoChange) return "the same to within 0.5 %";
  return ratio < 1 ? fmt::format("{:.2f} times as fast", 1 / ratio) : fmt::format("{:.2f} times as long", ratio);
}

std::string runs_words(const RunDifference& difference) {
  const std::size_t before = difference.before.folders.size();
  const std::size_t after = difference.after.folders.size();
  const SideNames names = side_names(difference);
  if (before == after) return fmt::format("{} runs of each", before);
  return fmt::format("{} {}, {} {}", format_count(before, "run", "runs"), names.before,
                     format_count(after, "run", "runs"), names.after);
}

std::string no_evidence_words(const RunDifference& difference) {
  const bool lacks_before = difference.before.folders.size() < kFewestRuns;
  const bool lacks_after = difference.after.folders.size() < kFewestRuns;
  const SideNames names = side_names(difference);
  const char* const more = "Until then every difference here may be chance.";
  if (lacks_before && lacks_after)
    return fmt::format("No evidence: one run of each. Record {} more of each, and name them by --runs1 and --runs2. {}",
                       kGoodRuns - 1, more);
  return fmt::format("No evidence: one run {}. Record {} more, and name them by {}. {}",
                     lacks_before ? names.before : names.after, kGoodRuns - 1, lacks_before ? "--runs1" : "--runs2",
                     more);
}

// What speaks for the change of the elapsed time.
std::string evidence_words(const RunDifference& difference) {
  if (!has_evidence(difference)) return no_evidence_words(difference);
  const Change& elapsed = difference.elapsed_ns;
  if (!elapsed.low) return fmt::format("{}, which do not differ: there is no interval.", runs_words(difference));
  const std::string interval =
      is_of_workers(difference)
          ? fmt::format("{:.2f} and {:.2f} times that {}", *elapsed.low, *elapsed.high, side_names(difference).before)
          : fmt::format("{} and {}", percent(gain_of(*elapsed.high)), percent(gain_of(*elapsed.low)));
  return fmt::format("{}: with 95 % confidence the {} is between {}. {}", runs_words(difference),
                     is_of_workers(difference) ? "time " + side_names(difference).after : "gain", interval,
                     elapsed.is_shown()
                         ? "That is more than these runs differ by chance."
                         : "Runs differ by that much by chance: they do not show that the time changed.");
}

std::string total_words(const RunDifference& difference) {
  const double ratio = difference.elapsed_ns.ratio.value_or(1);
  const std::string before = format_ns(difference.elapsed_ns.before);
  const std::string after = format_ns(difference.elapsed_ns.after);
  if (!is_of_workers(difference))
    return fmt::format("It took {}, and {} before: {}{}.", after, before, speed_words(ratio),
                       ratio <= 1 - kNoChange ? fmt::format(", a gain of {:.1f} %", in_percent(gain_of(ratio))) : "");
  const bool grows = difference.after.workers > difference.before.workers;
  const auto& more = grows ? difference.after : difference.before;
  const auto& fewer = grows ? difference.before : difference.after;
  return fmt::format("On {} it took {}, on {} {}: {} on {}. Perfect would be {:.2f} times as fast.",
                     format_count(more.workers, "worker", "workers"), grows ? after : before,
                     format_count(fewer.workers, "worker", "workers"), grows ? before : after,
                     speed_words(grows ? ratio : 1 / ratio), more.workers,
                     static_cast<double>(more.workers) / fewer.workers);
}

// What others wait for a thread that has no core is no change of the program's.
std::string held_up_words(const RunDifference& difference) {
  constexpr double kMuch = 0.1;
  const double most = std::max(difference.before.held_up_share, difference.after.held_up_share);
  if (most < kMuch) return {};
  const SideNames names = side_names(difference);
  return fmt::format(
      "Threads that could run had no core for up to {} of their time {}, and {} {}: other programs had it, or threads "
      "are "
      "bound to the same core. Elapsed time and no work hold what the others waited. Record again on idle cores.",
      format_share(difference.before.held_up_share), names.before, format_share(difference.after.held_up_share),
      names.after);
}

std::string where_words(const RunDifference& difference) {
  const auto part = [](const Change& change) { return signed_ns(change.after - change.before); };
  return fmt::format(
      "The workers' time, which is workers x elapsed time, went from {} to {}: {}. That is work {}, scheduler delay "
      "{}, "
      "no work {}.",
      format_ns(difference.worker_ns.before), format_ns(difference.worker_ns.after), part(difference.worker_ns),
      part(difference.work_ns), part(difference.delay_ns), part(difference.no_work_ns));
}

// Kernels below are left out of sentences: as of WorkInflation.
constexpr double kLeastShare = 0.01;  // of the work
constexpr double kNoise = 0.05;       // of the kernel's work
constexpr std::size_t kKernelsNamed = 3;

// Of those that both sides have, on more workers after. Where there are runs enough, only what these show.
std::string inflated_words(const RunDifference& difference) {
  const bool grows = difference.after.workers > difference.before.workers;
  const ShortNames names = short_names_of(difference, ShortNames::kSentenceColumns);
  const double work = grows ? difference.work_ns.after : difference.work_ns.before;
  std::vector<std::string> found;
  for (const KernelChange& kernel : difference.kernels) {
    const Change change = grows ? kernel.work_ns : reversed(kernel.work_ns);
    if (kernel.before.empty() || kernel.after.empty() || !change.ratio || *change.ratio < 1 + kNoise ||
        change.after < kLeastShare * work || (has_evidence(difference) && !change.is_shown()))
      continue;
    found.push_back(fmt::format("{} takes {:.2f} times the work{}", kernel_words(names, kernel), *change.ratio,
                                change.low ? fmt::format(" ({:.2f} to {:.2f})", *change.low, *change.high) : ""));
    if (found.size() == kKernelsNamed) break;
  }
  if (found.empty())
    return has_evidence(difference) ? "Of no kernel with 1 % of the work or more do these runs show that it takes 5 % "
                                      "more work on more workers."
                                    : "No kernel with 1 % of the work or more takes 5 % more work on more workers.";
  std::string words = fmt::format("On {} workers {}.", grows ? difference.after.workers : difference.before.workers,
                                  fmt::join(found, "; "));
  words +=
      difference.may_be_other_work
          ? fmt::format(" But {} tasks were created, and {} before: the runs may not have done the same.",
                        format_count(difference.after.created_tasks), format_count(difference.before.created_tasks))
          : " Work is time in the program's code. If that does the same on more workers, and takes longer, its threads "
            "share something: memory, caches, a processor.";
  return words;
}

std::string largest_words(const RunDifference& difference) {
  const double least = kLeastShare * std::max(difference.work_ns.before, difference.work_ns.after);
  const ShortNames names = short_names_of(difference, ShortNames::kSentenceColumns);
  std::vector<std::string> found;
  for (const KernelChange& kernel : difference.kernels) {
    if (std::abs(kernel.work_ns.after - kernel.work_ns.before) < least || found.size() == kKernelsNamed) break;
    const bool is_there = !kernel.before.empty() && !kernel.after.empty();
    if (is_there && has_evidence(difference) && !kernel.work_ns.is_shown()) continue;
    found.push_back(fmt::format(
        "{} {}", kernel_words(names, kernel),
        is_there ? fmt::format("{} to {}", format_ns(kernel.work_ns.before), format_ns(kernel.work_ns.after))
                 : fmt::format("{} ({})", change_words(difference, kernel),
                               signed_ns(kernel.work_ns.after - kernel.work_ns.before))));
  }
  if (found.empty())
    return has_evidence(difference) ? "No kernel's work changed by 1 % of the whole and by more than chance."
                                    : "No kernel's work differs by 1 % of the whole.";
  return fmt::format("The work differs most in: {}.", fmt::join(found, "; "));
}

std::string fact_words(const analysis::FactPair& fact, bool is_anonymous) {
  constexpr std::size_t kMost = 60;
  if (is_anonymous &&
      (is_private(fact.what) || without_paths(fact.before) != fact.before || without_paths(fact.after) != fact.after))
    return one_line(fact.what);
  const auto value = [](const std::string& text) { return text.empty() ? std::string("none") : one_line(text); };
  const bool is_shown = fact.what != "build" && std::max(width_of(fact.before), width_of(fact.after)) <= kMost;
  return is_shown ? fmt::format("{} ({}, then {})", one_line(fact.what), value(fact.before), value(fact.after))
                  : one_line(fact.what);
}

}  // namespace

bool is_private(std::string_view fact) {
  return fact == "command" || fact == "host" || fact.starts_with("OMP_") || fact.starts_with("KMP_");
}

std::string difference_title(const RunDifference& difference) {
  if (is_of_workers(difference))
    return fmt::format("One program on {} and on {}: {}", format_count(difference.before.workers, "worker", "workers"),
                       difference.after.workers, one_line(difference.before.program));
  if (difference.before.program != difference.after.program)
    return fmt::format("Two programs: {} and {}", one_line(difference.before.program),
                       one_line(difference.after.program));
  return "Before and after: " + one_line(difference.before.program);
}

SideNames side_names(const RunDifference& difference) {
  if (!is_of_workers(difference)) return {"before", "after"};
  const auto words = [](const analysis::DifferenceSide& side) {
    return "on " + format_count(side.workers, "worker", "workers");
  };
  return {words(difference.before), words(difference.after)};
}

std::string facts_words(const RunDifference& difference, bool is_anonymous) {
  std::vector<std::string> same;
  std::vector<std::string> different;
  for (const analysis::FactPair& fact : difference.facts) {
    if (!fact.differs())
      same.push_back(one_line(fact.what));
    else
      different.push_back(fact_words(fact, is_anonymous));
  }
  if (!is_of_workers(difference) && difference.before.workers != difference.after.workers)
    different.push_back(fmt::format("workers ({}, then {})", difference.before.workers, difference.after.workers));
  const std::string same_words = same.empty() ? "" : fmt::format("They have the same {}.", fmt::join(same, ", "));
  if (different.empty()) return same_words;
  return fmt::format("The recordings differ in: {}.{}{}", fmt::join(different, "; "), same.empty() ? "" : " ",
                     same_words);
}

std::vector<std::string> difference_answer(const RunDifference& difference) {
  std::vector<std::string> answer{total_words(difference) + " " + evidence_words(difference)};
  if (std::string words = held_up_words(difference); !words.empty()) answer.push_back(std::move(words));
  answer.push_back(where_words(difference));
  answer.push_back(is_of_workers(difference) ? inflated_words(difference) : largest_words(difference));
  return answer;
}

std::vector<std::string> difference_notes(const RunDifference& difference) {
  std::vector<std::string> notes;
  notes.emplace_back(is_of_workers(difference)
                         ? fmt::format("ratio: the time {} / the time {}. Below 1: less time.",
                                       side_names(difference).after, side_names(difference).before)
                         : "A gain of 25 % means: 1.25 times as fast as before. Below 0: slower than before.");
  notes.emplace_back(
      "Work, scheduler delay and no work are sums over the workers. A kernel's count is of its tasks; of regions and "
      "loops "
      "it is of the threads' shares, so that more threads have more and smaller ones.");
  if (!has_evidence(difference)) {
    notes.emplace_back(
        "no evidence: too few runs to tell a change from chance. Tasks within a run are no replicates of it: how their "
        "times differ does not say how the next run would differ.");
    return notes;
  }
  notes.emplace_back(
      "Figures are geometric means of the runs (means where a run has 0), so that parts add up to the whole only "
      "roughly. "
      "*: more than the runs differ by chance. 95 % interval: Welch's t on the logarithms of the runs' times. One "
      "interval in 20 misses by chance, so among many "
      "kernels some will.");
  notes.emplace_back(
      "The interval knows how runs differ from each other, and nothing of what else changed between the first runs and "
      "the last ones: record both sides in turns.");
  return notes;
}

std::vector<TotalRow> total_rows(const RunDifference& difference) {
  return {{"elapsed", &difference.elapsed_ns}, {"workers' time", &difference.worker_ns},
          {"work", &difference.work_ns},       {"scheduler delay", &difference.delay_ns},
          {"no work", &difference.no_work_ns}, {"critical path", &difference.span_ns}};
}

const char* change_head(const RunDifference& difference) { return is_of_workers(difference) ? "ratio" : "gain"; }

std::string change_words(const RunDifference& difference, const Change& change) {
  if (!change.ratio) return "-";
  if (is_of_workers(difference)) return fmt::format("{:.2f}", *change.ratio);
  // Beyond it two pieces of code do not do the same work: it has moved to or from another one.
  constexpr double kMostTimes = 100;
  const bool is_alike = *change.ratio > 1 / kMostTimes && *change.ratio < kMostTimes;
  return is_alike ? percent(gain_of(*change.ratio)) : "-";
}

std::string interval_words(const RunDifference& difference, const Change& change) {
  if (!has_evidence(difference)) return "no evidence";
  if (!change.low) return "-";
  const char* const mark = change.is_shown() ? " *" : "";
  if (is_of_workers(difference)) return fmt::format("{:.2f} to {:.2f}{}", *change.low, *change.high, mark);
  return fmt::format("{:+.1f} to {}{}", in_percent(gain_of(*change.high)), percent(gain_of(*change.low)), mark);
}

std::string signed_ns(double ns) {
  if (ns == 0) return "0 ns";
  return (ns < 0 ? "-" : "+") + format_ns(std::abs(ns));
}

std::string change_words(const RunDifference& difference, const KernelChange& kernel) {
  if (kernel.before.empty()) return "new";
  if (kernel.after.empty()) return "gone";
  return change_words(difference, kernel.work_ns);
}

ShortNames short_names_of(const RunDifference& difference, std::size_t columns) {
  std::vector<std::string> names;
  for (const KernelChange& kernel : difference.kernels)
    names.push_back(kernel.after.empty() ? kernel.before : kernel.after);
  return ShortNames(names, columns);
}

std::string kernel_words(const ShortNames& names, const KernelChange& kernel) {
  if (kernel.after.empty()) return names.of(kernel.before);
  const std::string name = names.of(kernel.after);
  if (kernel.before.empty() || kernel.before == kernel.after) return name;
  return fmt::format("{} (was {})", name, one_line(parts_of(kernel.before).place));
}

std::string count_words(const std::string& name, double count) {
  return name.empty() ? "-" : format_count(static_cast<std::uint64_t>(std::llround(count)));
}

std::string time_words(const std::string& name, double ns) { return name.empty() ? "-" : format_ns(ns); }

}  // namespace foretask::report
