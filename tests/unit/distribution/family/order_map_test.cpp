// SPDX-License-Identifier: Apache-2.0
#include "distribution/family/order_map.hpp"

#include <cmath>

#include "catch.hpp"
#include "distribution/family/known_family.hpp"
#include "distribution/family/log_odds.hpp"

using namespace foretask::distribution;

TEST_CASE("order statistics map log odds as sums of binomial terms do", "[distribution]") {
  // Sixty-digit sums over k >= rank of C(n, k) F^k (1 - F)^(n - k).
  CHECK(OrderMap(3, 16).order_of(-5) == Approx(-8.7573387069174484).epsilon(1e-13));
  CHECK(OrderMap(3, 16).order_of(0.5) == Approx(9.7170805152249008).epsilon(1e-13));
  CHECK(OrderMap(3, 16).order_of(-300) == Approx(-893.67206321627081).epsilon(1e-13));
  CHECK(OrderMap(3, 16).order_of(40) == Approx(555.21250825721795).epsilon(1e-13));
  CHECK(OrderMap(500, 1000).order_of(0.1) == Approx(2.8752527131273188).epsilon(1e-12));
  CHECK(OrderMap(2, 1000000000).order_of(-21) == Approx(-1.5417059902381556).epsilon(1e-12));
}

TEST_CASE("maxima and minima of up to 1e18 are exact in both tails", "[distribution]") {
  const std::uint64_t n = 1000000000000000000;
  // F^n with F = 1 - 1e-18: 1/e. And 1 - (1 - F)^n.
  const double rare = std::log(1e18);
  CHECK(OrderMap(n, n).order_of(rare) == Approx(z_of_log_lower(-1)).epsilon(1e-13));
  CHECK(OrderMap(1, n).order_of(-rare) == Approx(z_of_log_upper(-1)).epsilon(1e-13));
  for (const double z : {-600.0, -3.0, 0.0, 3.0, 600.0}) {
    CAPTURE(z);
    CHECK(OrderMap(n, n).order_of(OrderMap(n, n).base_of(z)) == Approx(z).epsilon(1e-13).margin(1e-13));
    CHECK(OrderMap(1, n).order_of(OrderMap(1, n).base_of(z)) == Approx(z).epsilon(1e-13).margin(1e-13));
  }
}

TEST_CASE("the way back from an order statistic undoes the way there", "[distribution]") {
  for (const std::uint64_t n : {3ULL, 100ULL, 1000000000ULL}) {
    for (const std::uint64_t rank : {std::uint64_t{2}, n / 2 + 1, n - 1}) {
      const OrderMap map(rank, n);
      for (const double z : {-500.0, -20.0, -0.7, 0.0, 1.3, 30.0, 500.0}) {
        CAPTURE(n, rank, z);
        CHECK(map.order_of(map.base_of(z)) == Approx(z).epsilon(1e-10).margin(1e-10));
      }
      CHECK(map.base_of(-kInfinity) == -kInfinity);
      CHECK(map.order_of(kInfinity) == kInfinity);
    }
  }
}

TEST_CASE("an order statistic of an order statistic is a distribution with its pieces mapped", "[distribution]") {
  // The minimum of 4 maxima of 8 uniforms: P(<= x) = 1 - (1 - x^8)^4.
  const UnivariatePtr nested = order_statistic(order_statistic(make_family(Family::uniform, 0, 1), 8, 8), 1, 4);
  const double p = 1 - std::pow(1 - std::pow(0.8, 8), 4);
  CHECK(nested->log_odds(0.8) == Approx(std::log(p / (1 - p))).epsilon(1e-13));
  CHECK(nested->quantile(std::log(p / (1 - p))) == Approx(0.8).epsilon(1e-13));
  const UnivariatePtr one = make_family(Family::uniform, 0, 1);
  CHECK(order_statistic(one, 1, 1) == one);
}
