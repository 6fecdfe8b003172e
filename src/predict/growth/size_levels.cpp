// SPDX-License-Identifier: Apache-2.0
#include "predict/growth/size_levels.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "predict/growth/distinct.hpp"

namespace foretask::predict {

SizeLevels::SizeLevels(std::vector<double> sizes, std::vector<double> values)
    : sizes_(std::move(sizes)), logs_(std::move(values)), distinct_(distinct(sizes_)) {
  levels_.resize(distinct_.size());
  counts_.resize(distinct_.size());
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    logs_[i] = std::log(logs_[i]);
    levels_[size_of(sizes_[i])] += logs_[i];
    counts_[size_of(sizes_[i])] += 1;
  }
  for (std::size_t i = 0; i < levels_.size(); ++i) levels_[i] /= counts_[i];
}

std::size_t SizeLevels::size_of(double n) const {
  return static_cast<std::size_t>(std::lower_bound(distinct_.begin(), distinct_.end(), n) - distinct_.begin());
}

std::optional<double> SizeLevels::noise(double parameters) const {
  const std::size_t first = distinct_.size() / 2;
  double squares = 0, free = -parameters;
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    const std::size_t size = size_of(sizes_[i]);
    if (size < first) continue;
    squares += (logs_[i] - levels_[size]) * (logs_[i] - levels_[size]);
    free += 1 - 1 / counts_[size];
  }
  if (free < 1 - 1e-9) return std::nullopt;
  return std::sqrt(squares / free);
}

}  // namespace foretask::predict
