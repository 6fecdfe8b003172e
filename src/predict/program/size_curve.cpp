// SPDX-License-Identifier: Apache-2.0
#include "predict/program/size_curve.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace foretask::predict {

SizeCurve::SizeCurve(const std::vector<double>& sizes, const Eigen::VectorXd& values) {
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    log_sizes_.push_back(std::log(sizes[i]));
    log_values_.push_back(std::log(values[static_cast<Eigen::Index>(i)]));
  }
  const std::size_t first = sizes.size() - std::max<std::size_t>(2, (sizes.size() + 1) / 2);
  const auto count = static_cast<double>(sizes.size() - first);
  double mean_size = 0;
  double mean_value = 0;
  for (std::size_t i = first; i < sizes.size(); ++i) {
    mean_size += log_sizes_[i] / count;
    mean_value += log_values_[i] / count;
  }
  double product = 0;
  double square = 0;
  for (std::size_t i = first; i < sizes.size(); ++i) {
    product += (log_sizes_[i] - mean_size) * (log_values_[i] - mean_value);
    square += (log_sizes_[i] - mean_size) * (log_sizes_[i] - mean_size);
  }
  exponent_ = product / square;
  log_values_.back() = mean_value + exponent_ * (log_sizes_.back() - mean_size);
}

double SizeCurve::at(double n) const {
  const double x = std::log(n);
  if (x >= log_sizes_.back()) return std::exp(log_values_.back() + exponent_ * (x - log_sizes_.back()));
  // The last size not above x, or the first.
  const auto above = std::upper_bound(log_sizes_.begin() + 1, log_sizes_.end() - 1, x);
  const auto i = static_cast<std::size_t>(above - log_sizes_.begin()) - 1;
  const double slope = (log_values_[i + 1] - log_values_[i]) / (log_sizes_[i + 1] - log_sizes_[i]);
  return std::exp(log_values_[i] + slope * (x - log_sizes_[i]));
}

}  // namespace foretask::predict
