// SPDX-License-Identifier: Apache-2.0
#include "distribution/fit/lambda_regions.hpp"

#include <cmath>

namespace foretask::distribution {
namespace {

using analysis::LambdaForm;

// 1e-6 to 1e4; -1.5e-6 to -1/4 + 1e-4; 1.0001 to 1e4; -1/4 + 1e-4 to 1e4.
constexpr Axis kPositive{-13.8, 9.3, 90, false, [](double p) { return std::exp(p); }};
constexpr Axis kNegative{-12.0, 8.0, 56, true, [](double p) { return -0.25 / (1 + std::exp(-p)); }};
constexpr Axis kAboveOne{-9.2, 9.2, 56, false, [](double p) { return 1 + std::exp(p); }};
constexpr Axis kAboveQuarter{-9.2, 9.2, 90, true, [](double p) { return -0.25 + std::exp(p); }};

LambdaRegion region_of(LambdaForm form, const Axis& left, const Axis& right, double sign) {
  const LambdaShapeRule& rule = LambdaShapeRule::coarse();
  LambdaRegion region;
  region.axis[0] = left;
  region.axis[1] = right;
  region.sign = sign;
  std::vector<TermAtNodes> terms[2];
  for (int side = 0; side < 2; ++side) {
    const Axis& axis = region.axis[side];
    // The nodes that the heaviest tail on the other side can ask for.
    const std::size_t far = region.axis[1 - side].heavy ? rule.most_reach() : rule.reach(0);
    for (int i = 0; i < axis.points; ++i) {
      const double p = axis.first + (axis.last - axis.first) * i / (axis.points - 1);
      region.at[side].push_back(p);
      rule.term(form, side == 0, axis.exponent(p), far, terms[side].emplace_back());
    }
  }
  for (const TermAtNodes& l3 : terms[0]) {
    for (const TermAtNodes& l4 : terms[1]) {
      const LambdaShape shape = rule.shape(l3, l4);
      region.skewness.push_back(static_cast<float>(sign * shape.skewness));
      region.kurtosis.push_back(static_cast<float>(shape.kurtosis));
    }
  }
  return region;
}

}  // namespace

const std::vector<LambdaRegion>& lambda_regions(LambdaForm form) {
  if (form == LambdaForm::kFkml) {
    static const std::vector<LambdaRegion> fkml{region_of(form, kAboveQuarter, kAboveQuarter, 1)};
    return fkml;
  }
  static const std::vector<LambdaRegion> rs{
      region_of(form, kPositive, kPositive, 1), region_of(form, kNegative, kNegative, -1),
      region_of(form, kNegative, kAboveOne, -1), region_of(form, kAboveOne, kNegative, -1)};
  return rs;
}

}  // namespace foretask::distribution
