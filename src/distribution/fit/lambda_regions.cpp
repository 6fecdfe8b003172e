// SPDX-License-Identifier: Apache-2.0
#include "distribution/fit/lambda_regions.hpp"

namespace foretask::distribution {
namespace {

using analysis::LambdaForm;

struct AxisGrid {
  double first;
  double last;
  int points;
};

AxisGrid grid_of(Axis axis) {
  switch (axis) {
    case Axis::kPositive:
      return {-13.8, 9.3, 90};  // 1e-6 to 1e4
    case Axis::kNegative:
      return {-12.0, 8.0, 56};  // -1.5e-6 to -1/4 + 1e-4
    case Axis::kAboveOne:
      return {-9.2, 9.2, 56};  // 1.0001 to 1e4
    case Axis::kAboveQuarter:
      return {-9.2, 9.2, 90};  // -1/4 + 1e-4 to 1e4
  }
  return {0, 0, 0};
}

LambdaRegion region_of(LambdaForm form, Axis left, Axis right, double sign) {
  const LambdaShapeRule& rule = LambdaShapeRule::coarse();
  LambdaRegion region;
  region.axis[0] = left;
  region.axis[1] = right;
  region.sign = sign;
  std::vector<TermAtNodes> terms[2];
  for (int side = 0; side < 2; ++side) {
    const AxisGrid grid = grid_of(region.axis[side]);
    // The nodes that the heaviest tail on the other side can ask for.
    const bool other_heavy = region.axis[1 - side] == Axis::kNegative || region.axis[1 - side] == Axis::kAboveQuarter;
    const std::size_t far = other_heavy ? rule.most_reach() : rule.reach(0);
    for (int i = 0; i < grid.points; ++i) {
      const double p = grid.first + (grid.last - grid.first) * i / (grid.points - 1);
      region.at[side].push_back(p);
      rule.term(form, side == 0, exponent_at(region.axis[side], p), far, false, terms[side].emplace_back());
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
    static const std::vector<LambdaRegion> fkml{region_of(form, Axis::kAboveQuarter, Axis::kAboveQuarter, 1)};
    return fkml;
  }
  static const std::vector<LambdaRegion> rs{
      region_of(form, Axis::kPositive, Axis::kPositive, 1), region_of(form, Axis::kNegative, Axis::kNegative, -1),
      region_of(form, Axis::kNegative, Axis::kAboveOne, -1), region_of(form, Axis::kAboveOne, Axis::kNegative, -1)};
  return rs;
}

}  // namespace foretask::distribution
