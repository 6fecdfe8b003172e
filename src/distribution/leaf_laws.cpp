// SPDX-License-Identifier: Apache-2.0
#include "distribution/leaf_laws.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "distribution/expectation.hpp"
#include "distribution/family_cumulants.hpp"
#include "distribution/family_law.hpp"
#include "distribution/log_odds.hpp"
#include "distribution/modes.hpp"
#include "distribution/parametric_law.hpp"

namespace foretask::distribution {

namespace {

using analysis::ComposeMethod;
using analysis::GaussianMixture;
using analysis::Moments;

std::string text_of(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

Family family_of(NodeKind kind) {
  switch (kind) {
    case NodeKind::uniform:
      return Family::uniform;
    case NodeKind::exponential:
      return Family::exponential;
    case NodeKind::normal:
      return Family::normal;
    case NodeKind::lognormal:
      return Family::lognormal;
    case NodeKind::gamma:
      return Family::gamma;
    case NodeKind::weibull:
      return Family::weibull;
    case NodeKind::beta:
      return Family::beta;
    default:
      return Family::constant;
  }
}

// Two normal parts of one variance with these moments: with v2 of the variance between the parts' means,
// k4 = k3^2 / v2 - 2 v2^2, which has one root in (0, variance] wherever kurtosis >= skewness^2 + 1 and skewness is not
// 0.
LawPtr two_parts(const Moments& moments) {
  const Cumulants k = cumulants_of(moments);
  const double v = k[1];
  double between = 0;
  if (k[2] == 0) {
    if (k[3] > 0) return nullptr;
    between = std::min(v, std::sqrt(-k[3] / 2));
  } else {
    double low = 0;
    double high = v;
    for (int i = 0; i < 200; ++i) {
      between = (low + high) / 2;
      (k[2] * k[2] / between - 2 * between * between > k[3] ? low : high) = between;
    }
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
    return samples_law(two);
  }
  GaussianMixture mixture;
  mixture.parts = {{below, first, std::sqrt(within)}, {above, second, std::sqrt(within)}};
  return mixture_law(mixture);
}

class Chooser {
 public:
  Chooser(const Program& program, ComposeMethod method) : program_(program), method_(method) {
    laws_.values.resize(program.steps.size());
    laws_.plans.resize(program.steps.size());
  }

  Result<LeafLaws> run() {
    for (std::size_t i = 0; i < program_.steps.size(); ++i) {
      const Step& step = program_.steps[i];
      if (step.leaf == nullptr || (step.uses == 0 && i + 1 < program_.steps.size())) continue;
      Value value = step.kind == NodeKind::samples   ? of_samples(step, laws_.plans[i])
                    : step.kind == NodeKind::moments ? of_moments(step.leaf->moments, laws_.plans[i])
                                                     : of_family(*step.leaf, laws_.plans[i]);
      if (value.law == nullptr) return Error{"moments: no distribution that is known here has them"};
      laws_.values[i] = std::move(value);
    }
    return std::move(laws_);
  }

 private:
  void note(std::string text) {
    if (std::find(laws_.notes.begin(), laws_.notes.end(), text) == laws_.notes.end())
      laws_.notes.push_back(std::move(text));
  }

  void no_lambda(const Moments& moments, const std::string& stand_in) {
    laws_.no_such_distribution = true;
    note("no generalized lambda distribution has a skewness of " + text_of(moments.skewness) + " and a kurtosis of " +
         text_of(moments.kurtosis) + ": " + stand_in + " stands in for it");
  }

  Value of_moments(const Moments& moments, LeafPlan& plan) {
    plan.as = Taken::lambda;
    const auto fit = analysis::best_lambda(moments);
    Value value;
    if (fit.ok()) {
      value.law = lambda_law(fit.value().lambda);
      value.cumulants = cumulants_of(moments);
      return value;
    }
    value.law = two_parts(moments);
    value.cumulants = cumulants_of(moments);
    plan.as = Taken::mixture;
    if (value.law != nullptr) {
      no_lambda(moments, "a mixture of two normal distributions with the four moments");
    } else {
      no_lambda(moments, "a normal distribution with the mean and the variance");
      value.law = make_family(Family::normal, moments.mean, std::sqrt(moments.variance));
      value.cumulants = {moments.mean, moments.variance, 0, 0};
    }
    return value;
  }

  Value of_family(const analysis::Distribution::Node& node, LeafPlan& plan) {
    Value value;
    if (node.kind == NodeKind::lambda) {
      value = leaf_value(lambda_law(node.lambda));
    } else if (node.kind == NodeKind::mixture) {
      value.law = mixture_law(node.mixture);
      value.cumulants = cumulants_of(node.mixture.moments());
    } else {
      LawPtr law = make_family(family_of(node.kind), node.a, node.b);
      const auto cumulants = family_cumulants(family_of(node.kind), node.a, node.b);
      if (cumulants) {
        value.law = std::move(law);
        value.cumulants = *cumulants;
      } else {
        value = leaf_value(std::move(law));
      }
    }
    if (method_ != ComposeMethod::kLambda || node.kind == NodeKind::lambda) return value;
    const Moments moments = moments_of_cumulants(value.cumulants);
    const auto fit = analysis::best_lambda(moments);
    if (!fit.ok()) {
      no_lambda(moments, "the exact distribution");
      return value;
    }
    plan.as = Taken::lambda;
    value.law = lambda_law(fit.value().lambda);
    return value;
  }

  Value of_samples(const Step& step, LeafPlan& plan) {
    const SampleData& data = *step.leaf->samples;
    const SampleSet set = sample_set(data);
    const auto size = static_cast<double>(data.count);
    const bool spread = set.values.back() > set.values.front();
    const bool several = spread && count_modes(set.values, set.weights) > 1;
    if (several) {
      laws_.several_modes = true;
      note(text_of(size) + " measured times have several modes");
    }
    plan.as = Taken::empirical;
    const double limit = method_ == ComposeMethod::kEmpirical ? size : size / 2;
    const bool lower = spread && step.lower_reach > limit;
    const bool upper = spread && step.upper_reach > limit;
    if (set.unended_mass)
      note("the longest of " + text_of(size) + " measured times were cut short: beyond " + text_of(set.values.back()) +
           " nothing is known, and the figures are lower bounds");
    if (!spread) return leaf_value(samples_law(set));
    if (method_ == ComposeMethod::kLambda) {
      plan.as = Taken::lambda;
      if (LawPtr law = sample_law(set, plan); law != nullptr) return leaf_value(law);
      no_lambda(moments_of(*samples_law(set)), "what was measured");
      plan.as = Taken::empirical;
      return leaf_value(samples_law(set));
    }
    if (method_ == ComposeMethod::kMixture) {
      plan.as = Taken::mixture;
    } else if (method_ == ComposeMethod::kAuto && (lower || upper)) {
      plan = several ? LeafPlan{Taken::mixture} : LeafPlan{Taken::tailed, lower, upper};
    }
    if (lower || upper) {
      laws_.beyond_sample = true;
      const std::string what = lower && upper ? "minima and maxima" : lower ? "minima" : "maxima";
      const std::string instead = plan.as == Taken::mixture  ? "a mixture of normal distributions answers"
                                  : plan.as == Taken::tailed ? "a tail fitted to the outermost of them answers"
                                                             : "the outermost of them answer, which is too near";
      note(what + " of " + text_of(std::max(step.lower_reach, step.upper_reach)) + " ask for more than " +
           text_of(size) + " measured times show: " + instead);
    }
    LawPtr law = sample_law(set, plan);
    if (law == nullptr) {
      plan.as = Taken::empirical;
      law = samples_law(set);
    }
    if (plan.as == Taken::tailed) {
      plan.drawn_from = law;
    } else if (plan.as == Taken::empirical && data.ended.empty() && data.weights.empty()) {
      plan.drawn_from = tailed_law(set, true, true);
    }
    return leaf_value(law);
  }

  const Program& program_;
  ComposeMethod method_;
  LeafLaws laws_;
};

}  // namespace

Result<LeafLaws> leaf_laws(const Program& program, ComposeMethod method) { return Chooser(program, method).run(); }

SampleSet sample_set(const SampleData& data) {
  if (!data.ended.empty()) return censored_samples(data.values, data.ended);
  SampleSet set;
  set.values = data.values;
  set.weights = data.weights;
  return set;
}

LawPtr sample_law(const SampleSet& samples, const LeafPlan& plan) {
  if (plan.as == Taken::tailed) return tailed_law(samples, plan.lower_tail, plan.upper_tail);
  if (plan.as == Taken::mixture) {
    const auto fit = analysis::fit_mixture(samples.values, samples.weights);
    return fit.ok() ? mixture_law(fit.value()) : nullptr;
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
