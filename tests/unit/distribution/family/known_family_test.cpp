// SPDX-License-Identifier: Apache-2.0
#include "distribution/family/known_family.hpp"

#include <cmath>

#include "catch.hpp"
#include "distribution/family/expectation.hpp"

using namespace foretask::distribution;

TEST_CASE("quantiles have all digits as far out as doubles go", "[distribution]") {
  // Forty-digit arithmetic.
  const UnivariatePtr normal = make_family(Family::normal, 0, 1);
  CHECK(normal->quantile(-700) == Approx(-37.295079632647417).epsilon(1e-14));
  CHECK(normal->quantile(700) == Approx(37.295079632647417).epsilon(1e-14));
  CHECK(normal->quantile(-50) == Approx(-9.6748252836123565).epsilon(1e-14));
  CHECK(normal->log_odds(-40) == Approx(-804.60844201375379).epsilon(1e-14));
  const UnivariatePtr gamma = make_family(Family::gamma, 0.7, 1);
  CHECK(gamma->quantile(-30) == Approx(2.1278365739850435e-19).epsilon(1e-13));
  CHECK(gamma->quantile(3) == Approx(2.430874068102881).epsilon(1e-13));
  CHECK(gamma->quantile(30) == Approx(28.721779310267648).epsilon(1e-13));
  CHECK(gamma->quantile(650) == Approx(647.79659743811335).epsilon(1e-13));
  const UnivariatePtr beta = make_family(Family::beta, 2, 5);
  CHECK(beta->log_odds(0.1) == Approx(-2.0478974966163221).epsilon(1e-13));
  CHECK(make_family(Family::beta, 0.5, 0.5)->log_odds(0.3) == Approx(-0.53646575710490691).epsilon(1e-12));
  // Closed forms: log1p(exp(z)), and its power 1/shape.
  CHECK(make_family(Family::exponential, 2)->quantile(-600) == Approx(2 * std::exp(-600.0)).epsilon(1e-14));
  CHECK(make_family(Family::exponential, 2)->quantile(600) == Approx(1200).epsilon(1e-15));
  CHECK(make_family(Family::weibull, 1.5, 10)->quantile(-300) == Approx(10 * std::exp(-200.0)).epsilon(1e-13));
  CHECK(make_family(Family::lognormal, 1, 2)->quantile(0) == Approx(std::exp(1.0)).epsilon(1e-15));
  CHECK(make_family(Family::uniform, 3, 5)->quantile(0) == 4);
}

TEST_CASE("the distribution function undoes the quantile function over 1,400 log odds", "[distribution]") {
  const auto check = [](Family family, double a, double b, double from, double to) {
    const UnivariatePtr dist = make_family(family, a, b);
    for (double z = from; z <= to; z += 27.3) {
      CAPTURE(static_cast<int>(family), a, z);
      CHECK(dist->log_odds(dist->quantile(z)) == Approx(z).epsilon(1e-13).margin(1e-13));
    }
  };
  check(Family::uniform, 0, 1, -700, 10);
  check(Family::exponential, 2, 0, -700, 700);
  check(Family::normal, 0, 1, -700, 700);
  check(Family::lognormal, 1, 2, -700, 700);
  check(Family::weibull, 1.5, 10, -700, 700);
  check(Family::gamma, 0.7, 2, -450, 700);  // below it is too small for a double
  check(Family::gamma, 500, 2, -700, 700);
  check(Family::beta, 2, 5, -700, 10);  // near 1 a double has few digits left
  check(Family::beta, 300, 5000, -700, 700);
}

TEST_CASE("outside of its support a distribution has no mass", "[distribution]") {
  CHECK(make_family(Family::exponential, 1)->log_odds(-1) == -kInfinity);
  CHECK(make_family(Family::uniform, 1, 2)->log_odds(3) == kInfinity);
  CHECK(make_family(Family::lognormal, 0, 1)->log_odds(0) == -kInfinity);
  CHECK(make_family(Family::gamma, 2, 1)->quantile(-kInfinity) == 0);
  CHECK(make_family(Family::gamma, 2, 1)->quantile(kInfinity) == kInfinity);
  const UnivariatePtr constant = make_family(Family::constant, 3);
  CHECK(constant->log_odds(3) == kInfinity);
  CHECK(constant->log_odds_below(3) == -kInfinity);
}

TEST_CASE("families' cumulants by formula are those of their quantile functions", "[distribution]") {
  struct Case {
    Family family;
    double a;
    double b;
  };
  for (const Case& one : {Case{Family::constant, 3, 0}, Case{Family::uniform, -1, 4}, Case{Family::exponential, 0.3, 0},
                          Case{Family::normal, 7, 0.5}, Case{Family::lognormal, 0.4, 0.7}, Case{Family::gamma, 0.7, 2},
                          Case{Family::gamma, 40, 0.1}, Case{Family::beta, 5, 2}, Case{Family::beta, 0.5, 0.8}}) {
    const UnivariatePtr of_family = make_family(one.family, one.a, one.b);
    const auto formula = of_family->cumulants();
    REQUIRE(formula);
    const Cumulants dist = integrated_cumulants(*of_family);
    const double sd = std::sqrt(dist[1]);
    double unit = 1;
    for (std::size_t k = 0; k < 4; ++k) {
      INFO("family " << static_cast<int>(one.family) << ", cumulant " << k + 1);
      unit *= sd;
      CHECK(std::abs((*formula)[k] - dist[k]) <= 1e-9 * (std::abs(dist[k]) + unit));
    }
  }
}

TEST_CASE("a Weibull has no formula that keeps its digits", "[distribution]") {
  CHECK_FALSE(make_family(Family::weibull, 20, 1)->cumulants());
}
