// SPDX-License-Identifier: Apache-2.0
// Why a kernel's tasks do not all take the same time: which of the sources of Grass et al. 2014, section 3, explains
// the spread, with the share of it that each accounts for. docs/counters.md has the method. Plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace foretask::analysis {

enum class SpreadSource : std::uint8_t {
  kInputDependence,    // the time follows the number of instructions, or a parameter
  kSeveralBehaviours,  // the tasks fall into groups
  kSharedResources     // the time follows what other workers do, at the same instructions and parameters
};

// "input dependence", ...
[[nodiscard]] const char* spread_source_name(SpreadSource source) noexcept;

// What one source accounts for.
struct SpreadFactor {
  SpreadSource source = SpreadSource::kInputDependence;
  bool judged = false;
  std::string by;    // what it was judged by: a counter, a parameter, "active workers"; where not judged, what it lacks
  double share = 0;  // of the variance of log(time), adjusted for the number of groups; 0 to 1
  double p = 1;      // of a share as large where there is no such relation
  std::string detail;  // in words, such as the groups' sizes and means; may be empty
};

enum class SpreadVerdict : std::uint8_t {
  kTooFew,     // tasks to say anything
  kRegular,    // the times hardly vary
  kExplained,  // by factors.front(): at least half of the spread
  kPartly,     // by factors.front(): at least a tenth
  kUnexplained
};

struct Variability {
  std::uint64_t tasks = 0;  // that were looked at
  double spread = 0;        // standard deviation / mean of their times
  SpreadVerdict verdict = SpreadVerdict::kTooFew;
  std::vector<SpreadFactor> factors;  // those judged first, the largest share first; each source once
  std::string text;                   // the verdict and its figures in a sentence or two
};

// What is known of a kernel's tasks, one entry each in the order of their ends.
struct SpreadColumn {
  std::string name;
  std::vector<double> values;  // NaN where it is not known
};
struct SpreadData {
  std::vector<double> time_ns;
  std::vector<double> active_workers;
  std::vector<double> worker;        // its number; empty: the same one for all
  std::vector<double> instructions;  // these four may be empty
  std::vector<double> task_clock_ns;
  std::vector<double> page_faults;
  std::vector<SpreadColumn> misses;
  std::vector<SpreadColumn> parameters;
};

// O(n log n) in the tasks, and some 200 permutations of them. The same data give the same answer.
[[nodiscard]] Variability explain_spread(const SpreadData& data);

}  // namespace foretask::analysis
