// SPDX-License-Identifier: Apache-2.0
#include "statistics/least_squares.hpp"

#include <cmath>

#include "catch.hpp"

namespace {

// Five points, by hand: slope 0.6, constant 2.2, residual sum of squares 2.4 of 6.
const Eigen::Matrix<double, 5, 2> kLine{{1, 1}, {1, 2}, {1, 3}, {1, 4}, {1, 5}};
const Eigen::Vector<double, 5> kTimes{2, 4, 5, 4, 5};

}  // namespace

TEST_CASE("a line through five points is the one found by hand") {
  const auto fit = foretask::statistics::least_squares(kLine, kTimes, {}, true);
  REQUIRE(fit);
  CHECK(fit->coefficients[0] == Approx(2.2).epsilon(1e-14));
  CHECK(fit->coefficients[1] == Approx(0.6).epsilon(1e-14));
  CHECK(fit->rss == Approx(2.4).epsilon(1e-13));
  CHECK(fit->explained == Approx(3.6).epsilon(1e-13));
  CHECK(fit->freedom == 3);
  CHECK(fit->sigma * fit->unscaled_errors[1] == Approx(std::sqrt(0.08)).epsilon(1e-13));
  CHECK(fit->leverage[0] == Approx(0.6).epsilon(1e-13));  // 1/5 + 4/10
  CHECK(fit->leverage.sum() == Approx(2).epsilon(1e-13));
}

TEST_CASE("rows with a small spread count for more") {
  // Two values of one mean: weights 1 and 1/4.
  const auto fit = foretask::statistics::least_squares(Eigen::MatrixXd::Ones(2, 1), Eigen::Vector2d(1, 6),
                                                       Eigen::Vector2d(1, 2), true);
  REQUIRE(fit);
  CHECK(fit->coefficients[0] == Approx(2));
  CHECK(fit->fitted[1] == Approx(2));
  CHECK(fit->residuals[1] == Approx(2));
}

TEST_CASE("columns from 1e-9 to 1e18 give the same fit") {
  Eigen::MatrixXd columns = kLine;
  columns.conservativeResize(Eigen::NoChange, 4);
  columns.col(2) << 1, 4, 9, 16, 25;
  columns.col(3) << 1, -1, 2, -2, 1;
  Eigen::VectorXd y(5);
  y << 1, 3, 2, 7, 8;
  const auto plain = foretask::statistics::least_squares(columns, y, {}, true);
  const Eigen::Vector4d scales(1, 1e-9, 1e18, 1e9);
  const auto scaled = foretask::statistics::least_squares(columns * scales.asDiagonal(), y, {}, true);
  REQUIRE(plain);
  REQUIRE(scaled);
  REQUIRE(scaled->kept.size() == 4);
  for (Eigen::Index j = 0; j < 4; ++j) {
    CHECK(scaled->coefficients[j] * scales[j] == Approx(plain->coefficients[j]).epsilon(1e-10));
    CHECK(scaled->unscaled_errors[j] * scales[j] == Approx(plain->unscaled_errors[j]).epsilon(1e-10));
  }
  const auto tall = foretask::statistics::least_squares(columns, y * 1e250, {}, true);
  CHECK(tall->coefficients[1] == Approx(plain->coefficients[1] * 1e250).epsilon(1e-10));
}

TEST_CASE("of columns that depend on each other the later ones are left out") {
  Eigen::MatrixXd columns(5, 4);
  columns << kLine, 2 * kLine.col(1) + kLine.col(0), Eigen::Vector<double, 5>(3, 1, 4, 1, 5);
  const auto fit = foretask::statistics::least_squares(columns, kTimes, {}, true);
  REQUIRE(fit);
  CHECK(fit->kept == std::vector<Eigen::Index>{0, 1, 3});
  CHECK(fit->dropped == std::vector<Eigen::Index>{2});
  CHECK(fit->coefficients.size() == 3);
}

TEST_CASE("fewer rows than terms are refused in words") {
  const auto fit = foretask::statistics::least_squares(kLine.topRows(2), kTimes.head(2), {}, true);
  REQUIRE_FALSE(fit.ok());
  CHECK(fit.error().what == "2 rows cannot carry a model of 2 terms: one row more than terms is needed");
}
