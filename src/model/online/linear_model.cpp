// SPDX-License-Identifier: Apache-2.0
#include "model/online/linear_model.hpp"

#include <algorithm>
#include <cmath>

namespace foretask::model {
namespace {

// What is left of the weight of samples after eight more: some 4,000 are in force.
constexpr double kKeepAll = 1 - 8.0 / 4096;
// Up to so many rows every one of them is followed by a solution.
constexpr double kFewRows = 64;
constexpr unsigned kRowsPerSolution = 8;

}  // namespace

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
