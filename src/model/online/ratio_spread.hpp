// SPDX-License-Identifier: Apache-2.0
// How times lie around predictions: quantiles, tails and the mean of time / prediction. Never changed once it is made;
// any thread.
#pragma once

#include <vector>

#include "model/online/ratio_window.hpp"

namespace foretask::model {

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
