// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <exception>
#include <utility>
#include <vector>

#include "distribution/compose/evaluate.hpp"
#include "distribution/compose/leaves.hpp"
#include "distribution/compose/standard_errors.hpp"
#include "distribution/expression/program.hpp"
#include "distribution/family/univariate.hpp"
#include "foretask/analysis/compose.hpp"

namespace foretask::distribution {
namespace {

constexpr double kFewest = 5;  // measured times that a quantile rests on
constexpr double kSame = 1e-12;

// A leaf whose values come out as they are, but for what is added to them.
struct Seen {
  const SampleData* data = nullptr;
  double shift = 0;
  bool alone = true;  // nothing but this leaf decides
};

std::vector<Seen> leaves_seen(const Program& program) {
  struct Open {
    std::size_t step;
    double shift;
    bool alone;
  };
  std::vector<Seen> seen;
  std::vector<char> visited(program.steps.size(), 0);
  std::vector<Open> open{{program.steps.size() - 1, 0.0, true}};
  while (!open.empty()) {
    const Open at = open.back();
    open.pop_back();
    const Step& step = program.steps[at.step];
    if (visited[at.step] != 0) continue;  // parts that differ in a constant alone: one of them will do
    visited[at.step] = 1;
    if (step.kind == NodeKind::samples) {
      seen.push_back({step.leaf->samples.get(), at.shift, at.alone});
    } else if (step.kind == NodeKind::sequence) {
      if (step.parts.size() == 1 && step.parts[0].count == 1)
        open.push_back({step.parts[0].step, at.shift + step.shift, at.alone});
    } else if (step.kind == NodeKind::order || step.kind == NodeKind::all_of || step.kind == NodeKind::first_of ||
               step.kind == NodeKind::branch) {
      for (const Part& part : step.parts) open.push_back({part.step, at.shift, at.alone && step.parts.size() == 1});
    }
  }
  return seen;
}

bool rests_on_few(const Seen& leaf, double quantile) {
  const SampleData& data = *leaf.data;
  const double x = quantile - leaf.shift;
  const double close = kSame * std::max(std::fabs(quantile), std::fabs(leaf.shift));
  double at_most = 0;
  double at_least = 0;
  double equal = 0;
  double least = kInfinity;
  double most = -kInfinity;
  for (std::size_t i = 0; i < data.values.size(); ++i) {
    const double value = data.values[i];
    least = std::min(least, value);
    most = std::max(most, value);
    if (!data.ended.empty() && data.ended[i] == 0) continue;
    const double weight = data.weights.empty() ? 1 : data.weights[i];
    if (value <= x + close) at_most += weight;
    if (value >= x - close) at_least += weight;
    if (std::fabs(value - x) <= close) equal += weight;
  }
  if (!(least < most) || (!leaf.alone && equal == 0)) return false;
  return at_most <= kFewest || at_least <= kFewest;
}

// For each quantile of the program's answer whether it is, or lies beyond, one of the outermost five measured times of
// a leaf: another sample would put it elsewhere. Seen through order statistics and constants added to them; through
// extremes and branches of several parts where the quantile is a measured time itself. Not through sums, which rest on
// many times. O(samples).
std::array<bool, 9> beyond_support(const Program& program, const std::array<double, 9>& quantiles) {
  std::array<bool, 9> beyond{};
  for (const Seen& leaf : leaves_seen(program))
    for (std::size_t i = 0; i < quantiles.size(); ++i)
      beyond[i] = beyond[i] || (std::isfinite(quantiles[i]) && rests_on_few(leaf, quantiles[i]));
  return beyond;
}

}  // namespace
}  // namespace foretask::distribution

namespace foretask::analysis {

namespace {

using distribution::Leaves;
using distribution::Program;
using distribution::Taken;

constexpr std::array<std::pair<ComposeMethod, std::string_view>, 4> kMethods{{{ComposeMethod::kAuto, "auto"},
                                                                              {ComposeMethod::kEmpirical, "empirical"},
                                                                              {ComposeMethod::kLambda, "gld"},
                                                                              {ComposeMethod::kMixture, "mixture"}}};

constexpr const char* kBeyondDoubles = "the values are beyond what a double holds, 1.8e308";

std::string method_of(const Program& program, const Leaves& leaves, bool exact) {
  constexpr std::array<std::pair<Taken, std::string_view>, 4> kNames{{{Taken::empirical, "empirical"},
                                                                      {Taken::tailed, "empirical with fitted tail"},
                                                                      {Taken::lambda, "gld"},
                                                                      {Taken::mixture, "mixture"}}};
  std::string method;
  for (const auto& [taken, name] : kNames) {
    bool used = false;
    for (std::size_t i = 0; i < program.steps.size(); ++i)
      used = used || (leaves.values[i].dist != nullptr && leaves.plans[i].as == taken);
    if (!used) continue;
    if (!method.empty()) method += " + ";
    method += name;
  }
  if (!method.empty()) return method;
  return exact ? "exact" : "numeric";
}

// Of memory, as a rule: what is below throws for nothing else.
Error failed(const std::exception& failure) { return Error{std::string("composition: ") + failure.what()}; }

}  // namespace

std::string_view compose_method_name(ComposeMethod method) {
  for (const auto& [known, name] : kMethods)
    if (known == method) return name;
  return {};
}

std::optional<ComposeMethod> compose_method_from_name(std::string_view name) {
  for (const auto& [method, known] : kMethods)
    if (known == name) return method;
  return std::nullopt;
}

std::string Composition::status() const {
  std::string text;
  for (const auto& [holds, words] :
       {std::pair{no_such_distribution, "no such distribution"}, std::pair{beyond_sample, "beyond the sample"},
        std::pair{several_modes, "several modes"}}) {
    if (!holds) continue;
    if (!text.empty()) text += ", ";
    text += words;
  }
  return text.empty() ? "ok" : text;
}

Result<Composition> compose(const Distribution& distribution, const ComposeOptions& options) try {
  const Program program = distribution::program_of(distribution);
  Leaves leaves = distribution::leaves_of(program, options.method);
  const distribution::Value value =
      distribution::evaluate(program, leaves.values, distribution::precision_for(program));
  if (!std::isfinite(value.dist->quantile(0))) return Error{kBeyondDoubles};
  const distribution::Figures figures = distribution::figures_of(value);
  const Moments moments = distribution::moments_of_cumulants(value.cumulants);
  Composition composition;
  composition.mean = figures.mean;
  composition.sd = figures.sd;
  composition.skewness = moments.skewness;
  composition.kurtosis = moments.kurtosis;
  composition.moments = figures.moments;
  composition.quantiles = figures.quantiles;
  composition.beyond = distribution::beyond_support(program, figures.quantiles);
  composition.errors = distribution::standard_errors(program, leaves, options.resamplings, options.seed);
  composition.method = method_of(program, leaves, value.exact);
  composition.beyond_sample = leaves.beyond_sample;
  composition.several_modes = leaves.several_modes;
  composition.no_such_distribution = leaves.no_such_distribution;
  composition.notes = std::move(leaves.notes);
  if (!composition.errors && options.resamplings >= 2 && distribution::has_errors(program, leaves))
    composition.notes.emplace_back("no standard errors: too many of the resampled times have no such distribution");
  return composition;
} catch (const std::exception& failure) {
  return failed(failure);
}

Result<std::vector<double>> quantiles_of(const Distribution& distribution, const std::vector<double>& probabilities,
                                         ComposeMethod method) try {
  for (const double p : probabilities)
    if (!(p > 0 && p < 1))
      return Error{"quantile: a probability must be above 0 and below 1, not " + std::to_string(p)};
  const Program program = distribution::program_of(distribution);
  const Leaves leaves = distribution::leaves_of(program, method);
  const distribution::Value value =
      distribution::evaluate(program, leaves.values, distribution::precision_for(program));
  if (!std::isfinite(value.dist->quantile(0))) return Error{kBeyondDoubles};
  std::vector<double> quantiles;
  quantiles.reserve(probabilities.size());
  for (const double p : probabilities) quantiles.push_back(value.dist->quantile(std::log(p) - std::log1p(-p)));
  return quantiles;
} catch (const std::exception& failure) {
  return failed(failure);
}

}  // namespace foretask::analysis
