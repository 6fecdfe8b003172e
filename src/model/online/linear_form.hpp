// SPDX-License-Identifier: Apache-2.0
// HOT: terms of a linear model, ready to be evaluated: no strings, no allocation, a few multiplications a term.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "foretask/result.hpp"
#include "model/term.hpp"

namespace foretask::model {

inline constexpr std::size_t kMaxLinearTerms = 16;

class LinearForm {
 public:
  LinearForm() = default;

  // Errors: more than kMaxLinearTerms, or a parameter that is not among `names`.
  [[nodiscard]] static Result<LinearForm> compile(std::span<const Term> terms, std::span<const std::string> names);

  [[nodiscard]] std::size_t terms() const noexcept { return terms_; }

  // The terms' values, one each. Not finite where a term cannot be had (a logarithm of what is not positive).
  void values(const double* parameters, double* out) const noexcept {
    const Factor* factor = factors_.data();
    for (std::size_t i = 0; i < terms_; ++i) {
      double value = 1;
      for (const Factor* const end = factor + counts_[i]; factor != end; ++factor)
        value *= evaluate(*factor, parameters[factor->parameter]);
      out[i] = value;
    }
  }

  // Sum of coefficient times term.
  [[nodiscard]] double sum(const double* parameters, const double* coefficients) const noexcept {
    const Factor* factor = factors_.data();
    double total = 0;
    for (std::size_t i = 0; i < terms_; ++i) {
      double value = coefficients[i];
      for (const Factor* const end = factor + counts_[i]; factor != end; ++factor)
        value *= evaluate(*factor, parameters[factor->parameter]);
      total += value;
    }
    return total;
  }

 private:
  enum class Kind : std::uint8_t { kItself, kSquare, kCube, kReciprocal, kLog, kPower, kLogPower };

  struct Factor {
    Kind kind = Kind::kItself;
    std::uint8_t parameter = 0;
    double exponent = 1;
  };

  [[nodiscard]] static double evaluate(const Factor& factor, double x) noexcept {
    switch (factor.kind) {
      case Kind::kItself:
        return x;
      case Kind::kSquare:
        return x * x;
      case Kind::kCube:
        return x * x * x;
      case Kind::kReciprocal:
        return 1 / x;
      case Kind::kLog:
        return std::log(x);
      case Kind::kPower:
        return std::pow(x, factor.exponent);
      case Kind::kLogPower:
        return std::pow(std::log(x), factor.exponent);
    }
    return 0;
  }

  static Factor compile(const model::Factor& factor, std::size_t parameter) noexcept;

  std::size_t terms_ = 0;
  std::array<std::uint8_t, kMaxLinearTerms> counts_{};  // factors of each term
  std::vector<Factor> factors_;                         // of all terms, in their order
};

}  // namespace foretask::model
