// SPDX-License-Identifier: Apache-2.0
#include "model/online/linear_form.hpp"

#include <algorithm>

namespace foretask::model {

LinearForm::Factor LinearForm::compile(const model::Factor& factor, std::size_t parameter) noexcept {
  Factor result{.parameter = static_cast<std::uint8_t>(parameter), .exponent = factor.exponent};
  if (factor.is_log) {
    result.kind = factor.exponent == 1 ? Kind::kLog : Kind::kLogPower;
  } else if (factor.exponent == 1) {
    result.kind = Kind::kItself;
  } else if (factor.exponent == 2) {
    result.kind = Kind::kSquare;
  } else if (factor.exponent == 3) {
    result.kind = Kind::kCube;
  } else if (factor.exponent == -1) {
    result.kind = Kind::kReciprocal;
  } else {
    result.kind = Kind::kPower;
  }
  return result;
}

Result<LinearForm> LinearForm::compile(std::span<const Term> terms, std::span<const std::string> names) {
  if (terms.empty()) return Error{.what = "a linear model needs a term"};
  if (terms.size() > kMaxLinearTerms)
    return Error{.what = "more than " + std::to_string(kMaxLinearTerms) + " terms"};
  LinearForm form;
  for (const Term& term : terms) {
    for (const model::Factor& factor : term.factors) {
      const auto name = std::find(names.begin(), names.end(), factor.parameter);
      if (name == names.end()) return Error{.what = "there is no parameter '" + factor.parameter + "'"};
      form.factors_.push_back(compile(factor, static_cast<std::size_t>(name - names.begin())));
    }
    form.counts_[form.terms_++] = static_cast<std::uint8_t>(term.factors.size());
  }
  return form;
}

}  // namespace foretask::model
