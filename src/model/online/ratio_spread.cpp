// SPDX-License-Identifier: Apache-2.0
#include "model/online/ratio_spread.hpp"

#include <algorithm>
#include <cmath>

#include "statistics/tails.hpp"

namespace foretask::model {
namespace {

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
