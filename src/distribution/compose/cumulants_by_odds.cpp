// SPDX-License-Identifier: Apache-2.0
#include "distribution/compose/cumulants_by_odds.hpp"

#include <algorithm>
#include <array>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <vector>

#include "distribution/family/log_odds.hpp"

namespace foretask::distribution {
namespace {

// Integrals of r t^(r-1) times the probability beyond centre + sign t, r = 1 to 4, over t > 0.
class TailMoments {
 public:
  TailMoments(const OddsOfX& odds, double centre, int sign) : odds_(odds), centre_(centre), sign_(sign) {}

  Powers over(const std::vector<double>& distances, double end) {
    double from = 0;
    for (const double to : distances) {
      if (!(to > from)) continue;
      (void)add(from, to);
      from = to;
    }
    // Beyond the table, until nothing more comes; what goes on as far as there are doubles does not exist.
    constexpr double kFarthest = 700;  // log odds
    for (bool more = from > 0; more && from < end;) {
      const double z = sign_ * odds_(centre_ + sign_ * from, false);
      if (std::isinf(z)) break;  // nothing lies further out
      if (z > kFarthest) {
        for (std::size_t r = 0; r < 4; ++r)
          if (grows_[r]) sum_[r] = NAN;
        break;
      }
      const double to = std::min(end, 1.25 * from);
      more = add(from, to);
      from = to;
    }
    return sum_;
  }

 private:
  bool add(double from, double to) {
    using Rule = boost::math::quadrature::gauss<double, 7>;
    const double half = (to - from) / 2;
    Powers part{};
    for (std::size_t i = 0; i < 7; ++i) {
      const double at = i == 0 ? 0 : i % 2 == 1 ? Rule::abscissa()[(i + 1) / 2] : -Rule::abscissa()[i / 2];
      const double t = from + half * (1 + at);
      const double z = odds_(centre_ + sign_ * t, false);
      double value = Rule::weights()[(i + 1) / 2] * half * (sign_ > 0 ? upper(z) : lower(z));
      for (std::size_t r = 0; r < 4; ++r, value *= t) part[r] += static_cast<double>(r + 1) * value;
    }
    for (std::size_t r = 0; r < 4; ++r) {
      sum_[r] += part[r];
      if (!std::isfinite(sum_[r])) sum_[r] = NAN;
      grows_[r] = part[r] > 1e-17 * sum_[r];
    }
    return grows_ != std::array<bool, 4>{};
  }

  const OddsOfX& odds_;
  double centre_;
  int sign_;
  Powers sum_{};
  std::array<bool, 4> grows_{};
};

}  // namespace

Cumulants cumulants_by_odds(const OddsOfX& odds, const Table& table) {
  const double centre = table.quantile(0);
  std::vector<double> above;
  std::vector<double> below;
  for (const Knot& knot : table.knots()) {
    if (knot.x > centre)
      above.push_back(knot.x - centre);
    else
      below.push_back(centre - knot.x);
  }
  std::reverse(below.begin(), below.end());
  const auto up = TailMoments(odds, centre, 1).over(above, table.high() - centre);
  const auto down = TailMoments(odds, centre, -1).over(below, centre - table.low());
  return cumulants_about(centre, {up[0] - down[0], up[1] + down[1], up[2] - down[2], up[3] + down[3]});
}

Cumulants cumulants_of(const Table& table) {
  return cumulants_by_odds([&table](double x, bool) { return table.log_odds(x); }, table);
}

}  // namespace foretask::distribution
