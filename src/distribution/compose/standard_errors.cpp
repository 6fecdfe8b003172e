// SPDX-License-Identifier: Apache-2.0
#include "distribution/compose/standard_errors.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <thread>

#include "base/run_jobs.hpp"
#include "distribution/family/log_odds.hpp"
#include "statistics/quantile.hpp"
#include "statistics/random.hpp"
#include "statistics/running_variance.hpp"

namespace foretask::distribution {

namespace {

constexpr double kBudgetUs = 1e6;
constexpr std::uint32_t kLeast = 40;
constexpr double kLargeUs = 5e4;  // of one evaluation; of larger expressions a rough error is what there is time for
constexpr std::uint32_t kLeastOfLarge = 8;

// Which steps change with the measured times.
std::vector<char> dependent_steps(const Program& program) {
  std::vector<char> depends(program.steps.size(), 0);
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const Step& step = program.steps[i];
    if (step.kind == NodeKind::samples) depends[i] = 1;
    for (const Part& part : step.parts)
      if (depends[part.step] != 0) depends[i] = 1;
  }
  return depends;
}

// About how long one evaluation takes, in microseconds; by counts alone, so that the same seed gives the same answer
// on every machine.
double work_of(const Program& program, const Leaves& leaves, const std::vector<char>& depends) {
  constexpr double kSumUs = 200;
  double us = 0;
  double samples = 0;
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    if (depends[i] == 0) continue;
    const Step& step = program.steps[i];
    if (step.kind == NodeKind::samples) {
      const auto count = static_cast<double>(step.leaf->samples->values.size());
      samples = std::max(samples, count);
      us += count * (leaves.plans[i].as == Taken::mixture ? 8.0 : leaves.plans[i].as == Taken::tailed ? 0.6 : 0.3);
      if (leaves.plans[i].as == Taken::lambda) us += 5000;
    } else if (step.kind == NodeKind::order) {
      us += 0.3 * samples;
    } else {
      for (const Part& part : step.parts)
        us += kSumUs * (1 + std::log2(static_cast<double>(std::min<std::uint64_t>(part.count, 4096))));
    }
  }
  return std::max(us, 1.0);
}

// As many samples drawn anew, as the plan says.
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

// None where a part has no such distribution with these samples: another kind of distribution would have another error.
std::optional<Figures> resampled(const Program& program, const Leaves& leaves, const std::vector<Value>& kept,
                                 std::uint64_t seed) {
  statistics::Random random(seed);
  std::vector<Value> values = kept;
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const Step& step = program.steps[i];
    if (step.kind != NodeKind::samples || leaves.values[i].dist == nullptr) continue;
    UnivariatePtr dist = fitted_leaf(redrawn(*step.leaf->samples, leaves.plans[i], random), leaves.plans[i]);
    if (dist == nullptr) return std::nullopt;
    values[i] = leaf_value(std::move(dist));
  }
  return figures_of(evaluate(program, values, coarser(precision_for(program))));
}

// The fewest measured times of a part.
double fewest_times(const Program& program, const Leaves& leaves) {
  double fewest = kInfinity;
  for (std::size_t i = 0; i < program.steps.size(); ++i)
    if (program.steps[i].kind == NodeKind::samples && leaves.values[i].dist != nullptr)
      fewest = std::min(fewest, static_cast<double>(program.steps[i].leaf->samples->count));
  return fewest;
}

}  // namespace

Figures figures_of(const Value& value) {
  Figures figures;
  const analysis::Moments moments = moments_of_cumulants(value.cumulants);
  figures.mean = moments.mean;
  figures.sd = std::sqrt(moments.variance);
  figures.moments = moments.raw();
  for (std::size_t i = 0; i < figures.quantiles.size(); ++i) {
    const double p = analysis::kComposeQuantiles[i];
    figures.quantiles[i] = value.dist->quantile(std::log(p / (1 - p)));
  }
  return figures;
}

double spread_of(std::vector<double> values) {
  const std::size_t all = values.size();
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  constexpr double kNotFinite = 0.025;
  if (static_cast<double>(all - values.size()) > kNotFinite * static_cast<double>(all) || values.size() < 2)
    return kInfinity;
  statistics::RunningVariance all_values;
  double size = 0;
  for (const double value : values) {
    all_values.add(value);
    size = std::max(size, std::fabs(value));
  }
  double spread = all_values.sd();
  if (values.size() >= kLeast) {
    std::sort(values.begin(), values.end());
    constexpr double kWidth = 3.919927969080108;  // of the middle 95 % of a normal distribution, in standard deviations
    spread = std::max(
        spread, (statistics::sorted_quantile(values, 0.975) - statistics::sorted_quantile(values, 0.025)) / kWidth);
  }
  constexpr double kRounding = 1e-12;
  return spread < kRounding * size ? 0 : spread;
}

bool has_errors(const Program& program, const Leaves& leaves) {
  return dependent_steps(program).back() != 0 &&
         std::none_of(leaves.plans.begin(), leaves.plans.end(), [](const LeafPlan& plan) { return plan.a_bound; });
}

std::optional<analysis::ComposeErrors> standard_errors(const Program& program, const Leaves& leaves, std::uint32_t most,
                                                       std::uint64_t seed, unsigned threads) {
  const std::vector<char> depends = dependent_steps(program);
  if (most < 2 || !has_errors(program, leaves)) return std::nullopt;
  const double work_us = work_of(program, leaves, depends);
  const double fit = kBudgetUs / work_us;
  const std::uint32_t least = work_us > kLargeUs ? kLeastOfLarge : kLeast;
  const std::uint32_t rounds = std::min(most, std::max(least, fit < most ? static_cast<std::uint32_t>(fit) : most));
  // What no measured time is in is worked out once.
  std::vector<Value> kept = leaves.values;
  evaluate_all(program, depends, kept, coarser(precision_for(program)));
  std::vector<std::optional<Figures>> figures(rounds);
  if (threads == 0) threads = std::clamp(std::thread::hardware_concurrency(), 1U, 64U);
  (void)base::run_jobs(rounds, threads, [&] {
    return [&](std::size_t i) -> Result<void> {
      figures[i] = resampled(program, leaves, kept, statistics::mixed_bits(seed + (i + 1) * statistics::kSplitMixStep));
      return {};
    };
  });
  std::erase(figures, std::nullopt);
  constexpr double kMostFailed = 0.05;
  if (static_cast<double>(figures.size()) < (1 - kMostFailed) * rounds || figures.size() < 2) return std::nullopt;
  // Of n values drawn from n, the variance is (n - 1) / n of what it would be from all there could be.
  const double fewest = fewest_times(program, leaves);
  const double correction = fewest > 1 ? std::sqrt(fewest / (fewest - 1)) : 1;
  analysis::ComposeErrors errors;
  std::vector<double> column(figures.size());
  const auto error_of = [&](const auto& figure) {
    for (std::size_t i = 0; i < figures.size(); ++i) column[i] = figure(*figures[i]);
    return correction * spread_of(column);
  };
  errors.mean = error_of([](const Figures& f) { return f.mean; });
  errors.sd = error_of([](const Figures& f) { return f.sd; });
  for (std::size_t k = 0; k < 4; ++k) errors.moments[k] = error_of([k](const Figures& f) { return f.moments[k]; });
  for (std::size_t k = 0; k < 9; ++k) errors.quantiles[k] = error_of([k](const Figures& f) { return f.quantiles[k]; });
  return errors;
}

}  // namespace foretask::distribution
