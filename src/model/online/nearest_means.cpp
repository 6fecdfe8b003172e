// SPDX-License-Identifier: Apache-2.0
#include "model/online/nearest_means.hpp"

#include <utility>

namespace foretask::model {

// Samples, mean parameter and mean time of each of two, zeros for one that is not there; of one alone no parameter.
std::vector<double> NearestMeans::state() const {
  std::vector<double> values;
  for (std::size_t i = 0; i < most_; ++i) {
    const Point mean = i < means_.size() ? points()[i] : Point{};
    values.push_back(i < means_.size() ? means_.samples(i) : 0);
    if (most_ > 1) values.push_back(mean.x);
    values.push_back(mean.time);
  }
  return values;
}

bool NearestMeans::restore(std::span<const double> state) {
  const std::size_t numbers = most_ > 1 ? 3 : 2;
  if (state.size() != numbers * most_) return false;
  MeanPoints means;
  for (; !state.empty(); state = state.subspan(numbers)) {
    if (state[0] == 0 && means.size() > 0) continue;
    const Point mean{most_ > 1 ? state[1] : 0, state[numbers - 1]};
    if (!(mean.time > 0) || !means.insert(means.size(), state[0], mean)) return false;
  }
  means_ = std::move(means);
  return true;
}

}  // namespace foretask::model
