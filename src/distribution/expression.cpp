// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>

#include "distribution/node.hpp"
#include "foretask/analysis/distribution.hpp"

namespace foretask::analysis {

using distribution::NodeKind;
using distribution::SampleData;

namespace {

constexpr std::uint64_t kMostCopies = 1'000'000'000'000'000'000;
constexpr double kProbabilitySlack = 1e-9;

using NodePtr = std::shared_ptr<const Distribution::Node>;

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

Distribution leaf(NodeKind kind, double a, double b = 0) {
  auto node = std::make_shared<Distribution::Node>();
  node->kind = kind;
  node->a = a;
  node->b = b;
  return Distribution(std::move(node));
}

// "gamma: shape must be above 0, not -1".
Error wrong(const std::string& family, const std::string& name, const std::string& should, double value) {
  return Error{family + ": " + name + " must be " + should + ", not " + number(value)};
}

Result<Distribution> family(NodeKind kind, const char* name, const char* first, bool first_above_0, double a,
                            const char* second, bool second_above_0, double b) {
  if (!std::isfinite(a)) return wrong(name, first, "finite", a);
  if (!std::isfinite(b)) return wrong(name, second, "finite", b);
  if (first_above_0 && !(a > 0)) return wrong(name, first, "above 0", a);
  if (second_above_0 && !(b > 0)) return wrong(name, second, "above 0", b);
  return leaf(kind, a, b);
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15U;
  return hash ^ (hash >> 29U);
}

std::uint64_t mixed(std::uint64_t hash, double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return mixed(hash, bits);
}

Distribution of_data(SampleData data) {
  data.hash = mixed(data.count, static_cast<std::uint64_t>(data.values.size()));
  for (const double value : data.values) data.hash = mixed(data.hash, value);
  for (const double weight : data.weights) data.hash = mixed(data.hash, weight);
  for (const std::uint8_t ended : data.ended) data.hash = mixed(data.hash, static_cast<std::uint64_t>(ended));
  auto node = std::make_shared<Distribution::Node>();
  node->kind = NodeKind::samples;
  node->samples = std::make_shared<const SampleData>(std::move(data));
  return Distribution(std::move(node));
}

// Nothing where all are well.
std::string wrong_samples(const std::vector<double>& values) {
  if (values.empty()) return "samples: there are none";
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]))
      return "samples: value " + std::to_string(i + 1) + " of " + std::to_string(values.size()) + " is " +
             number(values[i]) + ", not a finite number";
  if (values.size() < 2) return "samples: one value says nothing about a distribution; at least two are needed";
  return {};
}

Result<Distribution> of_parts(NodeKind kind, const char* name, std::vector<Distribution> parts) {
  if (parts.empty()) return Error{std::string(name) + ": has no part"};
  auto node = std::make_shared<Distribution::Node>();
  node->kind = kind;
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
  auto node = std::make_shared<Distribution::Node>();
  node->kind = NodeKind::order;
  node->rank = rank;
  node->n = n;
  node->children.push_back(part.node());
  return Distribution(std::move(node));
}

}  // namespace

Distribution::Node::~Node() {
  std::vector<NodePtr> doomed = std::move(children);
  while (!doomed.empty()) {
    const NodePtr node = std::move(doomed.back());
    doomed.pop_back();
    if (node == nullptr || node.use_count() != 1) continue;
    std::atomic_thread_fence(std::memory_order_acquire);  // with the releases of those that let go of it before
    for (NodePtr& child : node->children) doomed.push_back(std::move(child));
    node->children.clear();
  }
}

Result<Distribution> Distribution::constant(double value) {
  if (!std::isfinite(value)) return wrong("const", "its value", "finite", value);
  return leaf(NodeKind::constant, value);
}

Result<Distribution> Distribution::uniform(double low, double high) {
  auto made = family(NodeKind::uniform, "uniform", "the low end", false, low, "the high end", false, high);
  if (made.ok() && !(low < high))
    return Error{"uniform: the low end must be below the high end, not " + number(low) + " and " + number(high)};
  return made;
}

Result<Distribution> Distribution::exponential(double mean) {
  return family(NodeKind::exponential, "exp", "the mean", true, mean, "", false, 0);
}

Result<Distribution> Distribution::normal(double mean, double sd) {
  return family(NodeKind::normal, "normal", "the mean", false, mean, "the standard deviation", true, sd);
}

Result<Distribution> Distribution::lognormal(double mu, double sigma) {
  return family(NodeKind::lognormal, "lognormal", "mu", false, mu, "sigma", true, sigma);
}

Result<Distribution> Distribution::gamma(double shape, double scale) {
  return family(NodeKind::gamma, "gamma", "the shape", true, shape, "the scale", true, scale);
}

Result<Distribution> Distribution::weibull(double shape, double scale) {
  return family(NodeKind::weibull, "weibull", "the shape", true, shape, "the scale", true, scale);
}

Result<Distribution> Distribution::beta(double a, double b) {
  return family(NodeKind::beta, "beta", "a", true, a, "b", true, b);
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

Result<Distribution> Distribution::of_sketch(const SampleSketch& sketch) {
  if (sketch.count() == 0) return Error{"sketch: there are no samples in it"};
  if (sketch.count() < 2) return Error{"sketch: one sample says nothing about a distribution; two at least are needed"};
  SampleData data;
  data.count = sketch.count();
  for (const SketchCentroid& centroid : sketch.centroids()) {
    data.values.push_back(centroid.mean);
    data.weights.push_back(centroid.weight);
  }
  return of_data(std::move(data));
}

Result<Distribution> Distribution::of_moments(const Moments& moments) {
  for (const auto& [name, value] : {std::pair{"mean", moments.mean}, std::pair{"variance", moments.variance},
                                    std::pair{"skewness", moments.skewness}, std::pair{"kurtosis", moments.kurtosis}})
    if (!std::isfinite(value)) return wrong("moments", std::string("the ") + name, "finite", value);
  if (moments.variance < 0) return wrong("moments", "the variance", "0 at least", moments.variance);
  if (moments.variance == 0) return constant(moments.mean);
  const double least = moments.skewness * moments.skewness + 1;
  if (moments.kurtosis < least * (1 - 1e-12))
    return Error{"moments: no distribution has a kurtosis of " + number(moments.kurtosis) + " with a skewness of " +
                 number(moments.skewness) + ": it is skewness^2 + 1 = " + number(least) + " at least"};
  auto node = std::make_shared<Node>();
  node->kind = NodeKind::moments;
  node->moments = moments;
  return Distribution(std::move(node));
}

Result<Distribution> Distribution::of_lambda(const GeneralizedLambda& lambda) {
  for (const double value : {lambda.l1, lambda.l2, lambda.l3, lambda.l4})
    if (!std::isfinite(value)) return wrong("lambda", "a parameter", "finite", value);
  if (!lambda.valid()) return Error{"lambda: with these parameters the quantile function does not increase"};
  auto node = std::make_shared<Node>();
  node->kind = NodeKind::lambda;
  node->lambda = lambda;
  return Distribution(std::move(node));
}

Result<Distribution> Distribution::of_mixture(const GaussianMixture& mixture) {
  if (mixture.parts.empty()) return Error{"mixture: has no part"};
  double sum = 0;
  for (const MixturePart& part : mixture.parts) {
    if (!(part.weight >= 0 && part.weight <= 1)) return wrong("mixture", "a weight", "in [0, 1]", part.weight);
    if (!std::isfinite(part.mean)) return wrong("mixture", "a mean", "finite", part.mean);
    if (!(part.sd > 0 && std::isfinite(part.sd))) return wrong("mixture", "a standard deviation", "above 0", part.sd);
    sum += part.weight;
  }
  if (!(std::fabs(sum - 1) <= kProbabilitySlack))
    return Error{"mixture: the weights must sum to 1, not " + number(sum)};
  auto node = std::make_shared<Node>();
  node->kind = NodeKind::mixture;
  node->mixture = mixture;
  return Distribution(std::move(node));
}

Result<Distribution> Distribution::sequence(std::vector<Distribution> parts) {
  return of_parts(NodeKind::sequence, "seq", std::move(parts));
}

Result<Distribution> Distribution::branch(std::vector<std::pair<double, Distribution>> cases) {
  if (cases.empty()) return Error{"branch: has no case"};
  auto node = std::make_shared<Node>();
  node->kind = NodeKind::branch;
  double sum = 0;
  for (const auto& [probability, part] : cases) {
    if (!(probability >= 0 && probability <= 1))
      return Error{"branch: a probability must be in [0, 1], not " + number(probability)};
    sum += probability;
    node->probabilities.push_back(probability);
    node->children.push_back(part.node());
  }
  if (!(std::fabs(sum - 1) <= kProbabilitySlack)) {
    char text[32];
    std::snprintf(text, sizeof text, "%.12g", sum);
    return Error{std::string("branch: the probabilities must sum to 1, not ") + text};
  }
  for (double& probability : node->probabilities) probability /= sum;
  return Distribution(std::move(node));
}

Result<Distribution> Distribution::loop(std::uint64_t times, Distribution body) {
  if (times == 0) return constant(0);
  if (times > kMostCopies) return Error{"loop: at most 1e18 times, not " + std::to_string(times)};
  auto node = std::make_shared<Node>();
  node->kind = NodeKind::loop;
  node->n = times;
  node->children.push_back(body.node());
  return Distribution(std::move(node));
}

Result<Distribution> Distribution::loop(Distribution times, Distribution body) {
  auto node = std::make_shared<Node>();
  node->kind = NodeKind::random_loop;
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
