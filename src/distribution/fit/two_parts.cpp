// SPDX-License-Identifier: Apache-2.0
#include "distribution/fit/two_parts.hpp"

#include <algorithm>
#include <cmath>

#include "distribution/family/cumulants.hpp"
#include "distribution/family/empirical.hpp"
#include "distribution/family/known_family.hpp"
#include "distribution/family/parametric.hpp"
#include "foretask/analysis/gaussian_mixture.hpp"
#include "statistics/root.hpp"

namespace foretask::distribution {

// Two normal parts of one variance with these moments: with v2 of the variance between the parts' means,
// k4 = k3^2 / v2 - 2 v2^2, which has one root in (0, variance] wherever kurtosis >= skewness^2 + 1 and skewness is not
// 0.
UnivariatePtr two_parts(const analysis::Moments& moments) {
  const Cumulants k = cumulants_of(moments);
  const double v = k[1];
  double between = 0;
  if (k[2] == 0) {
    if (k[3] > 0) return nullptr;
    between = std::min(v, std::sqrt(-k[3] / 2));
  } else {
    const auto off = [&](double v2) { return k[2] * k[2] - v2 * (2 * v2 * v2 + k[3]); };
    between = statistics::root_between(off, 0, v).value_or(v);
  }
  if (!(between > 0)) return make_family(Family::normal, k[0], std::sqrt(v));
  const double skewness = k[2] / (between * std::sqrt(between));  // of the two means: (1 - 2p) / sqrt(p (1 - p))
  const double root = std::hypot(2, skewness);
  const double rarer = 2 / (root * (root + std::fabs(skewness)));  // (1 - |skewness| / root) / 2, which would cancel
  const double below = skewness > 0 ? 1 - rarer : rarer;           // probabilities of the two means
  const double above = skewness > 0 ? rarer : 1 - rarer;
  const double apart = std::sqrt(between / (rarer * (1 - rarer)));
  const double within = v - between;
  const double first = k[0] - above * apart;
  const double second = k[0] + below * apart;
  if (within <= 1e-9 * v) {
    SampleSet two;
    two.values = {first, second};
    two.weights = {below, above};
    return empirical(two);
  }
  analysis::GaussianMixture mixture;
  mixture.parts = {{below, first, std::sqrt(within)}, {above, second, std::sqrt(within)}};
  return mixture_distribution(mixture);
}

}  // namespace foretask::distribution
