// SPDX-License-Identifier: Apache-2.0
#include "distribution/family/family_cumulants.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "distribution/family/expectation.hpp"

using namespace foretask::distribution;

TEST_CASE("families' cumulants by formula are those of their quantile functions", "[distribution]") {
  struct Case {
    Family family;
    double a;
    double b;
  };
  for (const Case& one : {Case{Family::constant, 3, 0}, Case{Family::uniform, -1, 4}, Case{Family::exponential, 0.3, 0},
                          Case{Family::normal, 7, 0.5}, Case{Family::lognormal, 0.4, 0.7}, Case{Family::gamma, 0.7, 2},
                          Case{Family::gamma, 40, 0.1}, Case{Family::beta, 5, 2}, Case{Family::beta, 0.5, 0.8}}) {
    const auto formula = family_cumulants(one.family, one.a, one.b);
    REQUIRE(formula);
    const Cumulants dist = cumulants_of_central(central_moments(*make_family(one.family, one.a, one.b)));
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
  CHECK_FALSE(family_cumulants(Family::weibull, 20, 1));
}
