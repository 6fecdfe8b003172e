// SPDX-License-Identifier: Apache-2.0
// A kernel's time as a linear model of given terms (Agullo et al., RR-9036, equation 3), learned a sample at a time.
// One thread.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "model/online/linear_form.hpp"
#include "model/online/observation.hpp"
#include "model/online/running_qr.hpp"

namespace foretask::model {

class LinearModel {
 public:
  // A row's weight is 1 / (expected time)^power: 2 suits noise that is a share of the time. With 1 the predictions of
  // all rows sum up to their times whatever terms are missing, since the fitted time is one of the columns' sums.
  LinearModel(LinearForm form, int power) : form_(std::move(form)), power_(power), qr_(form_.terms()) {}

  [[nodiscard]] const LinearForm& form() const noexcept { return form_; }
  [[nodiscard]] const std::array<double, kMaxLinearTerms>& coefficients() const noexcept {
    return solution_.coefficients;
  }
  // Some terms cannot be told apart by the samples so far.
  [[nodiscard]] bool is_deficient() const noexcept { return solution_.deficient; }
  [[nodiscard]] int power() const noexcept { return power_; }
  [[nodiscard]] const RunningQr& qr() const noexcept { return qr_; }
  [[nodiscard]] RunningQr& qr() noexcept { return qr_; }

  [[nodiscard]] bool can_predict() const noexcept { return qr_.rows() > static_cast<double>(form_.terms()); }

  // Nothing before there are more rows than terms, and where the terms give no time above 0.
  [[nodiscard]] std::optional<double> predict(Parameters parameters) const noexcept;

  // `expected`: the time that it should have taken, for the weight; above 0.
  void learn(Parameters parameters, double time, double expected) noexcept;

  // The kernel became slower by `factor`; what was learned before counts for `rows` samples at most, but for as many as
  // it takes to tell the terms.
  void rescale(double factor, double rows) noexcept;

  // Brings the coefficients up to date; learn() does so for every row at first and then for every eighth.
  void solve() noexcept;

 private:
  [[nodiscard]] double weight_of(double expected) const noexcept;

  LinearForm form_;
  int power_;
  RunningQr qr_;
  RunningQr::Solution solution_;
  unsigned since_solved_ = 0;
};

}  // namespace foretask::model
