// SPDX-License-Identifier: Apache-2.0
// What measured times are taken for.
#pragma once

#include <cstdint>

#include "distribution/family/empirical.hpp"
#include "distribution/family/univariate.hpp"

namespace foretask::distribution {

enum class Taken : std::uint8_t { exact, empirical, tailed, lambda, mixture };

struct LeafPlan {
  Taken as = Taken::exact;
  bool lower_tail = false;  // of tailed, and of a mixture over times that are all above 0
  bool upper_tail = false;  // of tailed
  bool a_bound = false;     // the outermost values answer where a tail is asked for: no error can be said
  // What samples are drawn anew from for the standard errors; null: from the samples themselves. It has fitted tails:
  // what is drawn from samples never goes beyond them, and the errors of maxima and spreads come out too small.
  UnivariatePtr drawn_from{};
};

// As they came.
[[nodiscard]] SampleSet sample_set(const SampleData& data);
// The distribution of these samples as the plan takes them; null where there is no such tail, mixture or lambda
// distribution.
[[nodiscard]] UnivariatePtr fitted_leaf(const SampleSet& samples, const LeafPlan& plan);

}  // namespace foretask::distribution
