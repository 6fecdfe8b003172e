// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/distribution_text.hpp"

#include <cmath>
#include <string>

#include "catch.hpp"
#include "foretask/analysis/compose.hpp"

using namespace foretask;
using namespace foretask::analysis;

namespace {

// Files and kernels by name, and how often they were asked for.
struct Sources {
  int files = 0;
  int kernels = 0;

  DistributionSources callables() {
    return {.file = [this](const std::string& text) -> Result<MeasuredTimes> {
              ++files;
              if (text == "three") return MeasuredTimes{{1, 2, 6}, {}};
              if (text == "one") return MeasuredTimes{{1}, {}};
              if (text == "same") return MeasuredTimes{{2, 2, 2}, {}};
              return Error{.what = "'x' is no number", .path = text, .line = 3};
            },
            .kernel = [this](const std::string& text) -> Result<MeasuredTimes> {
              ++kernels;
              if (text == "run/none") return MeasuredTimes{{1, 2}, {0, 0}};
              return MeasuredTimes{{1, 3}, {1, 1}};
            }};
  }
};

double mean_of(const std::string& text) {
  Sources sources;
  const auto made = parse_distribution(text, sources.callables());
  INFO((made ? text : made.error().message()));
  REQUIRE(made.ok());
  const auto result = compose(*made, {.resamplings = 0});
  REQUIRE(result.ok());
  return result->mean;
}

// The first line of an error.
std::string problem(const std::string& text) {
  Sources sources;
  const auto made = parse_expression(text, sources.callables());
  REQUIRE_FALSE(made.ok());
  return made.error().what.substr(0, made.error().what.find('\n'));
}

}  // namespace

// Means by hand: each family's own, sums, weighted sums, and of n exponentials mean/n and mean (1 + 1/2 + ... + 1/n).
TEST_CASE("every function of an expression is what its name says") {
  const auto near = [](double value) { return Approx(value).epsilon(1e-6); };
  CHECK(mean_of("3") == near(3));
  CHECK(mean_of("const(-2)") == near(-2));
  CHECK(mean_of("exp(4)") == near(4));
  CHECK(mean_of("normal(5, 2)") == near(5));
  CHECK(mean_of("uniform(1, 4)") == near(2.5));
  CHECK(mean_of("lognormal(1, 0.5)") == near(std::exp(1.125)));
  CHECK(mean_of("gamma(3, 2)") == near(6));
  CHECK(mean_of("weibull(1, 2)") == near(2));
  CHECK(mean_of("beta(1, 3)") == near(0.25));
  CHECK(mean_of("moments(7, 2, 0.5, 3.5)") == near(7));
  // Q(u) = l1 + (u^1 - (1-u)^3) / l2: l1 + (1/2 - 1/4) / l2; of FKML l1 + ((1/2 - 1)/1 - (1/4 - 1)/3) / l2.
  CHECK(mean_of("gld(2, 0.5, 1, 3)") == near(2.5));
  CHECK(mean_of("fkml(2, 0.5, 1, 3)") == near(1.5));
  CHECK(mean_of("seq(exp(1), 2, exp(3))") == near(6));
  CHECK(mean_of("branch(0.25: exp(4), 0.75: 8)") == near(7));
  CHECK(mean_of("loop(3, exp(2))") == near(6));
  CHECK(mean_of("loop(branch(0.5: 1, 0.5: 4), exp(2))") == near(5));
  CHECK(mean_of("loop(0, exp(2))") == near(0));
  CHECK(mean_of("or(4, exp(2))") == near(0.5));
  CHECK(mean_of("and(3, exp(6))") == near(11));
  CHECK(mean_of("or(exp(1), exp(0.5), exp(1))") == near(0.25));
  CHECK(mean_of("and(exp(1), const(0))") == near(1));
  CHECK(mean_of("nth(2, 3, exp(6))") == near(5));  // 6 (1/3 + 1/2)
  CHECK(mean_of("file:three") == near(3));
  CHECK(mean_of("kernel:run/k") == near(2));
}

TEST_CASE("equal parts are one, and each source is asked once") {
  Sources sources;
  const auto made = parse_expression("or(3, seq(file:three, file:three, kernel:a/b, kernel:a/b))", sources.callables());
  REQUIRE(made.ok());
  CHECK(sources.files == 1);
  CHECK(sources.kernels == 1);
}

TEST_CASE("the outermost copies are handed out, those further in are not") {
  Sources sources;
  const auto first = parse_expression("or(16, exp(2))", sources.callables());
  REQUIRE(first.ok());
  REQUIRE(first->copies);
  CHECK(first->copies->first_ends);
  CHECK(first->copies->n == 16);
  CHECK(compose(first->copies->part)->mean == Approx(2));
  const auto last = parse_expression("and(1e9, exp(2))", sources.callables());
  REQUIRE(last->copies);
  CHECK_FALSE(last->copies->first_ends);
  CHECK(last->copies->n == 1'000'000'000);
  CHECK_FALSE(parse_expression("seq(1, or(16, exp(2)))", sources.callables())->copies);
  CHECK_FALSE(parse_expression("or(exp(1), exp(2))", sources.callables())->copies);
}

TEST_CASE("numbers that cannot be are refused where they stand") {
  CHECK(problem("or(0, exp(1))") == "column 4: the number of copies has to be a whole number from 1 to 1e18, not 0");
  CHECK(problem("and(2.5, exp(1))") ==
        "column 5: the number of copies has to be a whole number from 1 to 1e18, not 2.5");
  CHECK(problem("and(2e18, exp(1))") ==
        "column 5: the number of copies has to be a whole number from 1 to 1e18, not 2e+18");
  CHECK(problem("loop(1.5, 1)") == "column 6: the number of times has to be a whole number from 0 to 1e18, not 1.5");
  CHECK(problem("nth(0, 3, 1)") == "column 5: the rank has to be a whole number from 1 to 1e18, not 0");
  CHECK(problem("nth(4, 3, 1)") == "column 5: there is no 4th to end of 3");
  CHECK(problem("nth(1, exp(3), 1)") == "column 8: the number of copies has to be a whole number from 1 to 1e18");
  CHECK(problem("or(16, exp(1), exp(2))") ==
        "column 4: a number before several parts: write or(N, E) for N times the same, or const(16) for a part that "
        "always takes so long");
  CHECK(problem("exp(exp(1))") == "column 5: exp(MEAN) takes plain numbers");
}

TEST_CASE("probabilities that cannot be are refused") {
  CHECK(problem("seq(1, branch(0.3: normal(2,0.1), 0.6: const(1)))") == "column 8: probabilities sum to 0.9, not 1");
  CHECK(problem("branch(1.5: 1, -0.5: 2)") == "column 8: the probability 1.5 is not from 0 to 1");
  CHECK(problem("branch(-0.5: 1, 1.5: 2)") == "column 8: the probability -0.5 is not from 0 to 1");
}

TEST_CASE("parameters and moments that no distribution has are refused where it stands") {
  for (const char* text : {"exp(0)", "exp(-1)", "normal(1, 0)", "normal(1, -1)", "uniform(2, 1)", "lognormal(0, 0)",
                           "gamma(0, 1)", "weibull(1, 0)", "beta(0, 1)", "moments(1, 1, 2, 4.9)",
                           "moments(1, -1, 0, 3)", "gld(0, -1, 1, 1)", "fkml(0, -1, 1, 1)"}) {
    CAPTURE(text);
    CHECK(problem("seq(1, " + std::string(text) + ")").substr(0, 10) == "column 8: ");
  }
}

TEST_CASE("a source's error is said with the place of its leaf") {
  CHECK(problem("or(2, file:bad)") == "column 7: bad:3: 'x' is no number");
  CHECK(problem("or(2, file:one)").substr(0, 10) == "column 7: ");
  CHECK(problem("kernel:run/none").substr(0, 10) == "column 1: ");
  CHECK(mean_of("file:same") == 2);
  CHECK_FALSE(parse_distribution("file:a", {}).ok());
}

TEST_CASE("a nest of twenty thousand operations is built and let go") {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "or(2,";
  CHECK(parse_distribution(text + "1" + std::string(20'000, ')'), {}).ok());
}
