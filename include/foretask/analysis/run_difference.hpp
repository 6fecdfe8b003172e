// SPDX-License-Identifier: Apache-2.0
// What changed between recordings: a program before and after a change, or one program on two numbers of workers. In
// all, and by kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "foretask/analysis/run.hpp"
#include "foretask/result.hpp"

namespace foretask::analysis {

// What is known of how a recording came about, such as "machine" and its words, or "parameter n" and "1000".
struct RunFact {
  std::string what;
  std::string value;
};

struct ComparedRun {
  std::string folder;
  Report report;
  std::vector<RunFact> facts;
};

// Of the recording in `folder`.
[[nodiscard]] ComparedRun compared_run(const std::string& folder, const Report& report);

inline constexpr double kChangeConfidence = 0.95;

// A figure before and after: the geometric mean of the runs, or the mean where one of them has 0.
//
// `low` and `high`: the confidence interval of after / before, by Welch's t on the logarithms (B. L. Welch, Biometrika
// 34 (1947) 28-35). It needs two runs of each at least. It takes runs to be independent, and their logarithms to be
// about normal. It covers what differs from run to run alone: not what else changed between the first runs and the
// second ones. Times of tasks within a run are no replicates of the run, so that they give no interval.
struct Change {
  double before = 0;
  double after = 0;
  std::optional<double> ratio;  // after / before; empty where before is 0
  std::optional<double> low;    // both or none
  std::optional<double> high;

  // Whether the interval leaves out 1.
  [[nodiscard]] bool is_shown() const noexcept { return low && (*low > 1 || *high < 1); }
};

// A value a run; at least one of each.
[[nodiscard]] Change change_of(const std::vector<double>& before, const std::vector<double>& after);

struct KernelChange {
  std::string before;  // its name there; empty: the kernel is new
  std::string after;   // empty: it is gone
  Change work_ns;
  Change count;
  Change mean_ns;
};

enum class Comparison : std::uint8_t {
  kBeforeAfter,  // what changed?
  kWorkers       // one program and its parameters, on two numbers of workers: where did the time go?
};

struct RunWarning {
  std::string folder;
  std::string text;
};

struct DifferenceSide {
  std::vector<std::string> folders;  // a run each
  std::string program;               // the executable's name
  std::uint32_t workers = 0;
  std::uint64_t created_tasks = 0;  // of the first run
  // The largest of the runs: of the time in which threads could run, without a core. Then what others waited for them
  // is delay or no work.
  double held_up_share = 0;
  std::vector<RunWarning> warnings;
};

// A fact of both sides; empty where a side lacks it.
struct FactPair {
  std::string what;
  std::string before;
  std::string after;

  [[nodiscard]] bool differs() const noexcept { return before != after; }
};

struct RunDifference {
  Comparison comparison = Comparison::kBeforeAfter;
  DifferenceSide before;
  DifferenceSide after;
  std::vector<FactPair> facts;
  // On two numbers of workers: another number of tasks was created (WorkInflation::may_take()), so that the work may be
  // another one.
  bool may_be_other_work = false;
  Change elapsed_ns;
  Change worker_ns;  // workers x elapsed: the sum of the next three
  Change work_ns;
  Change delay_ns;
  Change no_work_ns;
  Change span_ns;
  // The largest difference of work first. The same name is the same kernel. So is the same function and file at other
  // lines, as after a change of the source: by the order of the lines, where both sides have as many.
  std::vector<KernelChange> kernels;
};

// Each side: a run, and replicates of it. Errors: none on a side; one that is no replicate of its side's first, as a
// fact or the number of workers differs.
[[nodiscard]] Result<RunDifference> compare_runs(const std::vector<ComparedRun>& before,
                                                 const std::vector<ComparedRun>& after);

}  // namespace foretask::analysis
