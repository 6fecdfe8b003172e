// SPDX-License-Identifier: Apache-2.0
// Distributions from text: seq(exp(1), or(16, file:search.csv), branch(0.3: normal(2,0.1), 0.7: const(1))). The whole
// syntax: docs/distributions.md.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foretask/analysis/distribution.hpp"
#include "foretask/result.hpp"

namespace foretask::analysis {

// Measured times of one leaf of an expression.
struct MeasuredTimes {
  std::vector<double> values;
  std::vector<std::uint8_t> ended;  // empty: all of them; else 0 where values[i] was cut short and is a lower bound
};

// Where leaves come from. Each is asked once for the same text, which is what stands behind `file:` or `kernel:`. One
// that is empty makes such a leaf an error.
struct DistributionSources {
  std::function<Result<MeasuredTimes>(const std::string& text)> file;
  std::function<Result<MeasuredTimes>(const std::string& text)> kernel;
};

// The outermost operation where that is and(N, E) or or(N, E): to ask what another N would give.
struct ParallelCopies {
  bool first_ends = false;  // or-parallel: the first of them; else the last
  std::uint64_t n = 1;
  Distribution part;
};

struct ParsedDistribution {
  Distribution distribution;
  std::optional<ParallelCopies> copies;
};

inline constexpr std::size_t kMostNestedOperations = 100'000;

// Equal parts of the expression become one Distribution. O(length) and what the sources cost; no recursion, so that
// nests as deep as kMostNestedOperations may be on any thread. Errors begin with "column N: ", N from 1 and in
// characters, and end with a line of the expression around it and a caret below.
[[nodiscard]] Result<ParsedDistribution> parse_expression(std::string_view text, const DistributionSources& sources);

// The same, for the distribution alone.
[[nodiscard]] Result<Distribution> parse_distribution(std::string_view text, const DistributionSources& sources);

}  // namespace foretask::analysis
