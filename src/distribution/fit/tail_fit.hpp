// SPDX-License-Identifier: Apache-2.0
// The outermost of measured times as a generalized Pareto distribution: where it begins, and how well one can know it.
#pragma once

#include <optional>

#include "distribution/family/empirical.hpp"
#include "distribution/fit/generalized_pareto.hpp"

namespace foretask::distribution {

struct Tail {
  bool upper = true;
  // A lower tail of positive times is fitted over log(threshold / x): it ends at 0, or before, and what begins there
  // like a power of x is an exponential tail.
  bool over_logs = false;
  bool from_zero = false;     // a lower tail that is not over logs ends at 0
  bool rests_on_one = false;  // without its largest value it is another
  double inner = 0;           // the value beyond which it is
  double threshold = 0;       // where it begins: there, or half a step of a coarse timer further out
  double log_share = 0;       // log of the mass beyond
  GeneralizedPareto dist;

  // The value that is gone beyond with a probability of e^log_beyond <= e^log_share, and the other way round.
  [[nodiscard]] double value(double log_beyond) const noexcept;
  [[nodiscard]] double log_beyond(double x) const noexcept;
};

// Of all values 200 at least: the share of 10 % to 2.5 % that fits best. Of fewer: an exponential tail over the
// outermost tenth, 5 values or less than half of them at least, which needs few. Equal values are spread half way to
// their neighbours. Nothing where there are fewer than 7 values, or fewer than 3 different ones beyond every threshold.
[[nodiscard]] std::optional<Tail> fit_tail(const Atoms& atoms, bool upper);

}  // namespace foretask::distribution
