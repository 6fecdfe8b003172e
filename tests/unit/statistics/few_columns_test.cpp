// SPDX-License-Identifier: Apache-2.0
#include "statistics/few_columns.hpp"

#include "catch.hpp"

namespace foretask::statistics {
namespace {

TEST_CASE("a straight line through four points is that of the normal equations by hand") {
  // x = 1, 2, 3, 4; y = 6, 5, 7, 10: y = 3.5 + 1.4 x (Wikipedia's example of linear least squares).
  FewColumns<3> fit;
  FewColumns<3>::Design design(4, 2);
  design << 1, 1, 1, 2, 1, 3, 1, 4;
  Eigen::VectorXd target(4);
  target << 6, 5, 7, 10;
  REQUIRE(fit.solve(design, target));
  CHECK(fit.coefficients(0) == Approx(3.5).epsilon(1e-12));
  CHECK(fit.coefficients(1) == Approx(1.4).epsilon(1e-12));
  // Residuals 1.1, -1.3, -0.7, 0.9: squares 4.2.
  CHECK(target.squaredNorm() == Approx(4.2).epsilon(1e-12));
  // (X'X)^-1 = [30 -10; -10 4] / 20.
  CHECK(fit.covariance(0, 0) == Approx(1.5).epsilon(1e-12));
  CHECK(fit.covariance(0, 1) == Approx(-0.5).epsilon(1e-12));
  CHECK(fit.covariance(1, 0) == Approx(-0.5).epsilon(1e-12));
  CHECK(fit.covariance(1, 1) == Approx(0.2).epsilon(1e-12));
}

TEST_CASE("columns of very different size are told apart, equal ones are refused") {
  FewColumns<3> fit;
  FewColumns<3>::Design design(4, 2);
  design << 1e-8, 1e12, 1e-8, 2e12, 1e-8, 3e12, 1e-8, 4e12;
  Eigen::VectorXd target(4);
  target << 6, 5, 7, 10;
  REQUIRE(fit.solve(design, target));
  CHECK(fit.coefficients(0) == Approx(3.5e8).epsilon(1e-10));
  CHECK(fit.coefficients(1) == Approx(1.4e-12).epsilon(1e-10));

  design << 1, 2, 2, 4, 3, 6, 4, 8;
  target << 6, 5, 7, 10;
  CHECK_FALSE(fit.solve(design, target));
  FewColumns<3>::Design none = FewColumns<3>::Design::Zero(4, 1);
  CHECK_FALSE(fit.solve(none, target));
}

}  // namespace
}  // namespace foretask::statistics
