// SPDX-License-Identifier: Apache-2.0
#include "distribution/quadrature.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace foretask::distribution;

TEST_CASE("values that have lost their digits near the least double are not refined", "[distribution]") {
  int calls = 0;
  const Integrand integrand = [&](double z, double* values) {
    ++calls;
    values[0] = std::exp(-z);
    return true;
  };
  const Integral integral = integrate(integrand, 1, 735, 744, Place{});
  CHECK(integral.sum[0] < 1e-300);
  CHECK(calls < 1000);
  // Those that have them are.
  CHECK(integrate(integrand, 1, 600, 610, Place{}).sum[0] == Approx(std::exp(-600)).epsilon(1e-4));
}
