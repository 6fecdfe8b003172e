// SPDX-License-Identifier: Apache-2.0
// What the leaves of a program are taken for: known families, and measured times as they are, with fitted tails, as
// mixtures or as generalized lambda distributions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "distribution/compose/evaluate.hpp"
#include "distribution/expression/program.hpp"
#include "distribution/family/empirical.hpp"
#include "distribution/family/univariate.hpp"
#include "foretask/analysis/compose.hpp"

namespace foretask::distribution {

// What measured times are taken for.
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

// The distribution of these samples as the plan takes them; null where there is no such tail, mixture or lambda
// distribution.
[[nodiscard]] UnivariatePtr fitted_leaf(const SampleSet& samples, const LeafPlan& plan);

struct Leaves {
  std::vector<Value> values;    // one a step; only those of leaves are set
  std::vector<LeafPlan> plans;  // likewise
  bool beyond_sample = false;
  bool several_modes = false;
  bool no_such_distribution = false;
  std::vector<std::string> notes;
};

// What a leaf cannot be taken for something else stands in for, and a note says so.
[[nodiscard]] Leaves leaves_of(const Program& program, analysis::ComposeMethod method);

}  // namespace foretask::distribution
