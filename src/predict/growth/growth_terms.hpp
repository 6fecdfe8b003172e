// SPDX-License-Identifier: Apache-2.0
// The terms that laws of growth are sums of, and the exponents that free ones have.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

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

// The share of its prior in that of all.
[[nodiscard]] double law_term_prior(int term);

// What a free exponent multiplies: exp(a + b log n), exp(a + b n).
enum Exponent : int { kExponentOne, kExponentLog, kExponentLinear };
[[nodiscard]] double law_exponent(int exponent, double n);

// What exp of a sum of these is multiplied by: nothing, log n, n, 1 / n, n^n.
enum class Factor { kNone, kLogN, kN, kOneOverN, kNToTheN };
// The logarithm of a factor at n, and a factor's text, such as " log n".
[[nodiscard]] double log_factor(Factor factor, double n);
[[nodiscard]] const char* factor_text(Factor factor);

// n^a, n^a log n and, of what grows faster than any power that algorithms have, c^n with factors: a search among n!
// orders visits (n / e)^n of them, or fewer by a factor c^n.
struct PowerForm {
  std::array<int, 3> exponents;
  int count;
  Factor factor;
  double prior;  // of the form
  bool is_steep;
};
inline constexpr std::array kPowerForms{
    PowerForm{{kExponentOne, kExponentLog}, 2, Factor::kNone, 1.0 / 15, false},
    PowerForm{{kExponentOne, kExponentLog}, 2, Factor::kLogN, 1.0 / 30, false},
    PowerForm{{kExponentOne, kExponentLinear}, 2, Factor::kNone, 1.0 / 3, true},
    PowerForm{{kExponentOne, kExponentLinear, kExponentLog}, 3, Factor::kNone, 1.0 / 3, true},
    PowerForm{{kExponentOne, kExponentLinear}, 2, Factor::kNToTheN, 1.0 / 3, true},
    PowerForm{{kExponentOne, kExponentLinear}, 2, Factor::kN, 1.0 / 6, true},
    PowerForm{{kExponentOne, kExponentLinear}, 2, Factor::kOneOverN, 1.0 / 6, true}};

}  // namespace foretask::predict
