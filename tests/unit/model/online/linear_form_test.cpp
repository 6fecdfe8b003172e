// SPDX-License-Identifier: Apache-2.0
#include "model/online/linear_model.hpp"

#include <cmath>

#include "catch.hpp"

using namespace foretask::model;

namespace {

const std::vector<std::string> kNames{"m", "n", "k"};

foretask::Result<LinearForm> compiled(const std::string& terms, const std::vector<std::string>& names = kNames) {
  return LinearForm::compile(parse_terms(terms).value(), names);
}

std::vector<double> values(const LinearForm& form, const std::vector<double>& parameters) {
  std::vector<double> out(form.terms());
  form.values(parameters.data(), out.data());
  return out;
}

}  // namespace

TEST_CASE("terms have the values that their text says") {
  const LinearForm form = compiled("1,m*n*k,n^2,log(k),m/n,n*log(n),1/k,m^0.5,k^-2,log(n)^2,m^9").value();
  const double m = 3;
  const double n = 5;
  const double k = 7;
  const std::vector<double> expected{1,        m * n * k,
                                     n * n,    std::log(7),
                                     0.6,      5 * std::log(5),
                                     1 / k,    std::sqrt(3),
                                     1 / 49.0, std::log(5) * std::log(5),
                                     19683};
  const auto got = values(form, {m, n, k});
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == Approx(expected[i]).epsilon(1e-14));
  std::vector<double> coefficients(got.size(), 0);
  coefficients[1] = 2;
  coefficients[6] = 14;
  CHECK(form.sum(std::vector<double>{m, n, k}.data(), coefficients.data()) == Approx(2 * 105 + 2));
}

TEST_CASE("a logarithm of nothing and a division by nothing are no numbers, the other terms are") {
  const auto got = values(compiled("1,log(m),n/m,n").value(), {0, 2, 1});
  CHECK(got[0] == 1);
  CHECK_FALSE(std::isfinite(got[1]));
  CHECK_FALSE(std::isfinite(got[2]));
  CHECK(got[3] == 2);
  CHECK(std::isnan(values(compiled("log(m)").value(), {-1, 2, 1})[0]));
}

TEST_CASE("a kernel without parameters has the constant") {
  const LinearForm form = compiled("1", {}).value();
  CHECK(values(form, {}) == std::vector<double>{1});
}

TEST_CASE("what cannot be compiled is said in words") {
  CHECK(compiled("1,x").error().what == "there is no parameter 'x'");
  CHECK(LinearForm::compile({}, kNames).error().what == "a linear model needs a term");
  std::vector<Term> many;
  for (int i = 1; i <= 17; ++i) many.push_back({{{"m", 0.1 * i, false}}});
  CHECK(LinearForm::compile(many, kNames).error().what == "more than 16 terms");
}

TEST_CASE("sixteen terms of eight parameters with powers of their own are had or refused, never wrong") {
  const std::vector<std::string> names{"a", "b", "c", "d", "e", "f", "g", "h"};
  std::vector<Term> terms;
  for (int i = 0; i < 16; ++i) {
    Term term;
    for (const std::string& name : names) term.factors.push_back({name, 0.25 + 0.125 * i, i % 2 == 1});
    terms.push_back(term);
  }
  CHECK_FALSE(LinearForm::compile(terms, names).ok());
  terms.resize(6);
  const auto form = LinearForm::compile(terms, names);
  REQUIRE(form.ok());
  const auto got = values(*form, {2, 2, 2, 2, 2, 2, 2, 2});
  for (int i = 0; i < 6; ++i)
    CHECK(got[static_cast<std::size_t>(i)] ==
          Approx(std::pow(i % 2 == 1 ? std::log(2.0) : 2.0, 8 * (0.25 + 0.125 * i))).epsilon(1e-12));
}
