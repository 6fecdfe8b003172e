// SPDX-License-Identifier: Apache-2.0
// What the leaves of a program are taken for: known families, and measured times as they are, with fitted tails, as
// mixtures or as generalized lambda distributions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "distribution/evaluate.hpp"
#include "distribution/program.hpp"
#include "distribution/samples_law.hpp"
#include "foretask/analysis/compose.hpp"
#include "foretask/result.hpp"

namespace foretask::distribution {

enum class Taken : std::uint8_t { exact, empirical, tailed, lambda, mixture };

struct LeafPlan {
  Taken as = Taken::exact;
  bool lower_tail = false;  // of tailed
  bool upper_tail = false;
  // What samples are drawn anew from for the standard errors; null: from the samples themselves. It has fitted tails:
  // what is drawn from samples never goes beyond them, and the errors of maxima and spreads come out too small.
  LawPtr drawn_from{};
};

struct LeafLaws {
  std::vector<Value> values;    // one a step; only those of leaves are set
  std::vector<LeafPlan> plans;  // likewise
  bool beyond_sample = false;
  bool several_modes = false;
  bool no_such_distribution = false;
  std::vector<std::string> notes;
};

// Errors: a leaf that has no such law and no stand-in either.
[[nodiscard]] Result<LeafLaws> leaf_laws(const Program& program, analysis::ComposeMethod method);

// As they came.
[[nodiscard]] SampleSet sample_set(const SampleData& data);
// The law of these samples as the plan takes them; null where there is no such mixture or lambda distribution.
[[nodiscard]] LawPtr sample_law(const SampleSet& samples, const LeafPlan& plan);
// As many samples drawn anew, as the plan says.
[[nodiscard]] SampleSet redrawn(const SampleData& data, const LeafPlan& plan, std::mt19937_64& random);

}  // namespace foretask::distribution
