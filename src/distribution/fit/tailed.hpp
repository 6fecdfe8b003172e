// SPDX-License-Identifier: Apache-2.0
// Measured times as distributions that go on beyond them: with fitted tails.
#pragma once

#include "distribution/family/empirical.hpp"
#include "distribution/family/univariate.hpp"

namespace foretask::distribution {

struct TailedSamples {
  UnivariatePtr dist;
  bool lower = false;  // which tails there are
  bool upper = false;
  bool rests_on_one = false;  // without its outermost value one of them is another
};
// The step function of empirical(), but beyond the outermost tenth or so a generalized Pareto tail
// stands for the samples, below
// (`lower`), above (`upper`), or both, as far as there are enough of them for one. Continuous where they join, but for
// half a step of values that come several times. A lower tail does not go below 0 where all values are >= 0.
[[nodiscard]] TailedSamples with_tails(const SampleSet& samples, bool lower, bool upper);
// `distribution`, which is continuous and was fitted to the samples, with such a lower tail; null where there is none.
[[nodiscard]] UnivariatePtr with_lower_tail(UnivariatePtr dist, const SampleSet& samples);

}  // namespace foretask::distribution
