// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/number_text.hpp"
#include "distribution/expression/node.hpp"
#include "distribution/family/empirical.hpp"
#include "foretask/analysis/distribution.hpp"
#include "foretask/result.hpp"
#include "statistics/random.hpp"

namespace foretask::analysis {

using namespace distribution;

namespace {

// How large and small the numbers of a distribution may be, so that what is made of them is a double: fourth powers of
// many copies, squares of third powers.
constexpr double kMostSize = 1e50;  // of a value
constexpr double kLeastSpread = 1e-50;
constexpr double kMostLogarithm = 115;  // of a value
constexpr double kMostSigma = 20;       // of a lognormal distribution: any quantile that is asked for is a double
// Below, most of the mass is at values that are no doubles; above, doubles do not tell the values apart.
constexpr double kLeastShape = 0.01;
constexpr double kLeastWeibullShape = 0.04;  // of smaller ones the quantiles of sums are beyond doubles
constexpr double kMostShape = 1e6;
constexpr double kMostBeta = 1e18;
constexpr double kMostSkewness = 1e3;
constexpr double kMostKurtosis = 1e12;
constexpr double kLeastExponent = -10;  // of a generalized lambda distribution: quantiles are doubles
constexpr double kMostExponent = 1e6;

// A parameter, and where it may be.
struct Parameter {
  std::string name;
  double value;
  double least;
  double most;
};

Parameter place(std::string name, double value) { return {std::move(name), value, -kMostSize, kMostSize}; }
Parameter spread(std::string name, double value) { return {std::move(name), value, kLeastSpread, kMostSize}; }

std::string number(double value) { return base::number_text(value, 6); }

Error wrong(const std::string& family, const std::string& name, const std::string& should, double value) {
  return Error{family + ": " + name + " must be " + should + ", not " + number(value)};
}

// Why not, or nothing: "gamma: the shape must be above 0, not -1".
std::optional<Error> refused(const std::string& family, const Parameter& parameter) {
  const auto& [name, value, least, most] = parameter;
  if (!std::isfinite(value)) return wrong(family, name, "finite", value);
  if (least >= 0 && !(value > 0)) return wrong(family, name, "above 0", value);
  if (!(value >= least && value <= most))
    return wrong(family, name, "from " + number(least) + " to " + number(most), value);
  return std::nullopt;
}

constexpr double kProbabilitySlack = 1e-9;

using NodePtr = std::shared_ptr<const Distribution::Node>;

Result<Distribution> family(Family family, const char* name, const Parameter& a, const Parameter& b = place({}, 0)) {
  for (const Parameter& parameter : {a, b})
    if (const auto error = refused(name, parameter)) return *error;
  auto node = std::make_shared<Distribution::Node>(family == Family::constant ? NodeKind::constant : NodeKind::family);
  node->family = family;
  node->a = a.value;
  node->b = b.value;
  return Distribution(std::move(node));
}

std::uint64_t mixed(std::uint64_t hash, double value) {
  return statistics::mixed_bits(hash, std::bit_cast<std::uint64_t>(value));
}

Distribution of_data(SampleData data) {
  data.hash = statistics::mixed_bits(data.count, data.values.size());
  for (const double value : data.values) data.hash = mixed(data.hash, value);
  for (const double weight : data.weights) data.hash = mixed(data.hash, weight);
  for (const std::uint8_t ended : data.ended) data.hash = statistics::mixed_bits(data.hash, ended);
  auto node = std::make_shared<Distribution::Node>(NodeKind::samples);
  node->samples = std::make_shared<const SampleData>(std::move(data));
  return Distribution(std::move(node));
}

// Nothing where all are well.
std::string wrong_values(const std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!(std::fabs(values[i]) <= kMostSize))
      return "samples: value " + std::to_string(i + 1) + " of " + std::to_string(values.size()) + " is " +
             number(values[i]) + (std::isfinite(values[i]) ? ", beyond " + number(kMostSize) : ", not a finite number");
  return {};
}

std::string wrong_samples(const std::vector<double>& values) {
  if (values.empty()) return "samples: there are none";
  if (std::string what = wrong_values(values); !what.empty()) return what;
  if (values.size() < 2) return "samples: one value says nothing about a distribution; at least two are needed";
  return {};
}

Result<Distribution> of_parts(NodeKind kind, const char* name, std::vector<Distribution> parts) {
  if (parts.empty()) return Error{std::string(name) + ": has no part"};
  auto node = std::make_shared<Distribution::Node>(kind);
  node->children.reserve(parts.size());
  for (const Distribution& part : parts) node->children.push_back(part.node());
  return Distribution(std::move(node));
}

Result<Distribution> order(const char* name, std::uint64_t rank, std::uint64_t n, const Distribution& part) {
  if (n == 0) return Error{std::string(name) + ": N must be 1 at least, not 0"};
  if (n > kMostCopies) return Error{std::string(name) + ": N must be 1e18 at most, not " + std::to_string(n)};
  if (rank == 0 || rank > n)
    return Error{std::string(name) + ": the rank must be from 1 to " + std::to_string(n) + ", not " +
                 std::to_string(rank)};
  auto node = std::make_shared<Distribution::Node>(NodeKind::order);
  node->rank = rank;
  node->n = n;
  node->children.push_back(part.node());
  return Distribution(std::move(node));
}

}  // namespace

Distribution::Node::~Node() {
  NodePtr doomed;
  const auto let_go = [&doomed](std::vector<NodePtr>& parts) {
    for (NodePtr& part : parts) {
      if (part.use_count() != 1) continue;
      // Letting go of a copy comes after what those did who let go before, which use_count() does not see to. A fence
      // would as well, but the thread sanitizer knows none.
      { const NodePtr copy = part; }
      part->next_doomed = std::move(doomed);
      doomed = std::move(part);
    }
    parts.clear();
  };
  let_go(children);
  while (doomed != nullptr) {
    const NodePtr node = std::move(doomed);
    doomed = std::move(node->next_doomed);
    let_go(node->children);
  }
}

Result<Distribution> Distribution::constant(double value) {
  return family(Family::constant, "const", place("its value", value));
}

Result<Distribution> Distribution::uniform(double low, double high) {
  auto made = family(Family::uniform, "uniform", place("the low end", low), place("the high end", high));
  if (!made.ok()) return made;
  if (!(low < high))
    return Error{"uniform: the low end must be below the high end, not " + number(low) + " and " + number(high)};
  if (const auto error = refused("uniform", spread("the distance of its ends", high - low))) return *error;
  return made;
}

Result<Distribution> Distribution::exponential(double mean) {
  return family(Family::exponential, "exp", spread("the mean", mean));
}

Result<Distribution> Distribution::normal(double mean, double sd) {
  return family(Family::normal, "normal", place("the mean", mean), spread("the standard deviation", sd));
}

Result<Distribution> Distribution::lognormal(double mu, double sigma) {
  return family(Family::lognormal, "lognormal", {"mu", mu, -kMostLogarithm, kMostLogarithm},
                {"sigma", sigma, 0, kMostSigma});
}

Result<Distribution> Distribution::gamma(double shape, double scale) {
  return family(Family::gamma, "gamma", {"the shape", shape, kLeastShape, kMostShape}, spread("the scale", scale));
}

Result<Distribution> Distribution::weibull(double shape, double scale) {
  return family(Family::weibull, "weibull", {"the shape", shape, kLeastWeibullShape, kMostShape},
                spread("the scale", scale));
}

Result<Distribution> Distribution::beta(double a, double b) {
  return family(Family::beta, "beta", {"a", a, kLeastShape, kMostBeta}, {"b", b, kLeastShape, kMostBeta});
}

Result<Distribution> Distribution::of_samples(std::vector<double> values) {
  if (std::string what = wrong_samples(values); !what.empty()) return Error{std::move(what)};
  std::sort(values.begin(), values.end());
  SampleData data;
  data.count = values.size();
  data.values = std::move(values);
  return of_data(std::move(data));
}

Result<Distribution> Distribution::of_censored_samples(std::vector<double> values, std::vector<std::uint8_t> ended) {
  if (values.size() != ended.size())
    return Error{"samples: " + std::to_string(values.size()) + " values, but " + std::to_string(ended.size()) +
                 " marks of which ended"};
  if (std::string what = wrong_samples(values); !what.empty()) return Error{std::move(what)};
  if (std::all_of(ended.begin(), ended.end(), [](std::uint8_t mark) { return mark != 0; }))
    return of_samples(std::move(values));
  if (std::all_of(ended.begin(), ended.end(), [](std::uint8_t mark) { return mark == 0; }))
    return Error{"samples: none of them ended, all were cut short"};
  SampleData data;
  data.count = values.size();
  data.values = std::move(values);
  data.ended = std::move(ended);
  return of_data(std::move(data));
}

Result<Distribution> Distribution::of_moments(const Moments& moments) {
  constexpr double kMostVariance = kMostSize * kMostSize;
  if (moments.variance < 0) return wrong("moments", "the variance", "0 at least", moments.variance);
  for (const Parameter& parameter :
       {place("the mean", moments.mean), Parameter{"the variance", moments.variance, -kMostVariance, kMostVariance},
        Parameter{"the skewness", moments.skewness, -kMostSkewness, kMostSkewness},
        Parameter{"the kurtosis", moments.kurtosis, -kMostKurtosis, kMostKurtosis}})
    if (const auto error = refused("moments", parameter)) return *error;
  if (moments.variance == 0) return constant(moments.mean);
  if (const auto error = refused("moments", spread("the standard deviation", std::sqrt(moments.variance))))
    return *error;
  const double least = moments.skewness * moments.skewness + 1;
  if (moments.kurtosis < least * (1 - 1e-12))
    return Error{"moments: no distribution has a kurtosis of " + number(moments.kurtosis) + " with a skewness of " +
                 number(moments.skewness) + ": it is skewness^2 + 1 = " + number(least) + " at least"};
  auto node = std::make_shared<Node>(NodeKind::moments);
  node->moments = moments;
  return Distribution(std::move(node));
}

Result<Distribution> Distribution::of_lambda(const GeneralizedLambda& lambda) {
  if (!lambda.valid()) return Error{"lambda: with these parameters the quantile function does not increase"};
  for (const Parameter& parameter :
       {place("l1", lambda.l1), place("l2", lambda.l2), spread("the size of l2", std::fabs(lambda.l2)),
        Parameter{"l3", lambda.l3, kLeastExponent, kMostExponent},
        Parameter{"l4", lambda.l4, kLeastExponent, kMostExponent}})
    if (const auto error = refused("lambda", parameter)) return *error;
  auto node = std::make_shared<Node>(NodeKind::lambda);
  node->lambda = lambda;
  return Distribution(std::move(node));
}

Result<Distribution> Distribution::of_mixture(const GaussianMixture& mixture) {
  if (mixture.parts.empty()) return Error{"mixture: has no part"};
  double sum = 0;
  for (const MixturePart& part : mixture.parts) {
    if (!(part.weight >= 0 && part.weight <= 1)) return wrong("mixture", "a weight", "in [0, 1]", part.weight);
    for (const Parameter& parameter : {place("a mean", part.mean), spread("a standard deviation", part.sd)})
      if (const auto error = refused("mixture", parameter)) return *error;
    sum += part.weight;
  }
  if (!(std::fabs(sum - 1) <= kProbabilitySlack))
    return Error{"mixture: the weights must sum to 1, not " + number(sum)};
  auto node = std::make_shared<Node>(NodeKind::mixture);
  node->mixture = mixture;
  return Distribution(std::move(node));
}

Result<Distribution> Distribution::sequence(std::vector<Distribution> parts) {
  return of_parts(NodeKind::sequence, "seq", std::move(parts));
}

Result<Distribution> Distribution::branch(std::vector<std::pair<double, Distribution>> cases) {
  if (cases.empty()) return Error{"branch: has no case"};
  auto node = std::make_shared<Node>(NodeKind::branch);
  double sum = 0;
  for (const auto& [probability, part] : cases) {
    if (!(probability >= 0 && probability <= 1))
      return Error{"branch: a probability must be in [0, 1], not " + number(probability)};
    sum += probability;
    node->probabilities.push_back(probability);
    node->children.push_back(part.node());
  }
  if (!(std::fabs(sum - 1) <= kProbabilitySlack)) {
    return Error{"branch: the probabilities must sum to 1, not " + base::number_text(sum, 12)};
  }
  for (double& probability : node->probabilities) probability /= sum;
  return Distribution(std::move(node));
}

Result<Distribution> Distribution::loop(std::uint64_t times, Distribution body) {
  if (times == 0) return constant(0);
  if (times > kMostCopies) return Error{"loop: at most 1e18 times, not " + std::to_string(times)};
  auto node = std::make_shared<Node>(NodeKind::loop);
  node->n = times;
  node->children.push_back(body.node());
  return Distribution(std::move(node));
}

Result<Distribution> Distribution::loop(Distribution times, Distribution body) {
  auto node = std::make_shared<Node>(NodeKind::random_loop);
  node->children = {times.node(), body.node()};
  return Distribution(std::move(node));
}

Result<Distribution> Distribution::all_of(std::uint64_t n, Distribution part) { return order("and", n, n, part); }

Result<Distribution> Distribution::all_of(std::vector<Distribution> parts) {
  return of_parts(NodeKind::all_of, "and", std::move(parts));
}

Result<Distribution> Distribution::first_of(std::uint64_t n, Distribution part) {
  return order("or", n == 0 ? 0 : 1, n, part);
}

Result<Distribution> Distribution::first_of(std::vector<Distribution> parts) {
  return of_parts(NodeKind::first_of, "or", std::move(parts));
}

Result<Distribution> Distribution::nth_of(std::uint64_t rank, std::uint64_t n, Distribution part) {
  return order("nth", rank, n, part);
}

}  // namespace foretask::analysis
