// SPDX-License-Identifier: Apache-2.0
// Why a kernel's task times differ: which source of Grass et al. 2014, section 3, explains the spread, and what share
// of it. The method: docs/counters.md. Plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace foretask::analysis {

enum class SpreadSource : std::uint8_t {
  kInputDependence,    // the time follows instructions, or a parameter
  kSeveralBehaviours,  // the tasks fall into groups
  kSharedResources     // the time follows other workers, at equal instructions and parameters
};

// "input dependence", ...
[[nodiscard]] const char* spread_source_name(SpreadSource source) noexcept;

// What one source explains.
struct SpreadFactor {
  SpreadSource source = SpreadSource::kInputDependence;
  bool judged = false;
  std::string by;      // a counter, a parameter, "active workers"; where not judged, what is missing
  double share = 0;    // of the variance of log(time), adjusted for the number of groups; 0 to 1
  double p = 1;        // probability of such a share without a relation
  std::string detail;  // in words, such as groups' sizes and means; may be empty
};

enum class SpreadVerdict : std::uint8_t {
  kTooFew,     // fewer than 100 tasks
  kRegular,    // a spread below 5 %
  kExplained,  // factors.front() explains at least half
  kPartly,     // factors.front() explains at least a tenth
  kUnexplained
};

struct Variability {
  std::uint64_t tasks = 0;  // tasks examined
  double spread = 0;        // coefficient of variation of their times
  SpreadVerdict verdict = SpreadVerdict::kTooFew;
  std::vector<SpreadFactor> factors;  // judged ones first, then by share; each source once
  std::string text;                   // the verdict and its figures in words
};

// A kernel's tasks, one entry each, in the order of their ends.
struct SpreadColumn {
  std::string name;
  std::vector<double> values;  // NaN: not known
};
struct SpreadData {
  std::vector<double> time_ns;
  std::vector<double> active_workers;
  std::vector<double> worker;        // its number; empty: all on the same
  std::vector<double> instructions;  // this and all below may be empty
  std::vector<double> task_clock_ns;
  std::vector<double> page_faults;
  std::vector<SpreadColumn> misses;
  std::vector<SpreadColumn> parameters;
};

// O(n log n) in the tasks, and some 200 permutations of them. The same data give the same answer. Thread safe.
[[nodiscard]] Variability explain_spread(const SpreadData& data);

}  // namespace foretask::analysis
