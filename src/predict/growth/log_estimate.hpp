// SPDX-License-Identifier: Apache-2.0
// What a law says of a positive quantity, and two such estimates as one. Any thread.
#pragma once

#include <cmath>

namespace foretask::predict {

struct LogEstimate {
  double value = 0;
  double log_sd = 0;  // standard deviation of its logarithm
};

// Of values above 0: their mean by logarithms, the surer one counting for more, none as surer than `surest`; the spread
// of the mixture of both, so that what they disagree by is in it.
[[nodiscard]] inline LogEstimate joined(const LogEstimate& a, const LogEstimate& b, double surest) {
  const auto weight_of = [surest](const LogEstimate& one) { return 1 / (one.log_sd * one.log_sd + surest * surest); };
  const double share = weight_of(a) / (weight_of(a) + weight_of(b));
  const double apart = std::log(a.value / b.value);
  const double variance =
      share * a.log_sd * a.log_sd + (1 - share) * b.log_sd * b.log_sd + share * (1 - share) * apart * apart;
  return {b.value * std::exp(share * apart), std::sqrt(variance)};
}

}  // namespace foretask::predict
