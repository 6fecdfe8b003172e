// SPDX-License-Identifier: Apache-2.0
// A term of a linear model: 1, or a product of powers and logarithms of parameters. Written as `--terms` takes it: `1`,
// `a`, `a*b`, `b^2`, `log(a)`, `a/b`, `n*log(n)`, `1/p`. Any thread; cold.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foretask/analysis/data_table.hpp"
#include "foretask/result.hpp"

namespace foretask::model {

struct Factor {
  std::string parameter;
  double exponent = 1;  // not 0; negative: it divides
  bool is_log = false;  // log(parameter), natural

  bool operator==(const Factor&) const = default;
};

struct Term {
  std::vector<Factor> factors;  // none: the constant 1

  [[nodiscard]] bool is_constant() const noexcept { return factors.empty(); }
  // `a*b` and `b*a` are the same term.
  [[nodiscard]] bool same_as(const Term& other) const;
};

// Errors say what is wrong with the text; they know no file.
[[nodiscard]] Result<Term> parse_term(std::string_view text);

// Parts at commas, each a term.
[[nodiscard]] Result<std::vector<Term>> parse_terms(std::string_view text);

// parse_term(term_text(t)) is t.
[[nodiscard]] std::string term_text(const Term& term);

// Says that there is no such column, and which ones there are.
[[nodiscard]] Error no_column(const analysis::DataTable& table, std::string_view name);

// A value a row. An error is the reason why the term cannot be had of this table: a column that is not there, a
// logarithm of or a division by what is not positive, a value too large for a double.
[[nodiscard]] Result<std::vector<double>> term_values(const Term& term, const analysis::DataTable& table);

}  // namespace foretask::model
