// SPDX-License-Identifier: Apache-2.0
#include "distribution/family/empirical.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "distribution/family/atoms.hpp"

namespace foretask::distribution {

SampleSet plain_samples(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {std::move(values), {}, 0};
}

SampleSet censored_samples(const std::vector<double>& values, const std::vector<std::uint8_t>& ended) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return values[i] < values[j]; });
  SampleSet set;
  const auto all_ended = static_cast<double>(std::count_if(ended.begin(), ended.end(), [](auto e) { return e != 0; }));
  double survival = 1;
  for (std::size_t i = 0; i < order.size();) {
    const double value = values[order[i]];
    const auto at_risk = static_cast<double>(order.size() - i);
    double ends = 0;
    for (; i < order.size() && values[order[i]] == value; ++i) ends += ended[order[i]] != 0;
    if (ends == 0) continue;
    set.values.push_back(value);
    set.weights.push_back(survival * ends / at_risk);
    survival *= (at_risk - ends) / at_risk;
  }
  if (survival > 0) {
    set.unended_share = survival;
    const double last = values[order.back()];
    if (set.values.back() < last) {
      set.values.push_back(last);
      set.weights.push_back(0);
    }
    set.weights.back() += survival;
  }
  for (double& weight : set.weights) weight *= all_ended;
  return set;
}

SampleSet sketch_samples(const std::vector<analysis::SketchCentroid>& centroids) {
  SampleSet set;
  for (const analysis::SketchCentroid& centroid : centroids) {
    set.values.push_back(centroid.mean);
    set.weights.push_back(centroid.weight);
  }
  return set;
}

UnivariatePtr empirical(const SampleSet& samples) { return std::make_shared<const Atoms>(samples); }

}  // namespace foretask::distribution
