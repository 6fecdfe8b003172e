// SPDX-License-Identifier: Apache-2.0
// From four moments to generalized lambda distributions: every solution branch. Newton's method from each cell of a
// table in which skewness and kurtosis both pass what is asked for.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "distribution/family/lambda_terms.hpp"
#include "foretask/analysis/generalized_lambda.hpp"
#include "statistics/root.hpp"

namespace foretask::distribution {
namespace {

using analysis::LambdaForm;

// Nodes at z = kStretch sinh(t): dense where u^4000 changes, sparse in tails that fall slowly.
constexpr double kStretch = 4;
constexpr double kLeastRate = 1e-4;  // of exp(-rate |z|), fourth powers at an exponent of -1/4 + rate / 4
constexpr double kNothingLeft = 40;  // exp(-40) of a weight is below a rounding

// Of the difference of the two terms, before l1 and l2.
struct LambdaShape {
  double mean = 0;
  double variance = 0;
  double skewness = 0;
  double kurtosis = 0;
};

// A term at the nodes that it needs, times the fourth root of their weights: a fourth power at a weight of its own
// cannot overflow.
struct TermAtNodes {
  std::vector<double> value;
  std::size_t reach = 0;  // nodes away from the middle in its heavy tail
};

// Skewness and kurtosis of u^l3 - (1-u)^l4 (RS) or of its FKML counterpart as smooth functions of the two exponents: by
// one quadrature rule for all exponents above -1/4, which the closed form in beta functions does not reach without
// cancellation near exponents of 0. Immutable once made, thread safe.
class LambdaShapeRule {
 public:
  explicit LambdaShapeRule(double step) : step_(step) {
    middle_ = static_cast<std::size_t>(std::asinh(kNothingLeft / kLeastRate / kStretch) / step) + 1;
    double total = 0;
    std::vector<double> log_weight;
    for (std::size_t i = 0; i <= 2 * middle_; ++i) {
      const double t = (static_cast<double>(i) - static_cast<double>(middle_)) * step;
      const LogOdds at = LogOdds::of(kStretch * std::sinh(t));
      log_u_.push_back(at.u);
      log_weight.push_back(at.u + at.upper + std::log(std::cosh(t)));
      total += std::exp(log_weight.back());
    }
    for (const double weight : log_weight) {
      log_root_.push_back((weight - std::log(total)) / 4);
      root_.push_back(std::exp(log_root_.back()));
    }
  }
  // Two rules made once: the coarse one is right to some 1e-6, the fine one to 1e-12.
  [[nodiscard]] static const LambdaShapeRule& coarse() {
    static const LambdaShapeRule rule(1.0 / 12);
    return rule;
  }
  [[nodiscard]] static const LambdaShapeRule& fine() {
    static const LambdaShapeRule rule(1.0 / 30);
    return rule;
  }

  // `left`: the term of u, else that of 1 - u. `exponent` above -1/4. `far` nodes are made on the other side.
  void term(analysis::LambdaForm form, bool left, double exponent, std::size_t far, TermAtNodes& result) const {
    const std::size_t nodes = log_u_.size();
    result.reach = reach(exponent);
    result.value.resize(nodes);
    const std::size_t begin = middle_ - (left ? result.reach : far);
    const std::size_t end = middle_ + (left ? far : result.reach);
    for (std::size_t i = begin; i <= end; ++i) {
      const double log_v = log_u_[left ? i : nodes - 1 - i];
      const double x = exponent * log_v;
      if (x > 1) {  // the power alone may be infinite
        const double grown = std::exp(x + log_root_[i]) - root_[i];
        result.value[i] = form == LambdaForm::kRs ? grown : grown / exponent;
      } else {
        result.value[i] = lambda_term(form, log_v, exponent) * root_[i];
      }
    }
  }
  [[nodiscard]] LambdaShape shape(const TermAtNodes& left, const TermAtNodes& right) const {
    const std::size_t begin = middle_ - left.reach;
    const std::size_t end = middle_ + right.reach;
    LambdaShape shape;
    for (std::size_t i = begin; i <= end; ++i)
      shape.mean += (left.value[i] - right.value[i]) * root_[i] * root_[i] * root_[i];
    double third = 0;
    double fourth = 0;
    for (std::size_t i = begin; i <= end; ++i) {
      const double root = root_[i];
      const double off = left.value[i] - right.value[i] - shape.mean * root;
      const double square = off * off;
      shape.variance += square * root * root;
      third += square * off * root;
      fourth += square * square;
    }
    shape.skewness = third / (shape.variance * std::sqrt(shape.variance));
    shape.kurtosis = fourth / (shape.variance * shape.variance);
    return shape;
  }
  [[nodiscard]] LambdaShape shape(analysis::LambdaForm form, double l3, double l4) const {
    TermAtNodes left;
    TermAtNodes right;
    term(form, true, l3, reach(l4), left);
    term(form, false, l4, reach(l3), right);
    return shape(left, right);
  }
  // Nodes away from the middle until the fourth power of v^exponent has no weight left.
  [[nodiscard]] std::size_t reach(double exponent) const {
    const double rate = std::max(1 + 4 * std::min(exponent, 0.0), kLeastRate);
    return std::min(middle_, static_cast<std::size_t>(std::asinh(kNothingLeft / rate / kStretch) / step_) + 1);
  }
  [[nodiscard]] std::size_t most_reach() const noexcept { return middle_; }

 private:
  double step_;
  std::size_t middle_ = 0;
  // A node each, the middle is u = 1/2.
  std::vector<double> log_u_;
  std::vector<double> root_;      // fourth root of the weight
  std::vector<double> log_root_;  // which stays finite where the root is 0
};

using analysis::LambdaFit;
using analysis::Moments;

// A coordinate without bounds for an exponent.
struct Axis {
  double first = 0;  // of its grid
  double last = 0;
  int points = 0;
  bool heavy = false;  // exponents down to -1/4
  double (*exponent)(double coordinate) = nullptr;
};

// A part of the (l3, l4) plane in which a form's distributions with four moments lie, with a table of skewness and
// kurtosis over a grid: cells in which both pass what is asked for are where a search starts.
struct LambdaRegion {
  Axis axis[2];                 // of l3, of l4
  double sign = 1;              // of l2
  std::vector<double> at[2];    // coordinates of the grid
  std::vector<float> skewness;  // [l3][l4], of the distribution: with the sign
  std::vector<float> kurtosis;
};

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

// RS: regions 3, 4, 5 and 6 of Karian and Dudewicz (2000), the others have no fourth moment; FKML: one. Made at the
// first call, some ms.
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

constexpr double kWithin = 1e-9;  // of moments

// Deviations from what is asked for: of the skewness, and of the kurtosis in parts of itself where it is above 1.
std::array<double, 2> deviation(const LambdaShape& shape, double sign, const Moments& moments) {
  return {sign * shape.skewness - moments.skewness, (shape.kurtosis - moments.kurtosis) / moments.kurtosis};
}

double largest(const std::array<double, 2>& of) { return std::max(std::abs(of[0]), std::abs(of[1])); }

LambdaFit located(LambdaForm form, double sign, double l3, double l4, const Moments& moments) {
  const LambdaShape shape = LambdaShapeRule::fine().shape(form, l3, l4);
  LambdaFit fit;
  fit.lambda = {form, 0, sign * std::sqrt(shape.variance / moments.variance), l3, l4};
  fit.lambda.l1 = moments.mean - shape.mean / fit.lambda.l2;
  fit.residual = largest(deviation(shape, sign, moments));
  return fit;
}

struct Point {
  double p[2];
};

using Two = std::array<double, 2>;

// How the deviations change by a step of a whole cell, by differences: [deviation][side].
std::array<Two, 2> slopes_at(const std::function<Two(const Point&)>& deviation_at, const Point& at, const Two& off,
                             const Two& cell) {
  constexpr double kStep = 1e-5;  // cells
  std::array<Two, 2> slopes{};
  for (std::size_t side = 0; side < 2; ++side) {
    Point beside = at;
    beside.p[side] += kStep * cell[side];
    const Two there = deviation_at(beside);
    for (std::size_t k = 0; k < 2; ++k) slopes[k][side] = (there[k] - off[k]) / kStep;
  }
  return slopes;
}

// Newton's method from the middle of a cell, as long as it stays near.
std::optional<Point> descend(LambdaForm form, const LambdaRegion& region, const Point& start, const Moments& moments) {
  constexpr int kMostSteps = 30;
  constexpr double kNear = 12;  // cells
  Two cell{};
  for (std::size_t side = 0; side < 2; ++side) cell[side] = region.at[side][1] - region.at[side][0];
  const LambdaShapeRule* rule = &LambdaShapeRule::coarse();
  const std::function<Two(const Point&)> deviation_at = [&](const Point& at) {
    return deviation(rule->shape(form, region.axis[0].exponent(at.p[0]), region.axis[1].exponent(at.p[1])), region.sign,
                     moments);
  };
  Point at = start;
  Two off = deviation_at(at);
  // Where the two curves are nearly parallel only a start on one of them leads to where they cross.
  constexpr int kStepsToCurve = 3;
  for (int step = 0; step < kStepsToCurve; ++step) {
    const Two slope = slopes_at(deviation_at, at, off, cell)[0];
    const double share = off[0] / (slope[0] * slope[0] + slope[1] * slope[1]);
    if (!(std::abs(share) * std::max(std::abs(slope[0]), std::abs(slope[1])) < 2)) break;
    for (std::size_t side = 0; side < 2; ++side) at.p[side] -= share * slope[side] * cell[side];
    off = deviation_at(at);
  }
  constexpr int kPatience = 5;
  double last = largest(off);
  for (int step = 0; step < kMostSteps; ++step) {
    if (step % kPatience == kPatience - 1) {
      if (largest(off) > last / 3) break;  // no solution here
      last = largest(off);
    }
    if (rule != &LambdaShapeRule::fine() && largest(off) < 1e-4) {
      rule = &LambdaShapeRule::fine();
      off = deviation_at(at);
    }
    const auto [skewness_by, kurtosis_by] = slopes_at(deviation_at, at, off, cell);
    const double determinant = skewness_by[0] * kurtosis_by[1] - skewness_by[1] * kurtosis_by[0];
    const Two move{-(kurtosis_by[1] * off[0] - skewness_by[1] * off[1]) / determinant,
                   -(skewness_by[0] * off[1] - kurtosis_by[0] * off[0]) / determinant};
    const double length = largest(move);
    if (!std::isfinite(length)) break;
    double share = std::min(1.0, 2 / length);
    bool better = false;
    for (int halving = 0; halving < 6 && !better; ++halving, share /= 2) {
      const Point next{{at.p[0] + share * move[0] * cell[0], at.p[1] + share * move[1] * cell[1]}};
      const Two left = deviation_at(next);
      if (!(largest(left) < largest(off))) {
        if (largest(off) < 1e-11) break;  // no more digits
        continue;
      }
      better = true;
      at = next;
      off = left;
    }
    if (!better) break;
    for (std::size_t side = 0; side < 2; ++side)
      if (std::abs(at.p[side] - start.p[side]) > kNear * cell[side]) return std::nullopt;
  }
  if (rule != &LambdaShapeRule::fine() || !(largest(off) <= kWithin)) return std::nullopt;
  return at;
}

// Whether `wanted` is among the corners' values, or just beyond them: two solutions in one cell may leave no corner on
// the other side.
bool passes(const std::vector<float>& table, std::size_t corner, std::size_t row, double wanted) {
  const auto [low, high] =
      std::minmax({table[corner], table[corner + 1], table[corner + row], table[corner + row + 1]});
  const double slack = 0.2 * (high - low) + 1e-6;
  return wanted >= low - slack && wanted <= high + slack;
}

void search(LambdaForm form, const LambdaRegion& region, const Moments& moments, std::vector<LambdaFit>& fits) {
  const std::size_t row = region.at[1].size();
  std::vector<Point> found;
  for (std::size_t i = 0; i + 1 < region.at[0].size(); ++i) {
    for (std::size_t j = 0; j + 1 < row; ++j) {
      const std::size_t corner = i * row + j;
      if (!passes(region.skewness, corner, row, moments.skewness) ||
          !passes(region.kurtosis, corner, row, moments.kurtosis))
        continue;
      const Point start{{(region.at[0][i] + region.at[0][i + 1]) / 2, (region.at[1][j] + region.at[1][j + 1]) / 2}};
      const std::optional<Point> end = descend(form, region, start, moments);
      if (!end) continue;
      constexpr double kSame = 1e-4;
      const bool known = std::any_of(found.begin(), found.end(), [&](const Point& other) {
        return std::abs(other.p[0] - end->p[0]) < kSame && std::abs(other.p[1] - end->p[1]) < kSame;
      });
      if (known) continue;
      found.push_back(*end);
      double exponent[2];
      bool limit = false;
      for (int side = 0; side < 2; ++side) {
        exponent[side] = region.axis[side].exponent(end->p[side]);
        if (std::abs(exponent[side]) > 1e-12) continue;
        exponent[side] = 0;
        limit = true;
      }
      LambdaFit fit = located(form, region.sign, exponent[0], exponent[1], moments);
      fit.limit = limit;
      if (fit.lambda.valid() && fit.residual <= kWithin) fits.push_back(fit);
    }
  }
}

// Skewness of (1 - (1-u)^k) / k, which falls from 7 at k = -1/4 without bound.
double one_sided_skewness(double k) { return 2 * (1 - k) * std::sqrt(1 + 2 * k) / (1 + 3 * k); }

// RS with one exponent of 0, a generalized Pareto distribution, is on the border of region 3 or 4: one exponent for two
// moments, so that only some have it, the exponential among them.
void search_border(bool l3_is_zero, const Moments& moments, std::vector<LambdaFit>& fits) {
  const double wanted = l3_is_zero ? moments.skewness : -moments.skewness;
  constexpr double kLeast = -0.25;
  if (!(wanted < one_sided_skewness(kLeast))) return;
  double high = 1;
  while (one_sided_skewness(high) > wanted && high < 1e6) high *= 2;
  double k =
      statistics::root_between([&](double at) { return one_sided_skewness(at) - wanted; }, kLeast, high).value_or(high);
  const double kurtosis = 3 * (1 + 2 * k) * (3 - k + 2 * k * k) / ((1 + 3 * k) * (1 + 4 * k));
  if (!(std::abs(kurtosis - moments.kurtosis) <= kWithin * moments.kurtosis)) return;
  // At an exponent of 0 itself RS has no spread: beside it, where Q is evaluated just as well.
  constexpr double kBeside = 1e-15;
  if (std::abs(k) < kBeside) k = kBeside;
  LambdaFit fit = located(LambdaForm::kRs, k > 0 ? 1 : -1, l3_is_zero ? 0 : k, l3_is_zero ? k : 0, moments);
  fit.limit = true;
  if (fit.lambda.valid() && fit.residual <= kWithin) fits.push_back(fit);
}

double from_origin(const LambdaFit& fit) { return std::hypot(fit.lambda.l3, fit.lambda.l4); }

}  // namespace
}  // namespace foretask::distribution

namespace foretask::analysis {

Result<std::vector<LambdaFit>> lambda_fits(const Moments& moments, LambdaForm form) {
  if (!std::isfinite(moments.mean) || !std::isfinite(moments.variance) || !std::isfinite(moments.skewness) ||
      !std::isfinite(moments.kurtosis))
    return Error{"moments that are not finite"};
  if (!(moments.variance > 0)) return Error{"no spread: a generalized lambda distribution needs a variance above 0"};
  const double least = moments.skewness * moments.skewness + 1;
  if (moments.kurtosis < least)
    return Error{"no distribution has these moments: kurtosis " + std::to_string(moments.kurtosis) +
                 " is below skewness^2 + 1 = " + std::to_string(least)};
  std::vector<LambdaFit> fits;
  for (const distribution::LambdaRegion& region : distribution::lambda_regions(form))
    distribution::search(form, region, moments, fits);
  if (form == LambdaForm::kRs) {
    distribution::search_border(true, moments, fits);
    distribution::search_border(false, moments, fits);
  }
  std::stable_sort(fits.begin(), fits.end(), [](const LambdaFit& a, const LambdaFit& b) {
    return distribution::from_origin(a) < distribution::from_origin(b);
  });
  return fits;
}

Result<LambdaFit> best_lambda(const Moments& moments, const std::vector<double>& sorted) {
  std::vector<LambdaFit> fits;
  for (const LambdaForm form : {LambdaForm::kRs, LambdaForm::kFkml}) {
    const Result<std::vector<LambdaFit>> of_form = lambda_fits(moments, form);
    if (!of_form) return of_form.error();
    fits.insert(fits.end(), of_form->begin(), of_form->end());
  }
  if (fits.empty()) return Error{"no generalized lambda distribution has these moments"};
  const auto count = static_cast<double>(sorted.size());
  const LambdaFit* best = &fits.front();
  double least = std::numeric_limits<double>::infinity();
  for (const LambdaFit& fit : fits) {
    double distance = sorted.empty() ? distribution::from_origin(fit) : 0;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const double u = (static_cast<double>(i) + 0.5) / count;
      const double off = fit.lambda.quantile(u) - sorted[i];
      distance += off * off;
      if (distance > least) break;
    }
    if (!(distance < least)) continue;
    best = &fit;
    least = distance;
  }
  return *best;
}

}  // namespace foretask::analysis
