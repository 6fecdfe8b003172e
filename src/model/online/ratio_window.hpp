// SPDX-License-Identifier: Apache-2.0
// How far predictions were off of late: ln(time / prediction) of the latest samples, each predicted before it was
// learned. From it come the noise, what counts as a spike, and the interval of the next prediction. One thread; a
// sample costs a store, every 64th a selection over the window.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <vector>

namespace foretask::model {

struct LogInterval {
  double low = 0;
  double high = 0;
};

class RatioWindow {
 public:
  static constexpr std::size_t kSize = 256;
  // From so many on the third quartile is no spike itself, and of a full window the 90th percentile.
  static constexpr std::size_t kMany = 40;
  static constexpr std::size_t kSpikes = 4;

  RatioWindow() noexcept {
    spikes_.fill(std::numeric_limits<double>::infinity());
    update();
  }

  // `is_sure`: it counts for the mean. What was predicted before anything was known there does not.
  void add(double log_ratio, bool is_sure = true) noexcept;

  // The latest of another model's, `most` of them, whose samples are `share` of all. They have that share of a full
  // window.
  void join(const RatioWindow& other, double share, std::size_t most) noexcept;

  // Takes back the latest: they belong to what there was before a change.
  void drop_latest(std::size_t count) noexcept;

  [[nodiscard]] std::size_t count() const noexcept { return count_; }

  // Standard deviation, not moved by up to 10 % of spikes.
  [[nodiscard]] double noise() const noexcept { return noise_; }

  // A ratio beyond it is a spike: 2.4 times what 90 % of them keep to, four standard deviations of a normal
  // distribution, so that a second behaviour of the kernel's is none. Infinite while there are too few samples to tell.
  [[nodiscard]] double spike() const noexcept { return spike_; }

  // 95 of 100 ratios lie in it: order statistics of the window, whose rank is that of a distribution-free prediction
  // interval (Wilks 1942); Student's interval where there are too few.
  [[nodiscard]] LogInterval interval() const;

  // Of time / prediction, outliers with their full length; of more than the window, some 4,000. 1 of none.
  [[nodiscard]] double mean_ratio() const noexcept { return mean_ratio_; }

  // For the store, latest last.
  [[nodiscard]] float latest(std::size_t age) const noexcept { return ring_[(next_ + kSize - 1 - age) % kSize]; }

 private:
  void update() noexcept;
  void add_to_mean(double log_ratio) noexcept;

  std::array<float, kSize> ring_{};
  std::size_t next_ = 0;
  std::size_t count_ = 0;
  std::size_t since_update_ = 0;
  double noise_ = 0;
  double spike_ = 0;
  // By the latest updates, the oldest of them a full window ago: where one ratio in twenty is a spike, more than a
  // tenth of a window are by chance, but not of two windows.
  std::array<double, kSpikes> spikes_{};
  std::size_t next_spike_ = 0;
  double mean_ratio_ = 1;
  double mean_weight_ = 0;
};

// How times lie around predictions: quantiles, tails and the mean of time / prediction. Never changed once it is made;
// any thread.
class RatioSpread {
 public:
  RatioSpread() = default;
  // Sorts the window: some 10 us of a full one.
  explicit RatioSpread(const RatioWindow& window);

  // ln(ratio) that a share of `probability`, in (0, 1), of the times stays below: order statistics of the window,
  // interpolated, and no further than the outermost; Student's distribution where there are fewer than
  // RatioWindow::kMany.
  [[nodiscard]] double log_quantile(double probability) const noexcept;
  // The share of the times above.
  [[nodiscard]] double share_above(double log_ratio) const noexcept;
  // The shortest interval that 93 of 100 ratios lie in: without outliers, all of them too long, while they are few. Of
  // less than RatioWindow::kMany the usual one.
  [[nodiscard]] LogInterval shortest() const noexcept;
  // Half of the usual interval's width by the middle half of the ratios, that a quarter of outliers does not move.
  [[nodiscard]] double reach() const noexcept;
  // Outliers with their full length, of the latest some 4,000.
  [[nodiscard]] double mean() const noexcept { return mean_; }

 private:
  std::vector<float> sorted_;  // of a window that is large enough
  double middle_ = 0;
  double scale_ = 1;
  double freedom_ = 1;
  double mean_ = 1;
};

}  // namespace foretask::model
