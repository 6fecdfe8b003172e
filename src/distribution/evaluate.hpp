// SPDX-License-Identifier: Apache-2.0
// What a program's answer is, given the laws of its leaves.
#pragma once

#include <vector>

#include "distribution/cumulants.hpp"
#include "distribution/law.hpp"
#include "distribution/program.hpp"
#include "distribution/table_law.hpp"
#include "distribution/tabulate.hpp"

namespace foretask::distribution {

inline constexpr int kMostDepth = 3;

// A law, and beside it its cumulants: exact where there is a formula for them.
struct Value {
  LawPtr law;
  Cumulants cumulants{};
  TablePtr table{};   // the law as a table, once a sum asked for it
  bool exact = true;  // the law is not a table, nor made of one
  int depth = 0;      // of laws that ask other laws; at most kMostDepth, then a table is made of them
};

// A leaf's law with its own moments.
[[nodiscard]] Value leaf_value(LawPtr law);

[[nodiscard]] const Resolution& resolution_for(const Program& program);

// `given`: a value for each step that is a leaf with a node, and for others where they are known already. Thread safe.
[[nodiscard]] Value evaluate(const Program& program, const std::vector<Value>& given);

// Sets the values of all steps that are not in `leave_out`.
void evaluate_all(const Program& program, const std::vector<char>& leave_out, std::vector<Value>& given);

}  // namespace foretask::distribution
