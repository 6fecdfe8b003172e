// SPDX-License-Identifier: Apache-2.0
#include "distribution/family/log_odds.hpp"

#include "catch.hpp"
#include "distribution/family/univariate.hpp"

using namespace foretask::distribution;

TEST_CASE("log odds and logarithms of probabilities go to and fro without loss in both tails", "[distribution]") {
  for (const double z : {-700.0, -40.0, -1.0, -1e-9, 0.0, 1e-9, 1.0, 40.0, 700.0}) {
    CAPTURE(z);
    // One of the two keeps the digits, the one of the smaller probability.
    const double back = z < 0 ? z_of_log_lower(log_lower(z)) : z_of_log_upper(log_upper(z));
    CHECK(back == Approx(z).epsilon(1e-15).margin(1e-15));
    CHECK(log_lower(z) == log_upper(-z));
  }
  CHECK(lower(std::log(3.0)) == Approx(0.75).epsilon(1e-15));
  CHECK(z_of(3, 1) == Approx(std::log(3.0)).epsilon(1e-15));
  CHECK(z_of(0, 1) == -kInfinity);
  CHECK(z_of(1, 0) == kInfinity);
  CHECK(z_of_log_lower(-kInfinity) == -kInfinity);
  CHECK(z_of_log_lower(0) == kInfinity);
}

TEST_CASE("masses between log odds keep their digits far out in either tail", "[distribution]") {
  CHECK(mass_between(-kInfinity, kInfinity) == 1);
  CHECK(mass_between(0, kInfinity) == 0.5);
  // exp(-100) - exp(-101), and its mirror image.
  CHECK(mass_between(100, 101) == Approx(std::exp(-100.0) * (1 - std::exp(-1.0))).epsilon(1e-14));
  CHECK(mass_between(-101, -100) == Approx(std::exp(-100.0) * (1 - std::exp(-1.0))).epsilon(1e-14));
  CHECK(mass_between(5, 5) == 0);
}
