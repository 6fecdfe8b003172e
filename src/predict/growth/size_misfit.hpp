// SPDX-License-Identifier: Apache-2.0
// By how much laws of growth are off, beside the noise: a machine is not as fast for all sizes (caches), and cut-offs
// do not fall alike. Half of it is by itself at each size, half alike for sizes that are near each other.
#pragma once

#include <Eigen/Dense>
#include <span>
#include <vector>

namespace foretask::predict {

// A quantity at one size.
struct SizeLevel {
  double n = 0;      // above 0
  double value = 0;  // above 0
  double sd = 0;     // relative standard deviation of `value`, above 0
  double tasks = 0;  // how many made it up; 0: not known
};

// Octaves of the quantity within which a misfit is alike to exp(-1).
inline constexpr double kMisfitOctaves = 3;

// The covariance of the logarithms of levels around a law, and what it does to a fit. Const.
class SizeMisfit {
 public:
  SizeMisfit(std::span<const SizeLevel> levels, double misfit);

  [[nodiscard]] double misfit() const noexcept { return misfit_; }

  // Columns and residuals, a row a level, become uncorrelated with variance 1.
  template <class Matrix>
  void whiten(Matrix& rows) const {
    lower_.triangularView<Eigen::Lower>().solveInPlace(rows);
  }

  // log of the covariance's determinant over that of the levels' own deviations alone.
  [[nodiscard]] double log_determinant() const noexcept { return log_determinant_; }

  // For misfit_at(), of whitened residuals.
  [[nodiscard]] std::vector<double> pull(Eigen::VectorXd whitened) const;

 private:
  double misfit_;
  double log_determinant_ = 0;
  Eigen::MatrixXd lower_;  // Cholesky's
};

// What the misfit at other levels (log2 of their values, rising) says of that at `octave`: mean and variance of the
// logarithm there. `pull` is SizeMisfit's, and of the last so many levels.
struct MisfitThere {
  double mean = 0;
  double variance = 0;
};
[[nodiscard]] MisfitThere misfit_at(double octave, std::span<const double> octaves, std::span<const double> pull,
                                    double misfit);

}  // namespace foretask::predict
