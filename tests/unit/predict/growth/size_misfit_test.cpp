// SPDX-License-Identifier: Apache-2.0
#include "predict/growth/size_misfit.hpp"

#include <cmath>

#include "catch.hpp"

namespace foretask::predict {
namespace {

TEST_CASE("without a misfit each level counts by its own deviation") {
  const std::vector<SizeLevel> levels{{1, 10, 0.1}, {2, 20, 0.2}};
  const SizeMisfit none(levels, 0);
  Eigen::VectorXd rows = Eigen::Vector2d(1, 1);
  none.whiten(rows);
  CHECK(rows(0) == Approx(10));
  CHECK(rows(1) == Approx(5));
  CHECK(none.log_determinant() == Approx(0).margin(1e-12));
  CHECK(none.pull(rows).empty());
}

TEST_CASE("a misfit of levels an octave apart is alike to exp(-1/3), by half of its variance") {
  const std::vector<SizeLevel> levels{{1, 10, 0.01}, {2, 20, 0.01}};
  const SizeMisfit misfit(levels, 0.1);
  // Covariance: 0.0101 on the diagonal, 0.005 exp(-1/3) beside it.
  const double beside = 0.005 * std::exp(-1.0 / 3);
  CHECK(misfit.log_determinant() == Approx(std::log((0.0101 * 0.0101 - beside * beside) / 1e-8)).epsilon(1e-9));
  Eigen::VectorXd residuals = Eigen::Vector2d(0.1, 0.1);
  misfit.whiten(residuals);
  // r' C^-1 r of two equal residuals: 2 r^2 / (diagonal + beside).
  CHECK(residuals.squaredNorm() == Approx(2 * 0.01 / (0.0101 + beside)).epsilon(1e-9));

  const std::vector<double> pull = misfit.pull(residuals);
  const std::vector<double> octaves{std::log2(10.0), std::log2(20.0)};
  // At the second level: what is alike there, 0.005, and 0.005 exp(-1/3) of the first, over diagonal + beside, of 0.1.
  const MisfitThere there = misfit_at(octaves[1], octaves, pull, 0.1);
  CHECK(there.mean == Approx(0.1 * (0.005 + beside) / (0.0101 + beside)).epsilon(1e-9));
  // Far away nothing is known: no mean, all of the variance.
  const MisfitThere far = misfit_at(octaves[1] + 60, octaves, pull, 0.1);
  CHECK(std::abs(far.mean) < 1e-6);
  CHECK(far.variance == Approx(0.01));
}

}  // namespace
}  // namespace foretask::predict
