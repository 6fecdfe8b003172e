// SPDX-License-Identifier: Apache-2.0
#include "predict/growth/size_levels.hpp"

#include <cmath>
#include <utility>

#include "statistics/quantile.hpp"

namespace foretask::predict {

double undisturbed(std::vector<double> values) {
  constexpr double kShare = 0.2;
  const auto count = static_cast<double>(values.size());
  return statistics::quantile(std::move(values), std::max(0.0, kShare * (count + 1) - 1) / std::max(1.0, count - 1));
}

std::vector<double> median_deviations(const std::vector<std::vector<double>>& groups) {
  constexpr double kPrior = 3;           // values below a median that the spread of all counts for
  constexpr double kOfAMedian = 1.2533;  // over the standard deviation of a mean
  struct Below {
    double squares = 0;
    double count = 0;
  };
  std::vector<Below> all;
  std::vector<double> spreads;
  for (const std::vector<double>& group : groups) {
    Below below;
    const double middle = statistics::median(group);
    for (const double value : group) {
      if (value >= middle) continue;
      below.squares += std::pow(std::log(value / middle), 2);
      ++below.count;
    }
    if (group.size() > 1) spreads.push_back(below.count > 0 ? std::sqrt(below.squares / below.count) : 0);
    all.push_back(below);
  }
  const double usual = statistics::median(std::move(spreads));
  std::vector<double> deviations;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const double variance = (all[i].squares + kPrior * usual * usual) / (all[i].count + kPrior);
    deviations.push_back(kOfAMedian * std::sqrt(variance / static_cast<double>(groups[i].size())));
  }
  return deviations;
}

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
