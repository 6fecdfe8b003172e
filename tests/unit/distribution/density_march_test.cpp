// SPDX-License-Identifier: Apache-2.0
#include "distribution/density_march.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "distribution/family_law.hpp"

using namespace foretask::distribution;

TEST_CASE("points from the density are points of the distribution function", "[distribution]") {
  const auto check = [](Family family, double a, double b) {
    CAPTURE(static_cast<int>(family), a, b);
    const LawPtr law = make_family(family, a, b);
    std::vector<double> z;
    for (double at = -40.25; at < 41; at += 0.5) z.push_back(at);
    const std::size_t asked = z.size();
    std::vector<double> x;
    law->points_near(z, x);
    REQUIRE(z.size() == x.size());
    CHECK(z.size() > 0.8 * static_cast<double>(asked));
    CHECK(std::fabs(z.front() + 40.25) < 3);
    CHECK(std::fabs(z.back() - 40.25) < 3);
    for (std::size_t i = 0; i < z.size(); ++i) {
      if (i > 0) CHECK(z[i] > z[i - 1]);
      if (i > 0) CHECK(z[i] - z[i - 1] < 1.5);
      // Far up a beta law 1 - x has few digits.
      if (family == Family::beta && x[i] > 0.9) continue;
      CHECK(law->log_odds(x[i]) == Approx(z[i]).epsilon(1e-9).margin(1e-9));
    }
  };
  for (const double shape : {0.3, 1.0, 2.5, 100.0, 1e4}) check(Family::gamma, shape, 3);
  check(Family::beta, 0.4, 0.7);
  check(Family::beta, 1, 1);
  check(Family::beta, 2, 5);
  check(Family::beta, 80, 3);
  check(Family::beta, 300, 400);
}
