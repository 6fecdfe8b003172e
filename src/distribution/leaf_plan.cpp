// SPDX-License-Identifier: Apache-2.0
#include "distribution/leaf_plan.hpp"

#include <utility>
#include <vector>

#include "distribution/expectation.hpp"
#include "distribution/log_odds.hpp"
#include "distribution/parametric_law.hpp"
#include "distribution/tailed_law.hpp"
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

}  // namespace foretask::distribution
