// SPDX-License-Identifier: Apache-2.0
#include "statistics/statistics.hpp"

#include <catch2/catch.hpp>
#include <cmath>

TEST_CASE("quantiles and tails are those of the tables") {
  CHECK(foretask::statistics::student_t_two_sided_quantile(0.95, 14) == Approx(2.144786687916927).epsilon(1e-12));
  CHECK(foretask::statistics::student_t_two_sided_quantile(0.95, 1) == Approx(12.706204736174694).epsilon(1e-12));
  CHECK(foretask::statistics::student_t_two_sided(2.144786687916927, 14) == Approx(0.05).epsilon(1e-9));
  CHECK(foretask::statistics::student_t_two_sided(-1, 1) == Approx(0.5).epsilon(1e-12));  // Cauchy
  CHECK(foretask::statistics::chi_squared_tail(3.841458820694124, 1) == Approx(0.05).epsilon(1e-12));
  CHECK(foretask::statistics::chi_squared_tail(2, 2) == Approx(std::exp(-1.0)).epsilon(1e-12));
  CHECK(foretask::statistics::f_tail(1, 7, 7) == Approx(0.5).epsilon(1e-12));
}

TEST_CASE("a far tail is small and not 0") {
  CHECK(foretask::statistics::chi_squared_tail(1000, 2) == Approx(std::exp(-500.0)).epsilon(1e-10));
  // Cauchy: 2 / (pi t).
  CHECK(foretask::statistics::student_t_two_sided(1e100, 1) == Approx(2e-100 / 3.141592653589793).epsilon(1e-10));
  CHECK(foretask::statistics::student_t_two_sided(INFINITY, 5) == 0);
  CHECK(std::isnan(foretask::statistics::student_t_two_sided(NAN, 5)));
}

TEST_CASE("medians and the robust scale are those counted by hand") {
  CHECK(foretask::statistics::median({3, 1, 2}) == 2);
  CHECK(foretask::statistics::median({4, 1, 2, 3}) == 2.5);
  CHECK(foretask::statistics::quantile({0, 10, 20, 30}, 0.9) == Approx(27));
  CHECK(foretask::statistics::robust_scale({-1, 1, -2, 2, 1000}) == Approx(2 * 1.4826022));
}
