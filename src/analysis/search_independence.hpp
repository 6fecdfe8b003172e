// SPDX-License-Identifier: Apache-2.0
// Whether searches that ran in groups of different numbers at once are alike, as they are where searches are
// independent of each other and all inputs equally hard.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foretask/analysis/speculation.hpp"

namespace foretask::wiring {

// One search, of the two kinds that are compared.
struct ComparedSearch {
  double ns = 0;
  bool found = false;
  bool is_first_kind = false;
};

// Solutions of the first kind, and how many they would be, give or take, were both kinds alike. While searches of one
// kind only are left nothing is counted.
struct SolutionCount {
  double found = 0;
  double expected = 0;
  double variance = 0;
};

// The log-rank test (Mantel 1966; Peto and Peto 1972), for which it does not matter what stops searches that have found
// nothing. `searches`: sorted by ns. O(searches).
[[nodiscard]] SolutionCount compare_solutions(const std::vector<ComparedSearch>& searches);

// Searches with each number at once against all those with fewer: a note for each that is more than three standard
// errors off, or that nothing could be compared. O(n log n + n x numbers), at most 16 of these: the most frequent ones.
void check_independence(const std::vector<analysis::SearchGroup>& groups, std::vector<std::string>& notes);

}  // namespace foretask::wiring
