// SPDX-License-Identifier: Apache-2.0
// A kernel density over cells, and of its valleys those that are deeper than chance makes them.
#include "distribution/fit/modes.hpp"

#include <algorithm>
#include <cmath>

namespace foretask::distribution {
namespace {

constexpr std::size_t kCellsPerBandwidth = 4;
constexpr std::size_t kMostCells = 1U << 16;
// Share of the values at either end that is left out: so few make no mode, and may be very far away.
constexpr double kFarShare = 5e-4;
// A dip of less than this is none that matters, however sure.
constexpr double kShallow = 0.9;
// Integral of the squared normal density: the variance of a kernel density is this times density / (n bandwidth).
constexpr double kKernelRoughness = 0.28209479177387814;

// A valley is there when it is lower than the lower one of its peaks by so many standard errors: what the deepest one
// by chance among so many bandwidths that are independent of each other reaches once in hundreds of samples.
double needed_standard_errors(double bandwidths) { return std::sqrt(2 * std::log(30 * bandwidths)); }

struct Weighted {
  const std::vector<double>& values;
  const std::vector<double>& weights;
  double total = 0;
  double squares = 0;
  double weight(std::size_t i) const { return weights.empty() ? 1 : weights[i]; }
};

double quantile_of(const Weighted& samples, double share) {
  double sum = 0;
  for (std::size_t i = 0; i < samples.values.size(); ++i) {
    sum += samples.weight(i);
    if (sum >= share * samples.total) return samples.values[i];
  }
  return samples.values.back();
}

// Silverman's rule (1986, eq. 3.31).
double bandwidth_of(const Weighted& samples) {
  double mean = 0;
  for (std::size_t i = 0; i < samples.values.size(); ++i) mean += samples.weight(i) * samples.values[i];
  mean /= samples.total;
  double squares = 0;
  for (std::size_t i = 0; i < samples.values.size(); ++i)
    squares += samples.weight(i) * (samples.values[i] - mean) * (samples.values[i] - mean);
  const double sd = std::sqrt(squares / samples.total);
  const double quartiles = (quantile_of(samples, 0.75) - quantile_of(samples, 0.25)) / 1.34;
  const double count = samples.total * samples.total / samples.squares;
  return 0.9 * (quartiles > 0 ? std::min(sd, quartiles) : sd) * std::pow(count, -0.2);
}

// The step of the timer, where values come several times: it makes no modes. A quarter of all gaps between different
// values are that or less; 0 where there are too few gaps, or too few equal values to tell.
double step_of(const std::vector<double>& sorted) {
  std::vector<double> gaps;
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i] > sorted[i - 1]) gaps.push_back(sorted[i] - sorted[i - 1]);
  if (gaps.size() < 2 || sorted.size() < 2 * gaps.size()) return 0;
  const auto quarter = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 4);
  std::nth_element(gaps.begin(), quarter, gaps.end());
  return *quarter;
}

// Values expected within one bandwidth, at each cell.
std::vector<double> density_of(const Weighted& samples, double bandwidth) {
  const double cell = bandwidth / static_cast<double>(kCellsPerBandwidth);
  const std::size_t reach = 4 * kCellsPerBandwidth;
  const double low = quantile_of(samples, kFarShare);
  const double high = quantile_of(samples, 1 - kFarShare);
  const double wanted = (high - low) / cell + 1;
  const std::size_t cells = static_cast<std::size_t>(std::min(wanted, static_cast<double>(kMostCells))) + 1;
  std::vector<double> counts(cells);
  for (std::size_t i = 0; i < samples.values.size(); ++i) {
    const double at = (samples.values[i] - low) / cell;
    if (!(at >= 0) || at >= static_cast<double>(cells - 1)) continue;
    // Between the two nearest cells.
    const auto index = static_cast<std::size_t>(at);
    const double part = at - static_cast<double>(index);
    counts[index] += samples.weight(i) * (1 - part);
    counts[index + 1] += samples.weight(i) * part;
  }
  std::vector<double> kernel(2 * reach + 1);
  for (std::size_t k = 0; k < kernel.size(); ++k) {
    const double t = (static_cast<double>(k) - static_cast<double>(reach)) / static_cast<double>(kCellsPerBandwidth);
    kernel[k] = 0.3989422804014327 * std::exp(-t * t / 2);
  }
  std::vector<double> density(cells + 2 * reach);
  for (std::size_t i = 0; i < cells; ++i) {
    if (counts[i] == 0) continue;
    for (std::size_t k = 0; k < kernel.size(); ++k) density[i + k] += counts[i] * kernel[k];
  }
  return density;
}

// Peaks and the valleys between them, in turn; it begins and ends with a peak.
std::vector<double> turning_points(const std::vector<double>& density) {
  std::vector<double> turns;
  bool rising = true;
  double last = 0;
  for (const double now : density) {
    if (rising ? now < last : now > last) {
      turns.push_back(last);
      rising = !rising;
    }
    last = now;
  }
  if (rising)
    turns.push_back(last);
  else if (turns.size() % 2 == 0 && !turns.empty())
    turns.pop_back();
  return turns;
}

}  // namespace

std::size_t count_modes(const std::vector<double>& sorted, const std::vector<double>& weights) {
  Weighted samples{sorted, weights};
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    samples.total += samples.weight(i);
    samples.squares += samples.weight(i) * samples.weight(i);
  }
  if (!(samples.total > 0)) return 1;
  const double bandwidth = std::max(bandwidth_of(samples), step_of(sorted));
  if (!(bandwidth > 0) || !(bandwidth > 1e-12 * std::fabs(sorted.back()))) return 1;
  const std::vector<double> density = density_of(samples, bandwidth);
  const double needed = needed_standard_errors(static_cast<double>(density.size()) / kCellsPerBandwidth);
  std::vector<double> turns = turning_points(density);
  // Weights are brought to the count of values that they are worth.
  const double worth = samples.total / samples.squares;
  while (turns.size() > 2) {
    // The valley that is the least so; its lower peak goes with it.
    double least = needed;
    std::size_t shallowest = 0;
    for (std::size_t i = 1; i + 1 < turns.size(); i += 2) {
      const double peak = std::min(turns[i - 1], turns[i + 1]);
      const double depth = turns[i] > kShallow * peak
                               ? 0
                               : (peak - turns[i]) * std::sqrt(worth / (kKernelRoughness * (peak + turns[i])));
      if (depth < least) {
        least = depth;
        shallowest = i;
      }
    }
    if (shallowest == 0) break;
    const std::size_t peak = turns[shallowest - 1] < turns[shallowest + 1] ? shallowest - 1 : shallowest;
    turns.erase(turns.begin() + static_cast<std::ptrdiff_t>(peak),
                turns.begin() + static_cast<std::ptrdiff_t>(peak) + 2);
  }
  return (turns.size() + 1) / 2;
}

}  // namespace foretask::distribution
