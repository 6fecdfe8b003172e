// SPDX-License-Identifier: Apache-2.0
// How far the figures of a composition would be off by the chance in its measured times: they are drawn anew, and all
// that depends on them is worked out again (Efron 1979).
#pragma once

#include <optional>
#include <vector>

#include "distribution/compose/evaluate.hpp"
#include "distribution/compose/leaves.hpp"
#include "foretask/analysis/compose.hpp"

namespace foretask::distribution {

// Mean, standard deviation, moments and quantiles: the fields of their standard errors.
using Figures = analysis::ComposeErrors;

[[nodiscard]] Figures figures_of(const Value& value);

// The standard deviation of `values`, or a quarter of what the middle 95 % of them span where that is more: skewed ones
// have far ends. At least 2 values. Infinite where more than one in 40 is not finite; 0 where it is rounding alone.
[[nodiscard]] double spread_of(std::vector<double> values);

// Whether there are measured times, and none that only bound the answer.
[[nodiscard]] bool has_errors(const Program& program, const Leaves& leaves);

// None where has_errors() says so, or where more than 5 % of the resampled times have no such distribution. As many
// resamplings as fit into about a second by an estimate of the work, 40 at least (8 where one takes more than 50 ms),
// never more than `most`. `threads` of them, 0: as many as there are processors; the same for every number of them.
// Throws std::bad_alloc.
[[nodiscard]] std::optional<analysis::ComposeErrors> standard_errors(const Program& program, const Leaves& leaves,
                                                                     std::uint32_t most, std::uint64_t seed,
                                                                     unsigned threads = 0);

}  // namespace foretask::distribution
