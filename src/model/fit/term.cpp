// SPDX-License-Identifier: Apache-2.0
#include "model/fit/term.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>
#include <tuple>
#include <utility>

namespace foretask::model {
namespace {

constexpr std::string_view kOperators = "*/^()";
constexpr double kMaxExponent = 9;

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(trim(text)) {}

  Result<Term> parse() {
    if (text_.empty()) return Error{.what = "a term is empty"};
    Term term;
    double sign = 1;
    for (bool first = true;; first = false) {
      auto factor = read_factor();
      if (!factor) return factor.error();
      const bool is_one = factor->parameter == "1" && !factor->is_log;
      if (is_one && (!first || factor->exponent != 1)) return wrong("1 stands only at the beginning");
      if (!is_one) {
        factor->exponent *= sign;
        merge(term, std::move(*factor));
      }
      skip_blanks();
      if (at_ == text_.size()) {
        if (!is_one && term.factors.empty()) return wrong("its factors cancel out");
        return term;
      }
      const char c = text_[at_++];
      if (c != '*' && c != '/') return wrong(std::string("'") + c + "' was not expected");
      if (c == '*' && is_one) return wrong("1 is multiplied by something");
      sign = c == '/' ? -1 : 1;
    }
  }

 private:
  [[nodiscard]] Error wrong(const std::string& why) const {
    return Error{.what = "'" + std::string(text_) + "' is no term: " + why};
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  std::string_view read_name() {
    const std::size_t end = std::min(text_.find_first_of(kOperators, at_), text_.size());
    const std::string_view name = trim(text_.substr(at_, end - at_));
    at_ = end;
    return name;
  }

  Result<Factor> read_factor() {
    Factor factor;
    factor.parameter = read_name();
    if (factor.parameter.empty()) return wrong("a parameter's name is missing");
    if (at_ < text_.size() && text_[at_] == '(') {
      if (factor.parameter != "log") return wrong("there is no function '" + factor.parameter + "', only log");
      ++at_;
      factor.is_log = true;
      factor.parameter = read_name();
      if (factor.parameter.empty()) return wrong("a parameter's name is missing");
      if (at_ == text_.size() || text_[at_] != ')') return wrong("')' is missing");
      ++at_;
      skip_blanks();
    }
    if (at_ < text_.size() && text_[at_] == '^') {
      ++at_;
      skip_blanks();
      const char* const begin = text_.data() + at_;
      const auto [stop, error] = std::from_chars(begin, text_.data() + text_.size(), factor.exponent);
      if (error != std::errc{}) return wrong("a number is missing after '^'");
      at_ += static_cast<std::size_t>(stop - begin);
      if (!(factor.exponent != 0 && std::abs(factor.exponent) <= kMaxExponent))
        return wrong("an exponent is not 0 and lies in -9..9");
    }
    return factor;
  }

  // a*a is a^2.
  static void merge(Term& term, Factor factor) {
    const auto same = std::find_if(term.factors.begin(), term.factors.end(), [&factor](const Factor& other) {
      return other.parameter == factor.parameter && other.is_log == factor.is_log;
    });
    if (same == term.factors.end()) {
      term.factors.push_back(std::move(factor));
    } else {
      same->exponent += factor.exponent;
      if (same->exponent == 0) term.factors.erase(same);
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::string factor_text(const Factor& factor, double exponent) {
  std::string text = factor.is_log ? "log(" + factor.parameter + ")" : factor.parameter;
  if (exponent != 1) {
    char digits[32];
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, exponent);
    text += "^" + std::string(digits, error == std::errc{} ? end : digits);
  }
  return text;
}

double power(double base, double exponent) {
  if (exponent == 1) return base;
  if (exponent == 2) return base * base;
  if (exponent == 3) return base * base * base;
  return std::pow(base, exponent);
}

}  // namespace

bool Term::same_as(const Term& other) const {
  const auto sorted = [](std::vector<Factor> list) {
    std::sort(list.begin(), list.end(), [](const Factor& a, const Factor& b) {
      return std::tie(a.parameter, a.is_log, a.exponent) < std::tie(b.parameter, b.is_log, b.exponent);
    });
    return list;
  };
  return sorted(factors) == sorted(other.factors);
}

Result<Term> parse_term(std::string_view text) { return Parser(text).parse(); }

Result<std::vector<Term>> parse_terms(std::string_view text) {
  std::vector<Term> terms;
  for (;;) {
    const std::size_t comma = std::min(text.find(','), text.size());
    auto term = parse_term(text.substr(0, comma));
    if (!term) return term.error();
    for (const Term& other : terms)
      if (other.same_as(*term)) return Error{.what = "the term '" + term_text(*term) + "' is there twice"};
    terms.push_back(std::move(*term));
    if (comma == text.size()) return terms;
    text.remove_prefix(comma + 1);
  }
}

std::string term_text(const Term& term) {
  std::string text;
  for (const Factor& factor : term.factors)
    if (factor.exponent > 0) text += (text.empty() ? "" : "*") + factor_text(factor, factor.exponent);
  if (text.empty()) text = "1";
  for (const Factor& factor : term.factors)
    if (factor.exponent < 0) text += "/" + factor_text(factor, -factor.exponent);
  return text;
}

Error no_column(const analysis::DataTable& table, std::string_view name) {
  std::string there;
  for (const std::string& other : table.names) there += (there.empty() ? "" : ", ") + other;
  return Error{.what = "there is no column '" + std::string(name) + "'; there are " + there};
}

Result<std::vector<double>> term_values(const Term& term, const analysis::DataTable& table) {
  std::vector<double> values(table.rows(), 1.0);
  for (const Factor& factor : term.factors) {
    const std::vector<double>* const column = table.column(factor.parameter);
    if (column == nullptr) return Error{.what = "there is no column '" + factor.parameter + "'"};
    const bool whole = factor.exponent == std::floor(factor.exponent);
    const bool must_be_positive = factor.is_log || factor.exponent < 0 || !whole;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double x = (*column)[i];
      if (must_be_positive && !(x > 0))
        return Error{.what = "'" + factor.parameter + "' is not above 0 in row " + std::to_string(i)};
      const double base = factor.is_log ? std::log(x) : x;
      if (factor.is_log && factor.exponent < 0 && base == 0)
        return Error{.what = "log(" + factor.parameter + ") is 0 in row " + std::to_string(i)};
      values[i] *= power(base, factor.exponent);
    }
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i])) return Error{.what = "it is too large for a double in row " + std::to_string(i)};
  return values;
}

}  // namespace foretask::model
