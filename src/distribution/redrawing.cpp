// SPDX-License-Identifier: Apache-2.0
#include "distribution/redrawing.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "distribution/expectation.hpp"
#include "distribution/log_odds.hpp"
#include "distribution/parametric_law.hpp"
#include "foretask/analysis/gaussian_mixture.hpp"
#include "foretask/analysis/generalized_lambda.hpp"

namespace foretask::distribution {

namespace {

// Without those that weigh nothing, which resampling leaves.
SampleSet those_there(const SampleSet& samples) {
  if (samples.weights.empty()) return samples;
  SampleSet set;
  for (std::size_t i = 0; i < samples.values.size(); ++i) {
    if (!(samples.weights[i] > 0)) continue;
    set.values.push_back(samples.values[i]);
    set.weights.push_back(samples.weights[i]);
  }
  return set;
}

}  // namespace

SampleSet sample_set(const SampleData& data) {
  if (!data.ended.empty()) return censored_samples(data.values, data.ended);
  SampleSet set;
  set.values = data.values;
  set.weights = data.weights;
  return set;
}

LawPtr sample_law(const SampleSet& samples, const LeafPlan& plan) {
  if (plan.as == Taken::tailed) {
    const TailedSamples tailed = tailed_law(samples, plan.lower_tail, plan.upper_tail);
    return tailed.lower == plan.lower_tail && tailed.upper == plan.upper_tail ? tailed.law : nullptr;
  }
  if (plan.as == Taken::mixture) {
    const SampleSet those = those_there(samples);
    const auto fit = analysis::fit_mixture(those.values, those.weights);
    if (!fit.ok()) return nullptr;
    LawPtr law = mixture_law(fit.value());
    return plan.lower_tail ? with_lower_tail(std::move(law), samples) : law;
  }
  if (plan.as == Taken::lambda) {
    const LawPtr law = samples_law(samples);
    std::vector<double> sorted = samples.values;
    if (!samples.weights.empty())  // as many values, at even probabilities
      for (std::size_t i = 0; i < sorted.size(); ++i) {
        const double f = (static_cast<double>(i) + 0.5) / static_cast<double>(sorted.size());
        sorted[i] = law->quantile(z_of(f, 1 - f));
      }
    const auto fit = analysis::best_lambda(moments_of(*law), sorted);
    return fit.ok() ? lambda_law(fit.value().lambda) : nullptr;
  }
  return samples_law(samples);
}

SampleSet redrawn(const SampleData& data, const LeafPlan& plan, std::mt19937_64& random) {
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
