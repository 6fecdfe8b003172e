// SPDX-License-Identifier: Apache-2.0
#include "distribution/fit/lambda_shape.hpp"

#include <algorithm>
#include <cmath>

#include "distribution/family/lambda_terms.hpp"

namespace foretask::distribution {
namespace {

using analysis::LambdaForm;

// Nodes at z = kStretch sinh(t): dense where u^4000 changes, sparse in tails that fall slowly.
constexpr double kStretch = 4;
constexpr double kLeastRate = 1e-4;  // of exp(-rate |z|), fourth powers at an exponent of -1/4 + rate / 4
constexpr double kNothingLeft = 40;  // exp(-40) of a weight is below a rounding

// (e^x - 1) / x, by x; series where it cancels.
double grown_slope(double x, double expm1_x) noexcept {
  if (std::abs(x) > 0.05) return (x * (expm1_x + 1) - expm1_x) / (x * x);
  double sum = 0;
  double power = 0.5;  // x^(k-1) / (k+1)!
  for (int k = 1; k <= 9; ++k) {
    sum += k * power;
    power *= x / (k + 2);
  }
  return sum;
}

}  // namespace

LambdaShapeRule::LambdaShapeRule(double step) : step_(step) {
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

const LambdaShapeRule& LambdaShapeRule::coarse() {
  static const LambdaShapeRule rule(1.0 / 12);
  return rule;
}

const LambdaShapeRule& LambdaShapeRule::fine() {
  static const LambdaShapeRule rule(1.0 / 30);
  return rule;
}

std::size_t LambdaShapeRule::reach(double exponent) const {
  const double rate = std::max(1 + 4 * std::min(exponent, 0.0), kLeastRate);
  return std::min(middle_, static_cast<std::size_t>(std::asinh(kNothingLeft / rate / kStretch) / step_) + 1);
}

void LambdaShapeRule::term(LambdaForm form, bool left, double exponent, std::size_t far, bool with_slope,
                           TermAtNodes& result) const {
  const std::size_t nodes = log_u_.size();
  result.reach = reach(exponent);
  result.value.resize(nodes);
  result.slope.resize(with_slope ? nodes : 0);
  const std::size_t begin = middle_ - (left ? result.reach : far);
  const std::size_t end = middle_ + (left ? far : result.reach);
  const bool rs = form == LambdaForm::kRs;
  for (std::size_t i = begin; i <= end; ++i) {
    const double log_v = log_u_[left ? i : nodes - 1 - i];
    const double x = exponent * log_v;
    const double root = root_[i];
    double value;
    double slope;
    if (x > 1) {  // the power alone may be infinite
      const double grown = std::exp(x + log_root_[i]);
      value = rs ? grown - root : (grown - root) / exponent;
      slope = rs ? log_v * grown : (log_v * grown - value) / exponent;
    } else {
      const double grown = std::expm1(x);
      value = (rs ? grown : exponent == 0 ? log_v : grown / exponent) * root;
      slope = (rs ? log_v * (grown + 1) : log_v * log_v * grown_slope(x, grown)) * root;
    }
    result.value[i] = value;
    if (with_slope) result.slope[i] = slope;
  }
}

LambdaShape LambdaShapeRule::shape(const TermAtNodes& left, const TermAtNodes& right) const {
  const std::size_t begin = middle_ - left.reach;
  const std::size_t end = middle_ + right.reach;
  LambdaShape shape;
  double by[2] = {0, 0};  // of the mean
  const bool with_slopes = !left.slope.empty();
  for (std::size_t i = begin; i <= end; ++i) {
    const double cube = root_[i] * root_[i] * root_[i];
    shape.mean += (left.value[i] - right.value[i]) * cube;
    if (!with_slopes) continue;
    by[0] += left.slope[i] * cube;
    by[1] -= right.slope[i] * cube;
  }
  double second = 0;
  double third = 0;
  double fourth = 0;
  double second_by[2] = {0, 0};
  double third_by[2] = {0, 0};
  double fourth_by[2] = {0, 0};
  for (std::size_t i = begin; i <= end; ++i) {
    const double root = root_[i];
    const double off = left.value[i] - right.value[i] - shape.mean * root;
    const double square = off * off;
    second += square * root * root;
    third += square * off * root;
    fourth += square * square;
    if (!with_slopes) continue;
    const double off_by[2] = {left.slope[i] - by[0] * root, -right.slope[i] - by[1] * root};
    for (int k = 0; k < 2; ++k) {
      second_by[k] += 2 * off * root * root * off_by[k];
      third_by[k] += 3 * square * root * off_by[k];
      fourth_by[k] += 4 * square * off * off_by[k];
    }
  }
  shape.variance = second;
  shape.skewness = third / (second * std::sqrt(second));
  shape.kurtosis = fourth / (second * second);
  for (int k = 0; k < 2; ++k) {
    shape.skewness_by[k] = shape.skewness * (third_by[k] / third - 1.5 * second_by[k] / second);
    if (third == 0) shape.skewness_by[k] = third_by[k] / (second * std::sqrt(second));
    shape.kurtosis_by[k] = shape.kurtosis * (fourth_by[k] / fourth - 2 * second_by[k] / second);
  }
  return shape;
}

LambdaShape LambdaShapeRule::shape(LambdaForm form, double l3, double l4, TermAtNodes& left, TermAtNodes& right) const {
  term(form, true, l3, reach(l4), true, left);
  term(form, false, l4, reach(l3), true, right);
  return shape(left, right);
}

}  // namespace foretask::distribution
