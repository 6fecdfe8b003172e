// SPDX-License-Identifier: Apache-2.0
// What the leaves of a program are taken for: known families, and measured times as they are, with fitted tails, as
// mixtures or as generalized lambda distributions.
#pragma once

#include <string>
#include <vector>

#include "distribution/compose/evaluate.hpp"
#include "distribution/expression/program.hpp"
#include "distribution/fit/leaf_plan.hpp"
#include "foretask/analysis/compose.hpp"

namespace foretask::distribution {

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
