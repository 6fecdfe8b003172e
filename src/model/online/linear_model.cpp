// SPDX-License-Identifier: Apache-2.0
#include "model/online/linear_model.hpp"

#include <algorithm>
#include <cmath>

namespace foretask::model {
namespace {

// A whole power up to here is so many multiplications.
constexpr double kMostRepeated = 9;

// What is left of the weight of samples after eight more: some 4,000 are in force.
constexpr double kKeepAll = 1 - 8.0 / 4096;
// Up to so many rows every one of them is followed by a solution.
constexpr double kFewRows = 64;
constexpr unsigned kRowsPerSolution = 8;

}  // namespace

const double* LinearForm::derive_slow(const double* parameters, double* out) const noexcept {
  std::copy_n(parameters, parameters_, out);
  for (std::size_t i = 0; i < derived_.size(); ++i) {
    const Derived& derived = derived_[i];
    const double x = parameters[derived.parameter];
    const double base = derived.is_log ? std::log(x) : x;
    out[parameters_ + i] = derived.exponent == 1    ? base
                           : derived.exponent == -1 ? 1 / base
                                                    : std::pow(base, derived.exponent);
  }
  return out;
}

std::size_t LinearForm::input_of(const Derived& derived) {
  if (!derived.is_log && derived.exponent == 1) return derived.parameter;
  const auto there = std::find(derived_.begin(), derived_.end(), derived);
  const auto index = static_cast<std::size_t>(there - derived_.begin());
  if (there == derived_.end()) derived_.push_back(derived);
  return parameters_ + index;
}

Result<LinearForm> LinearForm::compile(std::span<const Term> terms, std::span<const std::string> names) {
  if (terms.empty()) return Error{.what = "a linear model needs a term"};
  if (terms.size() > kMaxLinearTerms) return Error{.what = "more than " + std::to_string(kMaxLinearTerms) + " terms"};
  LinearForm form;
  form.parameters_ = names.size();
  std::size_t used = 0;
  for (const Term& term : terms) {
    std::size_t count = 0;
    for (const Factor& factor : term.factors) {
      const auto name = std::find(names.begin(), names.end(), factor.parameter);
      if (name == names.end()) return Error{.what = "there is no parameter '" + factor.parameter + "'"};
      Derived derived{.parameter = static_cast<std::uint8_t>(name - names.begin()), .is_log = factor.is_log};
      const bool repeats =
          factor.exponent >= 1 && factor.exponent <= kMostRepeated && factor.exponent == std::floor(factor.exponent);
      if (!repeats) derived.exponent = factor.exponent;
      const std::size_t input = form.input_of(derived);
      if (input >= kMaxInputs) return Error{.what = "its terms are made of too many different factors"};
      const std::size_t times = repeats ? static_cast<std::size_t>(factor.exponent) : 1;
      if (used + times > kMaxFactors) return Error{.what = "its terms have too many factors"};
      std::fill_n(form.inputs_.begin() + static_cast<std::ptrdiff_t>(used), times, static_cast<std::uint8_t>(input));
      used += times;
      count += times;
    }
    form.counts_[form.terms_++] = static_cast<std::uint8_t>(count);
  }
  return form;
}

double LinearModel::weight_of(double expected) const noexcept {
  return power_ == 2 ? 1 / (expected * expected) : 1 / expected;
}

std::optional<double> LinearModel::predict(Parameters parameters) const noexcept {
  if (!can_predict()) return std::nullopt;
  const double time = form_.sum(parameters.data(), solution_.coefficients.data());
  if (!(time > 0) || !std::isfinite(time)) return std::nullopt;
  return time;
}

void LinearModel::learn(Parameters parameters, double time, double expected) noexcept {
  std::array<double, kMaxLinearTerms> row;
  form_.values(parameters.data(), row.data());
  if (!all_finite(std::span(row).first(form_.terms()))) return;
  qr_.add(std::span(row).first(form_.terms()), time, weight_of(std::clamp(expected, time / 4, time * 4)));
  if (qr_.rows() < kFewRows) {
    solve();
  } else if (++since_solved_ == kRowsPerSolution) {
    qr_.forget(kKeepAll);
    solve();
  }
}

void LinearModel::rescale(double factor, double rows) noexcept {
  qr_.scale_target(factor);
  rows = std::max(rows, static_cast<double>(form_.terms()) + 1);
  if (qr_.rows() > rows) qr_.forget(rows / qr_.rows());
  solve();
}

void LinearModel::solve() noexcept {
  solution_ = qr_.solve();
  since_solved_ = 0;
}

}  // namespace foretask::model
