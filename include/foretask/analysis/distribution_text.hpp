// SPDX-License-Identifier: Apache-2.0
// Distributions from text: seq(exp(1), or(16, file:search.csv), branch(0.3: normal(2,0.1), 0.7: const(1))). Syntax:
// docs/distributions.md.
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

// The measured times of one leaf.
struct MeasuredTimes {
  std::vector<double> values;
  std::vector<std::uint8_t> ended;  // empty: all ended; else 0 where values[i] was cut short, a lower bound
};

// Called for leaves, with the text after `file:` or `kernel:`, once for each text. Without a source its leaves are
// errors.
struct DistributionSources {
  std::function<Result<MeasuredTimes>(const std::string& text)> file;
  std::function<Result<MeasuredTimes>(const std::string& text)> kernel;
};

// The outermost operation, where it is and(N, E) or or(N, E): to try other N.
struct ParallelCopies {
  bool first_ends = false;  // true: or-parallel, the first of them; false: the last
  std::uint64_t n = 1;
  Distribution part;
};

struct ParsedDistribution {
  Distribution distribution;
  std::optional<ParallelCopies> copies;
};

inline constexpr std::size_t kMostNestedOperations = 100'000;

// O(length), plus the cost of the sources. No recursion: any thread can parse
// kMostNestedOperations levels. Errors begin with "column N: ", N in characters from 1. They end with a line of the
// expression around it, and a caret below.
[[nodiscard]] Result<ParsedDistribution> parse_expression(std::string_view text, const DistributionSources& sources);

// The same, without `copies`.
[[nodiscard]] Result<Distribution> parse_distribution(std::string_view text, const DistributionSources& sources);

}  // namespace foretask::analysis
