// SPDX-License-Identifier: Apache-2.0
// Sums of many independent times, equal ones and different ones.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "distribution/compose/table.hpp"
#include "distribution/compose/tabulation.hpp"
#include "distribution/family/cumulants.hpp"

namespace foretask::distribution {

// Whether the sum of so many is normal but for what its cumulants to the fourth say (Cornish and Fisher 1938), to 1e-6
// of its standard deviation from 0.1 % to 99.9 %.
[[nodiscard]] bool near_normal(const Cumulants& one, double count);

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
