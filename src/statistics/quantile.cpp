// SPDX-License-Identifier: Apache-2.0
#include "statistics/quantile.hpp"

#include <array>
#include <cmath>

namespace foretask::statistics {
namespace {

constexpr double kNormalMedianToSigma = 1.482602218505602;  // 1 / the normal distribution's upper quartile

}  // namespace

double quantile_in_place(std::span<double> values, double share) noexcept {
  if (values.empty()) return 0;
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = values.begin() + static_cast<std::ptrdiff_t>(place);
  std::nth_element(values.begin(), below, values.end());
  const auto above = std::min_element(below + 1, values.end());
  const std::array<double, 2> neighbours{*below, above == values.end() ? *below : *above};
  return sorted_quantile(neighbours, place - std::floor(place));
}

double quantile(std::vector<double> values, double share) { return quantile_in_place(values, share); }

double median(std::vector<double> values) { return quantile_in_place(values, 0.5); }

double robust_scale(std::vector<double> residuals) {
  for (double& residual : residuals) residual = std::abs(residual);
  return kNormalMedianToSigma * quantile_in_place(residuals, 0.5);
}

}  // namespace foretask::statistics
