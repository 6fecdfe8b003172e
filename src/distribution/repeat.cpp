// SPDX-License-Identifier: Apache-2.0
#include "distribution/repeat.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "distribution/family_law.hpp"
#include "distribution/sum.hpp"

namespace foretask::distribution {

namespace {

constexpr double kEnough = 4096;  // of a law whose skewness and excess are about 1

// Of a standard normal law, the knots that all such tables are made of.
const TableLaw& standard_normal(const Resolution& resolution) {
  static const LawPtr law = make_family(Family::normal, 0, 1);
  static const TablePtr fine = tabulated(*law, kFine);
  static const TablePtr coarse = tabulated(*law, kCoarse);
  return resolution.step <= kFine.step ? *fine : *coarse;
}

bool near_normal(const Cumulants& one, double count) {
  if (!std::isfinite(one[3]) || !(one[1] > 0)) return false;
  const double skewness2 = one[2] * one[2] / (one[1] * one[1] * one[1]);
  const double excess = std::fabs(one[3]) / (one[1] * one[1]);
  return count > kEnough * std::max({1.0, skewness2, excess});
}

}  // namespace

TablePtr moved_table(const TableLaw& table, double by) {
  std::vector<Knot> knots = table.knots();
  for (Knot& knot : knots) knot.x += by;
  for (std::size_t k = 1; k < knots.size(); ++k) knots[k].x = std::max(knots[k].x, knots[k - 1].x);
  return std::make_shared<const TableLaw>(std::move(knots), table.low() + by, table.high() + by);
}

TablePtr near_normal_table(const Cumulants& cumulants, double low, double high, const Resolution& resolution) {
  const double sd = std::sqrt(cumulants[1]);
  const double g1 = cumulants[2] / (cumulants[1] * sd);
  const double g2 = cumulants[3] / (cumulants[1] * cumulants[1]);
  std::vector<Knot> knots = standard_normal(resolution).knots();
  double before = low;
  for (Knot& knot : knots) {
    const double w = knot.x;
    const double y = w + g1 * (w * w - 1) / 6 + g2 * (w * w * w - 3 * w) / 24 - g1 * g1 * (2 * w * w * w - 5 * w) / 36;
    knot.x = std::clamp(cumulants[0] + sd * y, before, high);
    before = knot.x;
  }
  return std::make_shared<const TableLaw>(std::move(knots), low, high);
}

TablePtr repeated_table(const TablePtr& one, const Cumulants& cumulants, std::uint64_t count,
                        const Resolution& resolution) {
  if (count == 1) return one;
  const auto n = static_cast<double>(count);
  if (cumulants[1] == 0) {  // one value
    return std::make_shared<const TableLaw>(
        std::vector<Knot>{{-kFlatEnd, cumulants[0] * n, true}, {kFlatEnd, cumulants[0] * n, true}}, cumulants[0] * n,
        cumulants[0] * n);
  }
  if (near_normal(cumulants, n))
    return near_normal_table(repeated(cumulants, n), n * one->low(), n * one->high(), resolution);
  TablePtr power = one;  // of `times`
  TablePtr sum;
  double times = 1;
  double summed = 0;
  for (std::uint64_t left = count; left != 0; left >>= 1U) {
    if ((left & 1U) != 0) {
      summed += times;
      sum = sum == nullptr ? power : sum_of(*sum, *power, summed * cumulants[0], summed * cumulants[1], resolution);
    }
    if (left > 1) {
      times *= 2;
      power = sum_of(*power, *power, times * cumulants[0], times * cumulants[1], resolution);
    }
  }
  return sum;
}

}  // namespace foretask::distribution
