// SPDX-License-Identifier: Apache-2.0
#include "statistics/straight_line.hpp"

#include <vector>

#include "catch.hpp"

using foretask::statistics::straight_line;

TEST_CASE("a straight line through four points, and through weighted ones, by hand") {
  // y = 3.5 + 1.4 x (Wikipedia's example of linear least squares).
  const std::vector<double> x{1, 2, 3, 4}, y{6, 5, 7, 10};
  CHECK(straight_line(x, y).at(0) == Approx(3.5).epsilon(1e-12));
  CHECK(straight_line(x, y).slope == Approx(1.4).epsilon(1e-12));
  // A weight of 2 is a point that is there twice: (1, 0), (1, 0), (3, 3) have the mean (5/3, 1) and the slope 3/2.
  const std::vector<double> where{1, 3}, what{0, 3}, twice{2, 1};
  const auto line = straight_line(where, what, twice);
  CHECK(line.middle == Approx(5.0 / 3));
  CHECK(line.height == Approx(1));
  CHECK(line.slope == Approx(1.5));
  CHECK(straight_line(std::vector<double>{2, 2}, std::vector<double>{1, 3}).at(7) == 2);
}
