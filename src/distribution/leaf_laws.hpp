// SPDX-License-Identifier: Apache-2.0
// What the leaves of a program are taken for: known families, and measured times as they are, with fitted tails, as
// mixtures or as generalized lambda distributions.
#pragma once

#include <string>
#include <vector>

#include "distribution/evaluate.hpp"
#include "distribution/program.hpp"
#include "distribution/redrawing.hpp"
#include "foretask/analysis/compose.hpp"
#include "foretask/result.hpp"

namespace foretask::distribution {

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

}  // namespace foretask::distribution
