// SPDX-License-Identifier: Apache-2.0
// HOT: terms of a linear model, ready to be evaluated: no strings, no allocation, a multiplication a factor.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "foretask/result.hpp"
#include "model/fit/term.hpp"

namespace foretask::model {

inline constexpr std::size_t kMaxLinearTerms = 16;

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

}  // namespace foretask::model
