// SPDX-License-Identifier: Apache-2.0
#include "simulate/sampled/between_runs.hpp"

#include <algorithm>
#include <cmath>

#include "simulate/sampled/replay_error.hpp"
#include "statistics/random.hpp"
#include "statistics/running_variance.hpp"

namespace foretask::simulate {

namespace {

// Two runs alone leave room for anything: Student's t with one degree of freedom has no mean.
constexpr double kMost = 10;
// Far from the streams of DurationDraws, whose numbers are a few times the sample's.
constexpr std::uint64_t kStream = std::uint64_t{1} << 62;

}  // namespace

BetweenRuns::BetweenRuns(const analysis::RunSpread& spread, std::uint64_t seed, std::uint32_t samples)
    : samples_(samples), shift_(spread.log_shift), workers_(spread.workers) {
  const auto runs = static_cast<double>(spread.runs);
  // The next run beside so many: it differs from their mean, which is uncertain itself.
  const double variance = spread.log_sd * spread.log_sd * (1 + 1 / runs);
  const double drawn = spread.drawn_log_sd * spread.drawn_log_sd;
  const double shrunk = drawn > variance ? std::sqrt(variance / drawn) : 1;
  const double shared = std::sqrt(std::max(variance - drawn, 0.0));
  for (std::uint32_t sample = 0; sample < samples; ++sample) {
    // The root of a chi-squared number over its degrees of freedom is what makes a normal number Student's t: how far
    // the measured spread may be from the true one.
    const statistics::RandomAt random(seed, kStream + sample);
    double squares = 0;
    for (std::uint32_t i = 1; i < spread.runs; ++i) squares += std::pow(random.normal(i), 2);
    const double student = 1 / std::sqrt(squares / (runs - 1));
    samples_[sample] = {shrunk * student, shared * student * random.normal(0)};
  }
}

void BetweenRuns::spread(std::span<double> makespans_ns, std::uint32_t cores) const {
  const double shift = shift_ * left_out_share(workers_, cores);
  double centre = 0;
  double count = 0;
  for (const double makespan : makespans_ns)
    if (makespan > 0) centre += (std::log(makespan) - centre) / ++count;
  for (std::size_t i = 0; i < makespans_ns.size(); ++i) {
    if (!(makespans_ns[i] > 0)) continue;
    const double distance = samples_[i].drawn * (std::log(makespans_ns[i]) - centre) + samples_[i].shared;
    makespans_ns[i] = std::exp(centre + shift + std::clamp(distance, -std::log(kMost), std::log(kMost)));
  }
}

double beside_drawn_times(const analysis::RunSpread& spread) noexcept {
  const double variance = spread.log_sd * spread.log_sd - spread.drawn_log_sd * spread.drawn_log_sd;
  return std::sqrt(std::max(variance, 0.0));
}

}  // namespace foretask::simulate

namespace foretask::analysis {

std::optional<RunSpread> run_spread_of(const MakespanSample& drawn, const std::vector<std::int64_t>& measured_ns,
                                       std::uint32_t workers) {
  if (!(drawn.log_mean_ns > 0) || measured_ns.size() < 2) return std::nullopt;
  statistics::RunningVariance logs;
  for (const std::int64_t ns : measured_ns) {
    if (ns <= 0) return std::nullopt;
    logs.add(std::log(static_cast<double>(ns) / drawn.log_mean_ns));
  }
  return RunSpread{.runs = static_cast<std::uint32_t>(measured_ns.size()),
                   .workers = workers,
                   .log_shift = logs.mean(),
                   .log_sd = logs.sd(),
                   .drawn_log_sd = drawn.log_sd};
}

}  // namespace foretask::analysis
