// SPDX-License-Identifier: Apache-2.0
// Sums of independent times: of two, and of many, equal ones and different ones.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "distribution/compose/table.hpp"
#include "distribution/family/cumulants.hpp"

namespace foretask::distribution {

// P(A + B <= x) is the sum over B's probability of P(A <= x - b): by Gauss' rule on each interval of B's knots, which
// is divided where A's knots are close. `expected`: the sum's cumulants; the table is moved a little so that its mean
// and variance are these (NaN, or where it has atoms: as it comes).
[[nodiscard]] TablePtr sum_of(const Table& a, const Table& b, const Cumulants& expected, const Precision& precision);

[[nodiscard]] TablePtr moved(const Table& table, double by);

// Sums of more and more of one kind: the tables of 1, 2, 4, ... of them are made once, and each sum goes on from the
// one before. Not thread safe.
class RunningSum {
 public:
  RunningSum(const TablePtr& one, const Cumulants& cumulants, const Precision& precision)
      : cumulants_(cumulants), precision_(precision), powers_{one} {}
  // Of `count` independent ones, 1 or more, and no fewer than the last time. O(log count) sums, none where it is near
  // normal.
  [[nodiscard]] TablePtr up_to(std::uint64_t count);

 private:
  [[nodiscard]] const TablePtr& power(std::size_t k);  // of 2^k of them

  Cumulants cumulants_;
  Precision precision_;
  std::vector<TablePtr> powers_;
  TablePtr sum_{};
  std::uint64_t summed_ = 0;
};

// Independent equal parts of a sum.
struct Term {
  UnivariatePtr x;
  Cumulants cumulants{};  // of one
  double count = 1;
  std::function<TablePtr()> table;  // made only where it is needed
};
// The sum of all, one at least. Of those that are near normal together no table is made.
[[nodiscard]] TablePtr sum_of_all(std::vector<Term> terms, const Precision& precision);

}  // namespace foretask::distribution
