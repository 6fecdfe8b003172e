// SPDX-License-Identifier: Apache-2.0
#include "statistics/tails.hpp"

#include <cmath>

#include "catch.hpp"

TEST_CASE("tails and their quantiles are those of the tables") {
  CHECK(foretask::statistics::student_t_two_sided_quantile(0.95, 14) == Approx(2.144786687916927).epsilon(1e-12));
  CHECK(foretask::statistics::student_t_two_sided_quantile(0.95, 1) == Approx(12.706204736174694).epsilon(1e-12));
  CHECK(foretask::statistics::student_t_two_sided(2.144786687916927, 14) == Approx(0.05).epsilon(1e-9));
  CHECK(foretask::statistics::student_t_two_sided(-1, 1) == Approx(0.5).epsilon(1e-12));  // Cauchy
  CHECK(foretask::statistics::chi_squared_tail(3.841458820694124, 1) == Approx(0.05).epsilon(1e-12));
  CHECK(foretask::statistics::chi_squared_tail(2, 2) == Approx(std::exp(-1.0)).epsilon(1e-12));
  CHECK(foretask::statistics::f_tail(1, 7, 7) == Approx(0.5).epsilon(1e-12));
  CHECK(foretask::statistics::binomial_lower_tail(2, 10, 0.5) == Approx(56.0 / 1024).epsilon(1e-12));
}

TEST_CASE("a far tail is small and not 0") {
  CHECK(foretask::statistics::chi_squared_tail(1000, 2) == Approx(std::exp(-500.0)).epsilon(1e-10));
  // Cauchy: 2 / (pi t).
  CHECK(foretask::statistics::student_t_two_sided(1e100, 1) == Approx(2e-100 / 3.141592653589793).epsilon(1e-10));
  CHECK(foretask::statistics::student_t_two_sided(INFINITY, 5) == 0);
  CHECK(std::isnan(foretask::statistics::student_t_two_sided(NAN, 5)));
}
