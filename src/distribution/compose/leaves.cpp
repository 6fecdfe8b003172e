// SPDX-License-Identifier: Apache-2.0
#include "distribution/compose/leaves.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/number_text.hpp"
#include "distribution/family/cumulants.hpp"
#include "distribution/family/expectation.hpp"
#include "distribution/family/known_family.hpp"
#include "distribution/family/log_odds.hpp"
#include "distribution/fit/modes.hpp"
#include "distribution/fit/tailed.hpp"
#include "foretask/analysis/gaussian_mixture.hpp"
#include "foretask/analysis/generalized_lambda.hpp"
#include "foretask/analysis/moments.hpp"
#include "statistics/root.hpp"

namespace foretask::distribution {
namespace {

// As they came.
SampleSet sample_set(const SampleData& data) {
  if (!data.ended.empty()) return censored_samples(data.values, data.ended);
  SampleSet set;
  set.values = data.values;
  set.weights = data.weights;
  return set;
}

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

using analysis::ComposeMethod;
using analysis::Moments;

// Two normal parts of one standard deviation, or two values, with these four moments; null where there are none such.
// With v2 of the variance between the parts' means, k4 = k3^2 / v2 - 2 v2^2, which has one root in (0, variance]
// wherever kurtosis >= skewness^2 + 1 and skewness is not 0.
UnivariatePtr two_parts(const analysis::Moments& moments) {
  const Cumulants k = cumulants_of(moments);
  const double v = k[1];
  double between = 0;
  if (k[2] == 0) {
    if (k[3] > 0) return nullptr;
    between = std::min(v, std::sqrt(-k[3] / 2));
  } else {
    const auto off = [&](double v2) { return k[2] * k[2] - v2 * (2 * v2 * v2 + k[3]); };
    between = statistics::root_between(off, 0, v).value_or(v);
  }
  if (!(between > 0)) return make_family(Family::normal, k[0], std::sqrt(v));
  const double skewness = k[2] / (between * std::sqrt(between));  // of the two means: (1 - 2p) / sqrt(p (1 - p))
  const double root = std::hypot(2, skewness);
  const double rarer = 2 / (root * (root + std::fabs(skewness)));  // (1 - |skewness| / root) / 2, which would cancel
  const double below = skewness > 0 ? 1 - rarer : rarer;           // probabilities of the two means
  const double above = skewness > 0 ? rarer : 1 - rarer;
  const double apart = std::sqrt(between / (rarer * (1 - rarer)));
  const double within = v - between;
  const double first = k[0] - above * apart;
  const double second = k[0] + below * apart;
  if (within <= 1e-9 * v) {
    SampleSet two;
    two.values = {first, second};
    two.weights = {below, above};
    return empirical(two);
  }
  analysis::GaussianMixture mixture;
  mixture.parts = {{below, first, std::sqrt(within)}, {above, second, std::sqrt(within)}};
  return mixture_distribution(mixture);
}

std::string text_of(double value) { return base::number_text(value, 6); }

constexpr double kFew = 20;  // measured times

struct Sides {
  bool lower = false;
  bool upper = false;
  [[nodiscard]] bool any() const { return lower || upper; }
};

class Chooser {
 public:
  Chooser(const Program& program, ComposeMethod method) : program_(program), method_(method) {
    leaves_.values.resize(program.steps.size());
    leaves_.plans.resize(program.steps.size());
  }

  Leaves run() {
    for (std::size_t i = 0; i < program_.steps.size(); ++i) {
      const Step& step = program_.steps[i];
      if (step.leaf == nullptr || (step.uses == 0 && i + 1 < program_.steps.size())) continue;
      Value value = step.kind == NodeKind::samples   ? of_samples(step, leaves_.plans[i])
                    : step.kind == NodeKind::moments ? of_moments(step.leaf->moments, leaves_.plans[i])
                                                     : of_family(*step.leaf, leaves_.plans[i]);
      leaves_.values[i] = std::move(value);
    }
    note_unended();
    return std::move(leaves_);
  }

 private:
  void note(std::string text) {
    if (std::find(leaves_.notes.begin(), leaves_.notes.end(), text) == leaves_.notes.end())
      leaves_.notes.push_back(std::move(text));
  }

  void no_lambda(const Moments& moments, const std::string& stand_in) {
    leaves_.no_such_distribution = true;
    note("no generalized lambda distribution has a skewness of " + text_of(moments.skewness) + " and a kurtosis of " +
         text_of(moments.kurtosis) + ": " + stand_in + " stands in for it");
  }

  Value of_moments(const Moments& moments, LeafPlan& plan) {
    plan.as = Taken::lambda;
    const auto fit = analysis::best_lambda(moments);
    Value value;
    if (fit.ok()) {
      value.dist = lambda_distribution(fit.value().lambda);
      value.cumulants = cumulants_of(moments);
      return value;
    }
    value.dist = two_parts(moments);
    value.cumulants = cumulants_of(moments);
    plan.as = Taken::mixture;
    if (value.dist != nullptr) {
      no_lambda(moments, "a mixture of two normal distributions with the four moments");
    } else {
      no_lambda(moments, "a normal distribution with the mean and the variance");
      value.dist = make_family(Family::normal, moments.mean, std::sqrt(moments.variance));
      value.cumulants = {moments.mean, moments.variance, 0, 0};
    }
    return value;
  }

  Value of_family(const analysis::Distribution::Node& node, LeafPlan& plan) {
    Value value = leaf_value(node.kind == NodeKind::lambda    ? lambda_distribution(node.lambda)
                             : node.kind == NodeKind::mixture ? mixture_distribution(node.mixture)
                                                              : make_family(node.family, node.a, node.b));
    if (method_ != ComposeMethod::kLambda || node.kind == NodeKind::lambda) return value;
    const Moments moments = moments_of_cumulants(value.cumulants);
    const auto fit = analysis::best_lambda(moments);
    if (!fit.ok()) {
      no_lambda(moments, "the exact distribution");
      return value;
    }
    plan.as = Taken::lambda;
    value.dist = lambda_distribution(fit.value().lambda);
    return value;
  }

  Value of_samples(const Step& step, LeafPlan& plan) {
    const SampleData& data = *step.leaf->samples;
    const SampleSet set = sample_set(data);
    const auto size = static_cast<double>(data.count);
    plan.as = Taken::empirical;
    if (!(set.values.back() > set.values.front())) return leaf_value(empirical(set));
    if (size < kFew) note(text_of(size) + " measured times are few: their standard errors are rough");
    const bool several = count_modes(set.values, set.weights) > 1;
    if (several) {
      leaves_.several_modes = true;
      note(text_of(size) + " measured times have several modes");
    }
    const double limit = method_ == ComposeMethod::kEmpirical ? size : size / 2;
    const Sides asked{step.lower_reach > limit, step.upper_reach > limit};
    leaves_.beyond_sample = leaves_.beyond_sample || asked.any();
    if (method_ == ComposeMethod::kLambda) {
      plan.as = Taken::lambda;
      if (UnivariatePtr dist = fitted_leaf(set, plan); dist != nullptr) {
        note_reach(step, size, asked, "a lambda distribution of their four moments answers");
        return leaf_value(dist);
      }
      no_lambda(moments_of_cumulants(cumulants_of(*empirical(set))), "what was measured");
      plan.as = Taken::empirical;
      note_reach(step, size, asked, "the outermost of them answer, which is too near");
      return leaf_value(empirical(set));
    }
    UnivariatePtr dist;
    if (method_ == ComposeMethod::kMixture || (method_ == ComposeMethod::kAuto && several && asked.any()))
      dist = as_mixture(step, set, size, asked, plan);
    if (dist == nullptr) dist = as_measured(step, set, size, asked, plan);
    if (data.ended.empty() && data.weights.empty()) {
      plan.drawn_from = plan.as == Taken::empirical ? with_tails(set, true, true).dist
                        : plan.as == Taken::mixture ? tabulated(*dist, kFine)  // whose quantiles cost next to nothing
                                                    : dist;
    }
    return leaf_value(dist);
  }

  UnivariatePtr as_mixture(const Step& step, const SampleSet& set, double size, const Sides& asked, LeafPlan& plan) {
    plan.as = Taken::mixture;
    UnivariatePtr dist = fitted_leaf(set, plan);
    // Times are never below 0. What normal distributions have there is no matter as far as nothing sees it.
    constexpr double kSeen = 1e-6;
    if (dist != nullptr && set.values.front() > 0 &&
        lower(dist->log_odds(0)) * std::max(size, step.lower_reach) > kSeen) {
      if (UnivariatePtr above_zero = with_lower_tail(dist, set); above_zero != nullptr) {
        plan.lower_tail = true;
        dist = std::move(above_zero);
      }
    }
    if (dist == nullptr)
      plan.as = Taken::empirical;
    else
      note_reach(step, size, asked,
                 plan.lower_tail && asked.lower
                     ? "a mixture of normal distributions answers, below which a tail that ends at 0 is fitted"
                     : "a mixture of normal distributions answers");
    return dist;
  }

  UnivariatePtr as_measured(const Step& step, const SampleSet& set, double size, const Sides& asked, LeafPlan& plan) {
    plan.a_bound = asked.any();
    if (method_ == ComposeMethod::kEmpirical || !asked.any()) {
      note_reach(step, size, asked, "the outermost of them answer, which is too near");
      return empirical(set);
    }
    TailedSamples tailed = with_tails(set, asked.lower, asked.upper);
    const Sides found{tailed.lower, tailed.upper};
    const Sides missing{asked.lower && !found.lower, asked.upper && !found.upper};
    plan.lower_tail = found.lower;
    plan.upper_tail = found.upper;
    plan.a_bound = missing.any();
    if (found.any()) plan.as = Taken::tailed;
    note_reach(step, size, found, "a tail fitted to the outermost of them answers");
    note_reach(step, size, missing, "too few times for a tail: the outermost answers, a bound");
    if (tailed.rests_on_one) note("the fitted tail of " + text_of(size) + " measured times rests on one value");
    return tailed.dist;
  }

  void note_reach(const Step& step, double size, const Sides& sides, const std::string& answer) {
    if (!sides.any()) return;
    const double reach = std::max(sides.lower ? step.lower_reach : 0, sides.upper ? step.upper_reach : 0);
    const std::string what = sides.lower && sides.upper ? "minima and maxima" : sides.lower ? "minima" : "maxima";
    note(what + " of " + text_of(reach) + (reach > size ? " ask for more than " : " come near the end of what ") +
         text_of(size) + " measured times show: " + answer);
  }

  // Where the ones that were cut short have a say in the answer.
  void note_unended() {
    std::vector<double> shares(program_.steps.size(), 0);
    for (std::size_t i = 0; i < program_.steps.size(); ++i)
      if (leaves_.values[i].dist != nullptr && program_.steps[i].kind == NodeKind::samples)
        shares[i] = sample_set(*program_.steps[i].leaf->samples).unended_share;
    constexpr double kSeldom = 0.01;
    if (!(share_of_answer(program_, shares) > kSeldom)) return;
    leaves_.beyond_sample = true;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      if (!(shares[i] > 0)) continue;
      const SampleData& data = *program_.steps[i].leaf->samples;
      note("the longest of " + text_of(static_cast<double>(data.count)) + " measured times were cut short: beyond " +
           text_of(*std::max_element(data.values.begin(), data.values.end())) +
           " nothing is known, and the figures are lower bounds");
    }
  }

  const Program& program_;
  ComposeMethod method_;
  Leaves leaves_;
};

}  // namespace

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

Leaves leaves_of(const Program& program, ComposeMethod method) { return Chooser(program, method).run(); }

}  // namespace foretask::distribution
