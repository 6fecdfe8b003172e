// SPDX-License-Identifier: Apache-2.0
#include "distribution/family/quadrature.hpp"

#include <cmath>

#include "catch.hpp"

using namespace foretask::distribution;

TEST_CASE("values that have lost their digits near the least double are not refined", "[distribution]") {
  int calls = 0;
  const Integrand integrand = [&](double z, Powers& values) {
    ++calls;
    values[0] = std::exp(-z);
    return 1.0;
  };
  Integral integral;
  add_integral(integrand, 735, 744, Place{}, integral);
  CHECK(integral.sum[0] < 1e-300);
  CHECK(calls < 1000);
  // Those that have them are.
  Integral nearer;
  add_integral(integrand, 600, 610, Place{}, nearer);
  CHECK(nearer.sum[0] == Approx(std::exp(-600)).epsilon(1e-4));
}
