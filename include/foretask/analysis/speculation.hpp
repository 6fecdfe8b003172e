// SPDX-License-Identifier: Apache-2.0
// What more workers would give an or-parallel section: the first of as many searches as workers. Method and
// assumptions: docs/prediction.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foretask/analysis/run.hpp"
#include "foretask/result.hpp"

namespace foretask::analysis {

// The searches of one taskgroup that ran, in order of creation. Times as in TaskTimes.
struct SearchGroup {
  std::vector<double> ns;
  std::vector<std::uint8_t> found;  // 1: it found a solution; 0: it was cut short, or ended without one
  // Index of the search that cancelled the group; negative: none, or a task of another kernel.
  std::int64_t winner = -1;
  // How many could run at once: the most searches created in a group, or the most workers that ran one group's,
  // whichever is less. The same for all groups of a section in a run: it must not depend on how soon a group found its
  // solution.
  std::uint32_t at_once = 1;
};

// Of one or more runs of a program on equally hard inputs.
struct SpeculativeSearches {
  std::string section;        // SpeculativeSection::name
  std::uint32_t workers = 1;  // the most of any run
  std::uint64_t failed = 0;   // ended without a solution
  bool is_divided = false;    // some wait for others of their group: parts of one search
  std::vector<SearchGroup> groups;

  // Adds another run's searches of the same section.
  void merge(const SpeculativeSearches& other);
};

// One for each section of the report, in its order. O(strands). Thread safe.
[[nodiscard]] std::vector<SpeculativeSearches> speculative_searches(const Run& run);

// Time until the first of `workers` searches finds a solution, in ns.
struct SpeculationPoint {
  std::uint32_t workers = 0;
  double mean = 0;
  double sd = 0;
  double p90 = 0;
  double low = 0;              // the mean, minus and plus two standard errors:
  double high = 0;             // from low to high; NaN: not known
  double gain = 0;             // speedup over `at_once` searches; NaN: not known
  bool beyond_sample = false;  // rests on a tail below the shortest recorded search
  bool at_least = false;       // the times are lower bounds: longer searches were not seen to the end
};

struct Speculation {
  std::string section;
  std::uint64_t searches = 0;          // that ran
  std::uint64_t found = 0;             // that found a solution
  std::uint32_t at_once = 0;           // median of SearchGroup::at_once over groups with a winner
  double winner_ns = 0;                // mean time of the recorded winners
  std::vector<SpeculationPoint> rows;  // one for each of `workers`
  std::vector<std::string> notes;      // in words
};

// first_of(N) for each N of `workers`, from the searches' censored times by the product-limit estimate (Kaplan and
// Meier 1958; Distribution::of_censored_samples). Searches are assumed to be independent. Where groups with different
// numbers at once were recorded, each number is compared with smaller ones (log-rank test, Mantel 1966). A note lists
// those more than three standard errors apart. A single number cannot show this (Tsiatis 1975). Some ten thousand
// searches take 1 s. Errors: searches divided into tasks, fewer than two that found a solution, N of 0.
[[nodiscard]] Result<Speculation> speculate(const SpeculativeSearches& searches,
                                            const std::vector<std::uint32_t>& workers);

}  // namespace foretask::analysis
