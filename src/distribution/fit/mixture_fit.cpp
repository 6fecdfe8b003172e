// SPDX-License-Identifier: Apache-2.0
// Gaussian mixtures by expectation maximisation (Dempster, Laird and Rubin 1977): several short starts on a few hundred
// weighted values, the best of them carried on with a thousand, and the end with all.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "foretask/analysis/gaussian_mixture.hpp"
#include "statistics/random.hpp"

namespace foretask::distribution {
namespace {

using analysis::GaussianMixture;
using analysis::MixtureOptions;
using analysis::MixturePart;

constexpr std::size_t kMostValues = 20000;  // beyond which bins take their place
constexpr std::size_t kBins = 4000;
constexpr std::size_t kStarts = 4;
constexpr std::size_t kStartBins = 300;
constexpr std::size_t kMiddleBins = 1000;
constexpr double kNarrowest = 1e-3;  // of the values' standard deviation

// In order of value, with mean 0 and standard deviation 1.
struct WeightedValues {
  std::vector<double> value;
  std::vector<double> weight;
  double total = 0;
};

// At most `bins` values, each the mean of as much weight; the outermost hundredth parts keep a value a bin, as far as
// they go.
WeightedValues binned(const WeightedValues& all, std::size_t bins) {
  if (all.value.size() <= bins) return all;
  const std::size_t alone = bins / 100;
  const double room = all.total / static_cast<double>(bins - 2 * alone);
  WeightedValues result;
  result.total = all.total;
  double sum = 0;
  double weight = 0;
  const auto close = [&] {
    if (!(weight > 0)) return;
    result.value.push_back(sum / weight);
    result.weight.push_back(weight);
    sum = weight = 0;
  };
  for (std::size_t i = 0; i < all.value.size(); ++i) {
    sum += all.value[i] * all.weight[i];
    weight += all.weight[i];
    if (weight >= room || i < alone || i + alone + 1 >= all.value.size()) close();
  }
  close();
  return result;
}

// One pass of expectation and maximisation over parts whose parameters lie side by side.
class Maximiser {
 public:
  explicit Maximiser(const WeightedValues& data) : data_(data) {}

  // Until the log likelihood grows by less than `tolerance` a value, or for `most` passes. The log likelihood.
  double run(std::vector<MixturePart>& parts, double tolerance, int most) {
    double last = -std::numeric_limits<double>::infinity();
    for (int pass = 0; pass < most; ++pass) {
      const double likelihood = step(parts);
      if (likelihood - last < tolerance * data_.total) return likelihood;
      last = likelihood;
    }
    return last;
  }

  // Of the parts as they were before the step.
  double step(std::vector<MixturePart>& parts) {
    const std::size_t count = parts.size();
    scale_.resize(count);
    share_.resize(count);
    sums_.assign(3 * count, 0);
    inverse_.resize(count);
    for (std::size_t k = 0; k < count; ++k) {
      inverse_[k] = 1 / parts[k].sd;
      scale_[k] = std::log(parts[k].weight * inverse_[k]);
    }
    double likelihood = 0;
    for (std::size_t i = 0; i < data_.value.size(); ++i) {
      const double x = data_.value[i];
      double most = -std::numeric_limits<double>::infinity();
      for (std::size_t k = 0; k < count; ++k) {
        const double t = (x - parts[k].mean) * inverse_[k];
        share_[k] = scale_[k] - t * t / 2;
        most = std::max(most, share_[k]);
      }
      double sum = 0;
      for (std::size_t k = 0; k < count; ++k) {
        constexpr double kNothing = -40;
        const double below = share_[k] - most;
        share_[k] = below < kNothing ? 0 : std::exp(below);
        sum += share_[k];
      }
      likelihood += data_.weight[i] * (most + std::log(sum));
      const double unit = data_.weight[i] / sum;
      for (std::size_t k = 0; k < count; ++k) {
        const double own = unit * share_[k];
        const double off = x - parts[k].mean;  // from the last mean: nothing cancels in the spread
        sums_[3 * k] += own;
        sums_[3 * k + 1] += own * off;
        sums_[3 * k + 2] += own * off * off;
      }
    }
    for (std::size_t k = 0; k < count; ++k) {
      const double weight = sums_[3 * k];
      // A part that nothing belongs to stays where it is, with next to no weight.
      parts[k].weight = std::max(weight / data_.total, 1e-12);
      if (!(weight > 1e-9)) continue;
      const double move = sums_[3 * k + 1] / weight;
      parts[k].mean += move;
      parts[k].sd = std::max(std::sqrt(std::max(sums_[3 * k + 2] / weight - move * move, 0.0)), kNarrowest);
    }
    constexpr double kLogRootTwoPi = 0.91893853320467274178;
    return likelihood - data_.total * kLogRootTwoPi;
  }

 private:
  const WeightedValues& data_;
  std::vector<double> inverse_;  // of the standard deviation
  std::vector<double> scale_;
  std::vector<double> share_;
  std::vector<double> sums_;
};

// The parts that go with the nearest of `centres`.
std::vector<MixturePart> parts_around(const WeightedValues& data, const std::vector<double>& centres) {
  std::vector<double> sums(3 * centres.size(), 0);
  for (std::size_t i = 0; i < data.value.size(); ++i) {
    std::size_t nearest = 0;
    for (std::size_t k = 1; k < centres.size(); ++k)
      if (std::abs(data.value[i] - centres[k]) < std::abs(data.value[i] - centres[nearest])) nearest = k;
    const double off = data.value[i] - centres[nearest];
    sums[3 * nearest] += data.weight[i];
    sums[3 * nearest + 1] += data.weight[i] * off;
    sums[3 * nearest + 2] += data.weight[i] * off * off;
  }
  std::vector<MixturePart> parts;
  for (std::size_t k = 0; k < centres.size(); ++k) {
    const double weight = sums[3 * k];
    if (!(weight > 0)) continue;
    const double move = sums[3 * k + 1] / weight;
    const double spread = std::sqrt(std::max(sums[3 * k + 2] / weight - move * move, 0.0));
    parts.push_back({weight / data.total, centres[k] + move, std::max(spread, 10 * kNarrowest)});
  }
  return parts;
}

// Centres far from each other (Arthur and Vassilvitskii 2007), moved twice to the means of what is nearest.
std::vector<MixturePart> seeded(const WeightedValues& data, std::size_t count, statistics::Random& random) {
  // Not std::uniform_real_distribution, whose values differ between libraries.
  const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  std::vector<double> centres;
  std::vector<double> far(data.value.size(), 1);
  while (centres.size() < count) {
    double total = 0;
    for (std::size_t i = 0; i < far.size(); ++i) total += far[i] * data.weight[i];
    double left = uniform() * total;
    std::size_t chosen = 0;
    while (chosen + 1 < far.size() && (left -= far[chosen] * data.weight[chosen]) > 0) ++chosen;
    centres.push_back(data.value[chosen]);
    for (std::size_t i = 0; i < far.size(); ++i) {
      const double off = data.value[i] - centres.back();
      far[i] = centres.size() == 1 ? off * off : std::min(far[i], off * off);
    }
  }
  std::vector<MixturePart> parts = parts_around(data, centres);
  for (int pass = 0; pass < 2; ++pass) {
    centres.clear();
    for (const MixturePart& part : parts) centres.push_back(part.mean);
    parts = parts_around(data, centres);
  }
  return parts;
}

// The part that is widest for its weight, of the last mixture, in two: what one more part most often is for.
std::vector<MixturePart> divided(std::vector<MixturePart> parts) {
  const auto widest = std::max_element(parts.begin(), parts.end(), [](const MixturePart& a, const MixturePart& b) {
    return a.weight * a.sd < b.weight * b.sd;
  });
  MixturePart half = *widest;
  half.weight /= 2;
  half.mean += half.sd / 2;
  widest->weight /= 2;
  widest->mean -= widest->sd / 2;
  parts.push_back(half);
  return parts;
}

// The same values at three resolutions.
struct Resolutions {
  WeightedValues all;
  WeightedValues middle;
  WeightedValues few;
};

void finish(const WeightedValues& data, int passes, GaussianMixture& mixture) {
  constexpr double kTolerance = 1e-8;
  Maximiser full(data);
  full.run(mixture.parts, kTolerance, passes);
  std::vector<MixturePart> after = mixture.parts;
  mixture.log_likelihood = full.step(after);
  mixture.bic = (3 * static_cast<double>(mixture.parts.size()) - 1) * std::log(data.total) - 2 * mixture.log_likelihood;
}

GaussianMixture best_of(const Resolutions& data, std::size_t count, const std::vector<MixturePart>& last,
                        statistics::Random& random) {
  constexpr double kRough = 1e-5;
  constexpr double kTolerance = 1e-6;
  constexpr int kStartPasses = 30;
  constexpr int kPasses = 100;
  GaussianMixture best;
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t start = 0; start < (count == 1 ? 1 : kStarts); ++start) {
    std::vector<MixturePart> parts = start == 0 && count > 1 ? divided(last) : seeded(data.few, count, random);
    const double likelihood = Maximiser(data.few).run(parts, kRough, kStartPasses);
    if (!(likelihood > most)) continue;
    most = likelihood;
    best.parts = parts;
  }
  Maximiser(data.middle).run(best.parts, kTolerance, kPasses);
  finish(data.all, 2, best);
  return best;
}

GaussianMixture select(WeightedValues values, const MixtureOptions& options) {
  statistics::Random random(options.seed);
  Resolutions data;
  data.all = std::move(values);
  data.middle = binned(data.all, kMiddleBins);
  data.few = binned(data.middle, kStartBins);
  GaussianMixture best;
  std::vector<MixturePart> last;
  int worse = 0;
  const std::size_t most_parts = std::min(std::max<std::size_t>(options.most_parts, 1), data.all.value.size());
  for (std::size_t count = 1; count <= most_parts && worse < 2; ++count) {
    GaussianMixture mixture = best_of(data, count, last, random);
    last = mixture.parts;
    if (count == 1 || mixture.bic < best.bic) {
      best = std::move(mixture);
      worse = 0;
    } else {
      ++worse;
    }
  }
  constexpr int kLastPasses = 40;
  finish(data.all, kLastPasses, best);
  return best;
}

}  // namespace
}  // namespace foretask::distribution

namespace foretask::analysis {

Result<GaussianMixture> fit_mixture(const std::vector<double>& values, const std::vector<double>& weights,
                                    const MixtureOptions& options) {
  if (values.size() < 2) return Error{"a mixture needs two values at least"};
  if (!weights.empty() && weights.size() != values.size())
    return Error{std::to_string(weights.size()) + " weights for " + std::to_string(values.size()) + " values"};
  double total = 0;
  double mean = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double weight = weights.empty() ? 1 : weights[i];
    if (!std::isfinite(values[i])) return Error{"value " + std::to_string(i + 1) + " is not finite"};
    if (!(weight > 0) || !std::isfinite(weight))
      return Error{"weight " + std::to_string(i + 1) + " is not above 0 and finite"};
    total += weight;
    mean += (values[i] - mean) * weight / total;
  }
  double variance = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    variance += (values[i] - mean) * (values[i] - mean) * (weights.empty() ? 1 : weights[i]) / total;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (!(*most > *least) || !(variance > 0)) return Error{"all values are the same: no mixture"};
  const double sd = std::sqrt(variance);
  if (!std::isfinite(mean) || !std::isfinite(sd))
    return Error{"values so large or far apart that their squares are no doubles"};

  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  distribution::WeightedValues data;
  data.total = total;
  for (const std::size_t i : order) {
    data.value.push_back((values[i] - mean) / sd);
    data.weight.push_back(weights.empty() ? 1 : weights[i]);
  }
  if (data.value.size() > distribution::kMostValues) data = distribution::binned(data, distribution::kBins);

  GaussianMixture mixture = distribution::select(std::move(data), options);
  for (MixturePart& part : mixture.parts) {
    part.mean = mean + sd * part.mean;
    part.sd *= sd;
  }
  // The density of a value is that of its standardised one over the spread.
  mixture.log_likelihood -= total * std::log(sd);
  mixture.bic += 2 * total * std::log(sd);
  double sum = 0;
  for (const MixturePart& part : mixture.parts) sum += part.weight;
  for (MixturePart& part : mixture.parts) part.weight /= sum;
  std::sort(mixture.parts.begin(), mixture.parts.end(),
            [](const MixturePart& a, const MixturePart& b) { return a.mean < b.mean; });
  return mixture;
}

}  // namespace foretask::analysis
