// SPDX-License-Identifier: Apache-2.0
#include "distribution/family/family_cumulants.hpp"

#include <cmath>

namespace foretask::distribution {
namespace {

Cumulants scaled(double mean, double sd, double skewness, double excess) {
  return {mean, sd * sd, skewness * sd * sd * sd, excess * sd * sd * sd * sd};
}

}  // namespace

std::optional<Cumulants> family_cumulants(Family family, double a, double b) noexcept {
  switch (family) {
    case Family::constant:
      return Cumulants{a, 0, 0, 0};
    case Family::uniform: {
      return scaled(a + (b - a) / 2, (b - a) / std::sqrt(12.0), 0, -1.2);
    }
    case Family::exponential:
      return scaled(a, a, 2, 6);
    case Family::normal:
      return scaled(a, b, 0, 0);
    case Family::lognormal: {
      const double v = std::expm1(b * b);  // w - 1, with w = exp(sigma^2)
      const double w = v + 1;
      const double mean = std::exp(a + b * b / 2);
      return scaled(mean, mean * std::sqrt(v), (w + 2) * std::sqrt(v), v * (w * w * w + 3 * w * w + 6 * w + 6));
    }
    case Family::gamma:
      return scaled(a * b, std::sqrt(a) * b, 2 / std::sqrt(a), 6 / a);
    case Family::weibull:
      return std::nullopt;
    case Family::beta:
      break;
  }
  const double sum = a + b;
  const double skewness = 2 * (b - a) * std::sqrt(sum + 1) / ((sum + 2) * std::sqrt(a * b));
  const double excess = 6 * ((a - b) * (a - b) * (sum + 1) - a * b * (sum + 2)) / (a * b * (sum + 2) * (sum + 3));
  return scaled(a / sum, std::sqrt(a * b / (sum + 1)) / sum, skewness, excess);
}

}  // namespace foretask::distribution
