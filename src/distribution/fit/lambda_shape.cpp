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

void LambdaShapeRule::term(LambdaForm form, bool left, double exponent, std::size_t far, TermAtNodes& result) const {
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

LambdaShape LambdaShapeRule::shape(const TermAtNodes& left, const TermAtNodes& right) const {
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

LambdaShape LambdaShapeRule::shape(LambdaForm form, double l3, double l4) const {
  TermAtNodes left;
  TermAtNodes right;
  term(form, true, l3, reach(l4), left);
  term(form, false, l4, reach(l3), right);
  return shape(left, right);
}

}  // namespace foretask::distribution
