// SPDX-License-Identifier: Apache-2.0
#include "model/online/ratio_window.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "statistics/running_variance.hpp"
#include "statistics/tails.hpp"

namespace foretask::model {
namespace {

constexpr std::size_t kUpdateEvery = 16;
constexpr std::size_t kUpdateFullEvery = RatioWindow::kSize / RatioWindow::kSpikes;
// Fewer ratios than this say nothing of spikes.
constexpr std::size_t kFew = 6;
// Clocks and caches alone make a time vary by this much.
constexpr double kLeastNoise = 0.01;
// Nothing is known of the noise yet: a factor of five either way.
constexpr double kUnknown = 1.6;
constexpr double kTail = 0.025;
constexpr double kMeanMemory = 4096;

// Of RatioWindow::interval().
constexpr double kConfidence = 0.95;
// Where three samples in a hundred are outliers, no more than seven of a window are. The others of 95 % lie in what an
// extrapolation is wider by.
constexpr double kShortest = 0.93;
// As good as a normal distribution: for windows of which nothing is known.
constexpr double kManyFreedoms = 1000;
// As far as Student's distribution is asked.
constexpr double kLeastShare = 1e-15;
constexpr double kMostErrors = 1e6;

}  // namespace

void RatioWindow::add(double log_ratio, bool is_sure) noexcept {
  if (is_sure) add_to_mean(log_ratio);
  ring_[next_] = static_cast<float>(log_ratio);
  next_ = (next_ + 1) % kSize;
  count_ = std::min(count_ + 1, kSize);
  const std::size_t due = count_ < kMany ? 1 : count_ < kSize ? kUpdateEvery : kUpdateFullEvery;
  if (++since_update_ >= due) update();
}

void RatioWindow::add_to_mean(double log_ratio) noexcept {
  mean_weight_ = std::min(mean_weight_ + 1, kMeanMemory);
  mean_ratio_ += (std::exp(log_ratio) - mean_ratio_) / mean_weight_;
}

void RatioWindow::join(const RatioWindow& other, double share, std::size_t most) noexcept {
  const auto wanted = static_cast<std::size_t>(std::lround(share * static_cast<double>(kSize)));
  const std::size_t taken = std::min({other.count_, most, std::max(wanted, kSize - count_)});
  for (std::size_t age = taken; age > 0; --age) add(other.latest(age - 1));
}

void RatioWindow::drop_latest(std::size_t count) noexcept {
  count = std::min(count, count_);
  next_ = (next_ + kSize - count) % kSize;
  count_ -= count;
  mean_ratio_ = 1;
  mean_weight_ = 0;
  for (std::size_t age = count_; age > 0; --age) add_to_mean(latest(age - 1));
  update();
}

void RatioWindow::update() noexcept {
  since_update_ = 0;
  std::array<float, kSize> off;
  if (count_ == kSize) {
    for (std::size_t i = 0; i < kSize; ++i) off[i] = std::abs(ring_[i]);
  } else {
    for (std::size_t i = 0; i < count_; ++i) off[i] = std::abs(latest(i));
  }
  const auto quantile = [&](double share) {
    const auto at = off.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(count_));
    std::nth_element(off.begin(), at, off.begin() + static_cast<std::ptrdiff_t>(count_));
    return static_cast<double>(*at);
  };
  if (count_ < kFew) {
    noise_ = kUnknown;
    spike_ = std::numeric_limits<double>::infinity();
  } else if (count_ < kMany) {
    noise_ = std::max(1.4826 * quantile(0.5), kLeastNoise);
    spike_ = 5 * noise_;
  } else {
    // Where one ratio in twenty is a spike, more than a tenth of a window that is not full may be.
    const bool is_full = count_ == kSize;
    const double most = quantile(is_full ? 0.9 : 0.75);
    noise_ = std::max(most / (is_full ? 1.645 : 1.1503), kLeastNoise);
    const double spike = std::max((is_full ? 2.4 : 3.5) * most, 5 * kLeastNoise);
    spike_ = std::min(spike, std::exchange(spikes_[next_spike_++ % kSpikes], spike));
  }
}

LogInterval RatioWindow::interval() const {
  if (count_ < 3) return {-kUnknown, kUnknown};
  if (count_ < kMany) {
    // Of the ratios drawn in to the limit of a spike: one of those would make the interval of forty samples useless.
    statistics::RunningVariance ratios;
    for (std::size_t i = 0; i < count_; ++i) ratios.add(std::clamp<double>(latest(i), -spike_, spike_));
    const double n = ratios.count();
    const double reach = statistics::student_t_two_sided_quantile(1 - 2 * kTail, n - 1) *
                         std::max(ratios.sd(), kLeastNoise) * std::sqrt(1 + 1 / n);
    return {ratios.mean() - reach, ratios.mean() + reach};
  }
  std::array<float, kSize> ratios;
  for (std::size_t i = 0; i < count_; ++i) ratios[i] = latest(i);
  // The next value lies between the order statistics low and high with probability (high - low) / (count + 1).
  const double n = static_cast<double>(count_);
  const auto low = static_cast<std::size_t>(std::max(1.0, std::floor(kTail * (n + 1))));
  const auto high = static_cast<std::size_t>(std::min(n, std::ceil((1 - kTail) * (n + 1))));
  const auto end = ratios.begin() + static_cast<std::ptrdiff_t>(count_);
  const auto at_low = ratios.begin() + static_cast<std::ptrdiff_t>(low - 1);
  const auto at_high = ratios.begin() + static_cast<std::ptrdiff_t>(high - 1);
  std::nth_element(ratios.begin(), at_high, end);
  const float highest = *at_high;
  std::nth_element(ratios.begin(), at_low, end);
  return {*at_low, highest};
}

RatioSpread::RatioSpread(const RatioWindow& window) : mean_(window.mean_ratio()) {
  if (window.count() >= RatioWindow::kMany) {
    sorted_.reserve(window.count());
    for (std::size_t age = 0; age < window.count(); ++age) sorted_.push_back(window.latest(age));
    std::sort(sorted_.begin(), sorted_.end());
    return;
  }
  const LogInterval interval = window.interval();
  freedom_ = window.count() < 3 ? kManyFreedoms : static_cast<double>(window.count() - 1);
  middle_ = 0.5 * (interval.low + interval.high);
  scale_ = 0.5 * (interval.high - interval.low) / statistics::student_t_two_sided_quantile(kConfidence, freedom_);
}

double RatioSpread::log_quantile(double probability) const noexcept {
  if (sorted_.empty()) {
    probability = std::clamp(probability, kLeastShare, 1 - kLeastShare);
    const double reach = statistics::student_t_two_sided_quantile(std::abs(2 * probability - 1), freedom_);
    return middle_ + (probability < 0.5 ? -reach : reach) * scale_;
  }
  const double n = static_cast<double>(sorted_.size());
  const double rank = std::clamp(probability * (n + 1), 1.0, n) - 1;
  const auto below = std::min(static_cast<std::size_t>(rank), sorted_.size() - 2);
  const double part = rank - static_cast<double>(below);
  return (1 - part) * sorted_[below] + part * sorted_[below + 1];
}

LogInterval RatioSpread::shortest() const noexcept {
  if (sorted_.empty()) return {log_quantile(0.5 - kConfidence / 2), log_quantile(0.5 + kConfidence / 2)};
  // Gaps between order statistics, each of 1 / (count + 1) of all ratios.
  const auto size = static_cast<std::size_t>(kShortest * static_cast<double>(sorted_.size() + 1));
  LogInterval best{sorted_.front(), sorted_.back()};
  for (std::size_t low = 0; low + size < sorted_.size(); ++low)
    if (sorted_[low + size] - sorted_[low] < best.high - best.low) best = {sorted_[low], sorted_[low + size]};
  return best;
}

double RatioSpread::reach() const noexcept {
  const LogInterval interval = shortest();
  const double half = 0.5 * (interval.high - interval.low);
  // 1.96 standard deviations of a normal distribution, whose middle half is 1.349 wide.
  return sorted_.empty() ? half : std::min(half, 1.453 * (log_quantile(0.75) - log_quantile(0.25)));
}

double RatioSpread::share_above(double log_ratio) const noexcept {
  if (sorted_.empty()) {
    const double t = std::clamp((log_ratio - middle_) / scale_, -kMostErrors, kMostErrors);
    const double both = statistics::student_t_two_sided(t, freedom_);
    return t > 0 ? 0.5 * both : 1 - 0.5 * both;
  }
  // The inverse of log_quantile(); beyond the outermost half of what the next one may be.
  const double n = static_cast<double>(sorted_.size());
  const auto above = std::upper_bound(sorted_.begin(), sorted_.end(), log_ratio);
  if (above == sorted_.begin()) return 1 - 0.5 / (n + 1);
  if (above == sorted_.end()) return 0.5 / (n + 1);
  const double low = *std::prev(above);
  const double part = (log_ratio - low) / (*above - low);
  return 1 - (static_cast<double>(above - sorted_.begin()) + part) / (n + 1);
}

}  // namespace foretask::model
