// SPDX-License-Identifier: Apache-2.0
// Skewness and kurtosis of u^l3 - (1-u)^l4 (RS) or of its FKML counterpart as smooth functions of the two exponents: by
// one quadrature rule for all exponents above -1/4, which the closed form in beta functions does not reach without
// cancellation near exponents of 0. Immutable once made, thread safe.
#pragma once

#include <cstddef>
#include <vector>

#include "foretask/analysis/generalized_lambda.hpp"

namespace foretask::distribution {

// Of the difference of the two terms, before l1 and l2.
struct LambdaShape {
  double mean = 0;
  double variance = 0;
  double skewness = 0;
  double kurtosis = 0;
};

// A term at the nodes that it needs, times the fourth root of their weights: a fourth power at a weight of its own
// cannot overflow.
struct TermAtNodes {
  std::vector<double> value;
  std::size_t reach = 0;  // nodes away from the middle in its heavy tail
};

class LambdaShapeRule {
 public:
  explicit LambdaShapeRule(double step);
  // Two rules made once: the coarse one is right to some 1e-6, the fine one to 1e-12.
  [[nodiscard]] static const LambdaShapeRule& coarse();
  [[nodiscard]] static const LambdaShapeRule& fine();

  // `left`: the term of u, else that of 1 - u. `exponent` above -1/4. `far` nodes are made on the other side.
  void term(analysis::LambdaForm form, bool left, double exponent, std::size_t far, TermAtNodes& result) const;
  [[nodiscard]] LambdaShape shape(const TermAtNodes& left, const TermAtNodes& right) const;
  [[nodiscard]] LambdaShape shape(analysis::LambdaForm form, double l3, double l4) const;
  // Nodes away from the middle until the fourth power of v^exponent has no weight left.
  [[nodiscard]] std::size_t reach(double exponent) const;
  [[nodiscard]] std::size_t most_reach() const noexcept { return middle_; }

 private:
  double step_;
  std::size_t middle_ = 0;
  // A node each, the middle is u = 1/2.
  std::vector<double> log_u_;
  std::vector<double> root_;      // fourth root of the weight
  std::vector<double> log_root_;  // which stays finite where the root is 0
};

}  // namespace foretask::distribution
