// SPDX-License-Identifier: Apache-2.0
#include "predict/growth/growth_terms.hpp"

#include <algorithm>
#include <cmath>

namespace foretask::predict {
namespace {

double log_of(double n) { return std::max(std::log(n), 1e-9); }
double log_log(double n) { return std::log(std::max(std::log(n), 1.0 + 1e-7)); }

double prior_sum() {
  double sum = 0;
  for (const LawTerm& term : kLawTerms) sum += term.prior;
  return sum;
}

}  // namespace

double law_term(int term, double n) {
  const LawTerm& of = kLawTerms[static_cast<std::size_t>(term)];
  double value = std::pow(n, of.power);
  if (of.logs != 0) value *= std::pow(log_of(n), of.logs);
  if (of.log_logs != 0) value *= log_log(n);
  return value;
}

double law_term_prior(int term) {
  static const double sum = prior_sum();
  return kLawTerms[static_cast<std::size_t>(term)].prior / sum;
}

double law_exponent(int exponent, double n) {
  switch (exponent) {
    case kExponentOne:
      return 1;
    case kExponentLog:
      return std::log(n);
    default:
      return n;
  }
}

double log_factor(Factor factor, double n) {
  switch (factor) {
    case Factor::kLogN:
      return std::log(log_of(n));
    case Factor::kN:
      return std::log(n);
    case Factor::kOneOverN:
      return -std::log(n);
    case Factor::kNToTheN:
      return n * std::log(n);
    default:
      return 0;
  }
}

const char* factor_text(Factor factor) {
  switch (factor) {
    case Factor::kLogN:
      return " log n";
    case Factor::kN:
      return " n";
    case Factor::kOneOverN:
      return " / n";
    case Factor::kNToTheN:
      return " n^n";
    default:
      return "";
  }
}

}  // namespace foretask::predict
