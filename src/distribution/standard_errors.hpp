// SPDX-License-Identifier: Apache-2.0
// How far the figures of a composition would be off by the chance in its measured times: they are drawn anew, and all
// that depends on them is worked out again (Efron 1979).
#pragma once

#include <optional>

#include "distribution/evaluate.hpp"
#include "distribution/leaf_laws.hpp"
#include "foretask/analysis/compose.hpp"

namespace foretask::distribution {

struct Figures {
  double mean = 0;
  double sd = 0;
  std::array<double, 4> moments{};
  std::array<double, 9> quantiles{};
};
[[nodiscard]] Figures figures_of(const Value& value);

// None where there are no measured times. As many resamplings as fit into about a second by an estimate of the work,
// 40 at least, never more than `most`. All cores; the same for every number of them.
[[nodiscard]] std::optional<analysis::ComposeErrors> standard_errors(const Program& program, const LeafLaws& leaves,
                                                                     std::uint32_t most, std::uint64_t seed);

}  // namespace foretask::distribution
