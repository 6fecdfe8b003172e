// SPDX-License-Identifier: Apache-2.0
#include "distribution/fit/leaf_plan.hpp"

#include <utility>
#include <vector>

#include "distribution/family/expectation.hpp"
#include "distribution/family/log_odds.hpp"
#include "distribution/family/parametric.hpp"
#include "distribution/fit/tailed.hpp"
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

UnivariatePtr fitted_leaf(const SampleSet& samples, const LeafPlan& plan) {
  if (plan.as == Taken::tailed) {
    const TailedSamples tailed = with_tails(samples, plan.lower_tail, plan.upper_tail);
    return tailed.lower == plan.lower_tail && tailed.upper == plan.upper_tail ? tailed.dist : nullptr;
  }
  if (plan.as == Taken::mixture) {
    const SampleSet those = those_there(samples);
    const auto fit = analysis::fit_mixture(those.values, those.weights);
    if (!fit.ok()) return nullptr;
    UnivariatePtr dist = mixture_distribution(fit.value());
    return plan.lower_tail ? with_lower_tail(std::move(dist), samples) : dist;
  }
  if (plan.as == Taken::lambda) {
    const UnivariatePtr dist = empirical(samples);
    std::vector<double> sorted = samples.values;
    if (!samples.weights.empty())  // as many values, at even probabilities
      for (std::size_t i = 0; i < sorted.size(); ++i) {
        const double f = (static_cast<double>(i) + 0.5) / static_cast<double>(sorted.size());
        sorted[i] = dist->quantile(z_of(f, 1 - f));
      }
    const auto fit = analysis::best_lambda(moments_of_cumulants(cumulants_of(*dist)), sorted);
    return fit.ok() ? lambda_distribution(fit.value().lambda) : nullptr;
  }
  return empirical(samples);
}

}  // namespace foretask::distribution
