// SPDX-License-Identifier: Apache-2.0
#include "distribution/standard_errors.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>
#include <vector>

namespace foretask::distribution {

namespace {

constexpr double kBudgetUs = 1e6;
constexpr std::uint32_t kLeast = 40;

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
double work_of(const Program& program, const LeafLaws& leaves, const std::vector<char>& depends) {
  const bool fine = &resolution_for(program) == &kFine;
  const double sum_us = fine ? 400 : 90;
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
      us += fine ? 0.3 * samples : sum_us;
    } else {
      for (const Part& part : step.parts)
        us += sum_us * (1 + std::log2(static_cast<double>(std::min<std::uint64_t>(part.count, 4096))));
    }
  }
  return std::max(us, 1.0);
}

std::uint64_t mixed_seed(std::uint64_t seed, std::uint64_t number) {
  std::uint64_t x = seed + (number + 1) * 0x9E3779B97F4A7C15U;  // splitmix64
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31U);
}

Figures resampled(const Program& program, const LeafLaws& leaves, const std::vector<Value>& kept, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Value> values = kept;
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const Step& step = program.steps[i];
    if (step.kind != NodeKind::samples || leaves.values[i].law == nullptr) continue;
    const SampleSet set = redrawn(*step.leaf->samples, leaves.plans[i], random);
    LawPtr law = sample_law(set, leaves.plans[i]);
    values[i] = leaf_value(law != nullptr ? std::move(law) : samples_law(set));
  }
  return figures_of(evaluate(program, values));
}

double spread(std::vector<double>& values) {
  double mean = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
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
    figures.quantiles[i] = value.law->quantile(std::log(p / (1 - p)));
  }
  return figures;
}

std::optional<analysis::ComposeErrors> standard_errors(const Program& program, const LeafLaws& leaves,
                                                       std::uint32_t most, std::uint64_t seed) {
  const std::vector<char> depends = dependent_steps(program);
  if (most < 2 || depends.back() == 0) return std::nullopt;
  const double fit = kBudgetUs / work_of(program, leaves, depends);
  const std::uint32_t rounds = std::min(most, std::max(kLeast, fit < most ? static_cast<std::uint32_t>(fit) : most));
  // What no measured time is in is worked out once.
  std::vector<Value> kept = leaves.values;
  evaluate_all(program, depends, kept);
  std::vector<Figures> figures(rounds);
  std::atomic<std::uint32_t> next{0};
  const auto work = [&] {
    for (std::uint32_t i = next++; i < rounds; i = next++)
      figures[i] = resampled(program, leaves, kept, mixed_seed(seed, i));
  };
  {
    const unsigned threads = std::clamp(std::thread::hardware_concurrency(), 1U, 64U);
    std::vector<std::jthread> others;
    for (unsigned t = 1; t < threads; ++t) others.emplace_back(work);
    work();
  }
  analysis::ComposeErrors errors;
  std::vector<double> column(rounds);
  const auto error_of = [&](const auto& figure) {
    for (std::uint32_t i = 0; i < rounds; ++i) column[i] = figure(figures[i]);
    return spread(column);
  };
  errors.mean = error_of([](const Figures& f) { return f.mean; });
  errors.sd = error_of([](const Figures& f) { return f.sd; });
  for (std::size_t k = 0; k < 4; ++k) errors.moments[k] = error_of([k](const Figures& f) { return f.moments[k]; });
  for (std::size_t k = 0; k < 9; ++k) errors.quantiles[k] = error_of([k](const Figures& f) { return f.quantiles[k]; });
  return errors;
}

}  // namespace foretask::distribution
