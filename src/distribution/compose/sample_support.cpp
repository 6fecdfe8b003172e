// SPDX-License-Identifier: Apache-2.0
#include "distribution/compose/sample_support.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "distribution/family/univariate.hpp"

namespace foretask::distribution {
namespace {

constexpr double kFewest = 5;
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

}  // namespace

std::array<bool, 9> beyond_support(const Program& program, const std::array<double, 9>& quantiles) {
  std::array<bool, 9> beyond{};
  for (const Seen& leaf : leaves_seen(program))
    for (std::size_t i = 0; i < quantiles.size(); ++i)
      beyond[i] = beyond[i] || (std::isfinite(quantiles[i]) && rests_on_few(leaf, quantiles[i]));
  return beyond;
}

}  // namespace foretask::distribution
