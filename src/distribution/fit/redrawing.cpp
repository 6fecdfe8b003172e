// SPDX-License-Identifier: Apache-2.0
#include "distribution/fit/redrawing.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "distribution/family/log_odds.hpp"

namespace foretask::distribution {

SampleSet redrawn(const SampleData& data, const LeafPlan& plan, statistics::Random& random) {
  std::uniform_real_distribution<double> uniform(0, 1);
  const std::size_t count = data.values.size();
  if (!data.ended.empty()) {
    std::vector<double> values(count);
    std::vector<std::uint8_t> ended(count);
    bool some = false;
    while (!some)
      for (std::size_t i = 0; i < count; ++i) {
        const auto at = std::min(count - 1, static_cast<std::size_t>(uniform(random) * static_cast<double>(count)));
        values[i] = data.values[at];
        ended[i] = data.ended[at];
        some = some || ended[i] != 0;
      }
    return censored_samples(values, ended);
  }
  if (plan.drawn_from != nullptr && data.weights.empty()) {
    // Uniform ones in order, as sums of exponential ones: nothing to sort.
    std::vector<double> sums(count + 1);
    double sum = 0;
    for (double& at : sums) at = sum += -std::log1p(-uniform(random));
    SampleSet set;
    set.values.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
      set.values.push_back(plan.drawn_from->quantile(z_of(sums[i], sum - sums[i])));
    for (std::size_t i = 1; i < count; ++i) set.values[i] = std::max(set.values[i], set.values[i - 1]);
    return set;
  }
  SampleSet set;
  set.values = data.values;
  set.weights.assign(count, 0);
  if (data.weights.empty()) {
    for (std::size_t i = 0; i < count; ++i)
      set.weights[std::min(count - 1, static_cast<std::size_t>(uniform(random) * static_cast<double>(count)))] += 1;
  } else {  // a centroid as often as it has values, about: Poisson counts
    for (std::size_t i = 0; i < count; ++i)
      set.weights[i] = static_cast<double>(std::poisson_distribution<long>(data.weights[i])(random));
    if (std::all_of(set.weights.begin(), set.weights.end(), [](double w) { return w == 0; }))
      set.weights = data.weights;
  }
  return set;
}

}  // namespace foretask::distribution
