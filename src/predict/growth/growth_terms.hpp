// SPDX-License-Identifier: Apache-2.0
// The terms that laws of growth are sums of, powers with free exponents, and a law of these, fitted.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "statistics/few_columns.hpp"

namespace foretask::predict {

// n^power (log n)^logs (log log n)^log_logs. `prior` is how often such a term is met in the costs of algorithms,
// relative to the others; `partner` the term beside which it may be negative, as n is in n log(n / 8).
struct LawTerm {
  const char* name;
  double power;
  double logs;
  double log_logs;
  double prior;
  int partner;
};

inline constexpr int kNoPartner = -1;
inline constexpr double kLog2Of7 = 2.807354922057604;
inline constexpr std::array kLawTerms{LawTerm{"1", 0, 0, 0, 1, kNoPartner},
                                      LawTerm{"log n", 0, 1, 0, 0.3, kNoPartner},
                                      LawTerm{"n^0.5", 0.5, 0, 0, 0.1, 3},
                                      LawTerm{"n^0.5 log n", 0.5, 1, 0, 0.05, kNoPartner},
                                      LawTerm{"n", 1, 0, 0, 1, 6},
                                      LawTerm{"n log log n", 1, 0, 1, 0.1, kNoPartner},
                                      LawTerm{"n log n", 1, 1, 0, 1, kNoPartner},
                                      LawTerm{"n log^2 n", 1, 2, 0, 0.3, kNoPartner},
                                      LawTerm{"n^1.5", 1.5, 0, 0, 0.3, 9},
                                      LawTerm{"n^1.5 log n", 1.5, 1, 0, 0.1, kNoPartner},
                                      LawTerm{"n^2", 2, 0, 0, 1, 11},
                                      LawTerm{"n^2 log n", 2, 1, 0, 0.3, kNoPartner},
                                      LawTerm{"n^2.5", 2.5, 0, 0, 0.1, kNoPartner},
                                      LawTerm{"n^2.81", kLog2Of7, 0, 0, 0.3, kNoPartner},  // Strassen's
                                      LawTerm{"n^3", 3, 0, 0, 1, 15},
                                      LawTerm{"n^3 log n", 3, 1, 0, 0.1, kNoPartner}};
inline constexpr int kLawTermCount = static_cast<int>(kLawTerms.size());

// A partner is the same term with one logarithm more.
static_assert(std::all_of(kLawTerms.begin(), kLawTerms.end(), [](const LawTerm& term) {
  if (term.partner == kNoPartner) return true;
  const LawTerm& partner = kLawTerms.at(static_cast<std::size_t>(term.partner));
  return partner.power == term.power && partner.logs == term.logs + 1 && partner.log_logs == term.log_logs;
}));

// Of the number in kLawTerms, at n above 0. log n counts for nothing below 1, log log n below e.
[[nodiscard]] double law_term(int term, double n);

// A power n^a or, of what grows faster than any power that algorithms have, c^n, with n^a beside it or not, times a
// factor n^power (log n)^logs n^(n tower): a search among n! orders visits (n / e)^n of them, or fewer by a factor c^n.
struct PowerForm {
  bool is_steep;       // c^n
  int count;           // exponents, that of exp(1) among them
  const char* factor;  // its text
  double power;
  double logs;
  double tower;
  double prior;  // of the form

  // What the free exponents multiply at n; the first `count` of them count.
  [[nodiscard]] std::array<double, 3> exponents(double n) const { return {1, is_steep ? n : std::log(n), std::log(n)}; }
  [[nodiscard]] double log_factor(double n) const;
};

inline constexpr std::array kPowerForms{
    PowerForm{false, 2, "", 0, 0, 0, 1.0 / 15},   PowerForm{false, 2, " log n", 0, 1, 0, 1.0 / 30},
    PowerForm{true, 2, "", 0, 0, 0, 1.0 / 3},     PowerForm{true, 3, "", 0, 0, 0, 1.0 / 3},
    PowerForm{true, 2, " n^n", 0, 0, 1, 1.0 / 3}, PowerForm{true, 2, " n", 1, 0, 0, 1.0 / 6},
    PowerForm{true, 2, " / n", -1, 0, 0, 1.0 / 6}};

// One law of growth, fitted. Const and thread safe.
struct GrowthForm {
  static constexpr int kMostTerms = 3;
  using Fit = statistics::FewColumns<kMostTerms>;

  enum class Kind {
    kSum,             // of terms, each relative to its value at `scale`
    kPower,           // exp of a sum of exponents, times a factor
    kOffsetPower,     // c0 + c1 (n / scale)^c2
    kOffsetExponent,  // c0 + c1 exp(c2 (n - scale))
    kTasks            // c0 tasks / those at the scale, and a constant c1 or not
  };

  // Of the logarithm of its value, without a misfit.
  struct Estimate {
    double log_value = 0;
    double log_sd = 0;
  };

  Kind kind = Kind::kSum;
  double scale = 1;                  // the largest n
  double tasks = 0;                  // there, of kTasks
  std::vector<int> terms;            // of kSum: numbers of kLawTerms
  const PowerForm* power = nullptr;  // of kPower
  Fit fit;                           // coefficients and their covariance
  double misfit = 0;                 // beside the levels' own deviation (size_misfit.hpp)
  std::vector<double> pull;          // of the levels' residuals on the misfit elsewhere
  double score = 0;                  // -2 log of its weight, but for a constant
  double weight = 0;                 // in the average

  [[nodiscard]] std::size_t parameters() const { return static_cast<std::size_t>(fit.coefficients.size()); }

  // `counted`: for kTasks, the tasks at n over those at the scale.
  [[nodiscard]] Estimate at(double n, const Estimate& counted) const;
  [[nodiscard]] std::string text() const;
};

}  // namespace foretask::predict
