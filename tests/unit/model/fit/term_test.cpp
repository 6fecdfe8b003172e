// SPDX-License-Identifier: Apache-2.0
#include "model/fit/term.hpp"

#include <cmath>

#include "catch.hpp"

using namespace foretask;
using model::parse_term;

namespace {

const analysis::DataTable kTable{.names = {"a", "b", "tile size"}, .columns = {{1, 2, 4}, {3, 0, -2}, {10, 20, 40}}};

std::vector<double> values_of(const std::string& text) {
  const auto term = parse_term(text);
  REQUIRE(term);
  const auto values = model::term_values(*term, kTable);
  REQUIRE(values);
  return *values;
}

std::string refusal_of(const std::string& text) {
  const auto values = model::term_values(*parse_term(text), kTable);
  REQUIRE_FALSE(values.ok());
  return values.error().what;
}

}  // namespace

TEST_CASE("a term is printed as it is written") {
  for (const std::string text : {"1", "a", "a*b", "b^2", "log(a)", "a/b", "n*log(n)", "1/p", "a^2*b/c^3", "a^0.5",
                                 "tile size", "log(a)^2", "a*b*c"}) {
    const auto term = parse_term(text);
    REQUIRE(term);
    CHECK(model::term_text(*term) == text);
  }
  CHECK(model::term_text(*parse_term(" a * a ")) == "a^2");
  CHECK(model::term_text(*parse_term("a^2/a")) == "a");
  CHECK(parse_term("a*b")->same_as(*parse_term("b*a")));
  CHECK_FALSE(parse_term("a*b")->same_as(*parse_term("a/b")));
}

TEST_CASE("what is no term is refused with a reason") {
  for (const std::string text : {"", "*", "a*", "a**b", "a^", "a^x", "a^0", "a^10", "log(a", "log()", "sin(a)", "a)",
                                 "1*a", "a/1", "a b)", "a/a", "(a)", "a^1e99"}) {
    INFO(text);
    const auto term = parse_term(text);
    REQUIRE_FALSE(term.ok());
    CHECK_FALSE(term.error().what.empty());
  }
  CHECK(model::parse_terms("1,a,b*a,a*b").error().what == "the term 'a*b' is there twice");
  CHECK(model::parse_terms("1,a,a*b,b^2,log(a),a/b")->size() == 6);
}

TEST_CASE("a term's values are the products they say") {
  CHECK(values_of("1") == std::vector<double>{1, 1, 1});
  CHECK(values_of("a*b") == std::vector<double>{3, 0, -8});
  CHECK(values_of("b^3") == std::vector<double>{27, 0, -8});
  CHECK(values_of("b/a") == std::vector<double>{3, 0, -0.5});
  CHECK(values_of("1/a^2") == std::vector<double>{1, 0.25, 0.0625});
  CHECK(values_of("tile size/a") == std::vector<double>{10, 10, 10});
  CHECK(values_of("log(a)") == std::vector<double>{0, std::log(2.0), std::log(4.0)});
  CHECK(values_of("a*log(a)")[2] == 4 * std::log(4.0));
}

TEST_CASE("logarithms and ratios of what is not positive are refused, and say which row") {
  CHECK(refusal_of("log(b)") == "'b' is not above 0 in row 1");
  CHECK(refusal_of("a/b") == "'b' is not above 0 in row 1");
  CHECK(refusal_of("b^0.5") == "'b' is not above 0 in row 1");
  CHECK(refusal_of("1/log(a)") == "log(a) is 0 in row 0");
  CHECK(refusal_of("c") == "there is no column 'c'");
  const analysis::DataTable huge{.names = {"x"}, .columns = {{1, 1e200}}};
  CHECK(model::term_values(*parse_term("x^2"), huge).error().what == "it is too large for a double in row 1");
}
