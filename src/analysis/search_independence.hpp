// SPDX-License-Identifier: Apache-2.0
// Whether searches that ran in groups of different numbers at once are alike, as they are where searches are
// independent of each other and all inputs equally hard.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foretask/analysis/speculation.hpp"

namespace foretask::wiring {

// Searches with each number at once against all those with fewer, by the log-rank test: a note for each that is more
// than three standard errors off, or that nothing could be compared. O(n log n + n x numbers), at most 16 of these: the
// most frequent ones.
void check_independence(const std::vector<analysis::SearchGroup>& groups, std::vector<std::string>& notes);

}  // namespace foretask::wiring
