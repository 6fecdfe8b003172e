// SPDX-License-Identifier: Apache-2.0
// What a program's answer is, given the distributions of its leaves.
#pragma once

#include <vector>

#include "distribution/compose/table.hpp"
#include "distribution/expression/program.hpp"
#include "distribution/family/cumulants.hpp"
#include "distribution/family/univariate.hpp"

namespace foretask::distribution {

inline constexpr int kMostDepth = 3;

// A distribution, and beside it its cumulants: exact where there is a formula for them.
struct Value {
  UnivariatePtr dist;
  Cumulants cumulants{};
  TablePtr table{};   // the distribution as a table, once a sum asked for it
  bool exact = true;  // the distribution is not a table, nor made of one
  int depth = 0;      // of distributions that ask other distributions; at most kMostDepth, then a table is made of them
};

// A leaf's distribution with its own moments.
[[nodiscard]] Value leaf_value(UnivariatePtr dist);

// Coarser for very many sums; as far into the tails as extremes of them look.
[[nodiscard]] Precision precision_for(const Program& program);

// `given`: a value for each step that is a leaf with a node, and for others where they are known already. Thread safe.
[[nodiscard]] Value evaluate(const Program& program, const std::vector<Value>& given, const Precision& precision);

// Sets the values of all steps that are not in `leave_out`.
void evaluate_all(const Program& program, const std::vector<char>& leave_out, std::vector<Value>& given,
                  const Precision& precision);

}  // namespace foretask::distribution
