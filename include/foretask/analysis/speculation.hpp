// SPDX-License-Identifier: Apache-2.0
// What more workers would give an or-parallel section: the first of as many searches as there are workers. The method
// and what it takes for granted: docs/prediction.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foretask/analysis/run.hpp"
#include "foretask/result.hpp"

namespace foretask::analysis {

// The searches of one taskgroup that ran: times as in TaskTimes, in order of creation.
struct SearchGroup {
  std::vector<double> ns;
  std::vector<std::uint8_t> found;  // 1: it found a solution; 0: it was cut short, or came to its end without one
  // The index of the one that cancelled the group; negative: none did, or a task of another kernel.
  std::int64_t winner = -1;
  // How many of them could run at once, the same for all groups of a section in a run: the fewer of the most searches
  // created in one group and of the most workers that ran those of one. It must not depend on how soon this group had
  // its solution.
  std::uint32_t at_once = 1;
};

// Of one or of several runs of the same program on equally hard inputs.
struct SpeculativeSearches {
  std::string section;        // SpeculativeSection::name
  std::uint32_t workers = 1;  // the most that recorded it
  std::uint64_t failed = 0;   // searches that came to their end without a solution
  bool is_divided = false;    // some wait for others of their group: parts of one search, not searches
  std::vector<SearchGroup> groups;

  // Adds another run's. The section is the same.
  void merge(const SpeculativeSearches& other);
};

// One for each of the report's sections, in its order. O(strands). Thread safe.
[[nodiscard]] std::vector<SpeculativeSearches> speculative_searches(const Run& run);

// The time until the first of `workers` searches has found a solution, in ns.
struct SpeculationPoint {
  std::uint32_t workers = 0;
  double mean = 0;
  double sd = 0;
  double p90 = 0;
  double low = 0;              // of the mean: two standard errors
  double high = 0;             // below and above it; NaN, both: not known
  double gain = 0;             // how many times sooner than with `at_once` searches; NaN: not known
  bool beyond_sample = false;  // very many searches: rests on a tail beyond the shortest that was recorded
  bool at_least = false;       // few: how long they take was not seen to the end. The times are lower bounds
};

struct Speculation {
  std::string section;
  std::uint64_t searches = 0;          // that ran
  std::uint64_t found = 0;             // of them with a solution
  std::uint32_t at_once = 0;           // SearchGroup::at_once: the median of the groups with a winner
  double winner_ns = 0;                // mean of the recorded winners' own times
  std::vector<SpeculationPoint> rows;  // as asked
  std::vector<std::string> notes;      // in words
};

// From the searches' censored times by the product-limit estimate (Kaplan and Meier 1958; Distribution::
// of_censored_samples): first_of(N) of it for each N of `workers`. Searches are taken to be independent of each other.
// Where groups with different numbers of searches at once were recorded, those with each number are held against those
// with fewer (log-rank test, Mantel 1966), and a note says where they are more than three standard errors apart.
// Searches with one number at once cannot show it (Tsiatis 1975). A second for some ten thousand searches. Errors:
// a search that its tasks divide, fewer than two searches that found a solution, a number of 0.
[[nodiscard]] Result<Speculation> speculate(const SpeculativeSearches& searches,
                                            const std::vector<std::uint32_t>& workers);

}  // namespace foretask::analysis
