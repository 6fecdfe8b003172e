// SPDX-License-Identifier: Apache-2.0
// A quantity that grows with n, from its values at some n: straight lines in the logarithms between them, beyond the
// largest a power law through the larger half of them, below the smallest the first line on. Const and thread safe.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace foretask::predict {

class SizeCurve {
 public:
  // At least two sizes, rising; sizes and values above 0.
  SizeCurve(const std::vector<double>& sizes, const Eigen::VectorXd& values);

  [[nodiscard]] double at(double n) const;  // n above 0
  [[nodiscard]] double exponent() const { return exponent_; }

 private:
  std::vector<double> log_sizes_;
  std::vector<double> log_values_;  // the last one is the power law's, so that the two meet
  double exponent_ = 0;             // of the power law
};

}  // namespace foretask::predict
