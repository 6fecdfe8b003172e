// SPDX-License-Identifier: Apache-2.0
// A kernel's time as a linear model of given terms (Agullo et al., RR-9036, equation 3), learned a sample at a time.
// One thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "foretask/result.hpp"
#include "model/fit/term.hpp"
#include "model/online/observation.hpp"
#include "model/online/running_qr.hpp"

namespace foretask::model {

// HOT: terms of a linear model, ready to be evaluated: no strings, no allocation, a multiplication a factor.
class LinearForm {
 public:
  LinearForm() = default;

  // Errors: more than kMaxLinearTerms, or a parameter that is not among `names`, at most kMaxParameters.
  [[nodiscard]] static Result<LinearForm> compile(std::span<const Term> terms, std::span<const std::string> names);

  [[nodiscard]] std::size_t terms() const noexcept { return terms_; }

  // Calls take(i, value) for each term in turn. A value is not finite where the term cannot be had (a logarithm of what
  // is not positive).
  template <typename Take>
  void for_each(const double* parameters, const Take& take) const noexcept {
    std::array<double, kMaxInputs> derived;
    const double* const inputs = derived_.empty() ? parameters : derive_slow(parameters, derived.data());
    const std::uint8_t* input = inputs_.data();
    for (std::size_t i = 0; i < terms_; ++i) {
      double value = 1;
      for (const std::uint8_t* const end = input + counts_[i]; input != end; ++input) value *= inputs[*input];
      take(i, value);
    }
  }

  // The terms' values, one each.
  void values(const double* parameters, double* out) const noexcept {
    for_each(parameters, [out](std::size_t i, double value) { out[i] = value; });
  }

  // Sum of coefficient times term.
  [[nodiscard]] double sum(const double* parameters, const double* coefficients) const noexcept {
    double total = 0;
    for_each(parameters, [&](std::size_t i, double value) { total += coefficients[i] * value; });
    return total;
  }

 private:
  // What is multiplied: a parameter, or something made of one, behind the parameters. A power is its base, repeated.
  struct Derived {
    std::uint8_t parameter = 0;
    bool is_log = false;
    double exponent = 1;

    bool operator==(const Derived&) const = default;
  };
  static constexpr std::size_t kMaxInputs = 64;
  static constexpr std::size_t kMaxFactors = 160;

  // The parameters and what is made of them, into `out`.
  const double* derive_slow(const double* parameters, double* out) const noexcept;

  // The input's number; adds it where it is new.
  [[nodiscard]] std::size_t input_of(const Derived& derived);

  std::size_t terms_ = 0;
  std::array<std::uint8_t, kMaxLinearTerms> counts_{};  // inputs of each term
  std::array<std::uint8_t, kMaxFactors> inputs_{};      // of all terms, in their order
  std::size_t parameters_ = 0;
  std::vector<Derived> derived_;
};

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
