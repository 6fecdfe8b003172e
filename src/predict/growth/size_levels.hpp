// SPDX-License-Identifier: Apache-2.0
// Quantities whose logarithms are a level by size plus noise.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace foretask::predict {

// The values of an axis of a table, each once, smallest first.
[[nodiscard]] inline std::vector<double> distinct(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

// Of repeated measurements of a time the lower fifth, of three the least: what disturbs a run adds to it, and to a
// short one by most, so that the law of the medians would be one of the disturbances. At least one value.
[[nodiscard]] double undisturbed(std::vector<double> values);

// Relative standard deviation of the median of each group of repeated measurements, all above 0, by the values below
// it: those above were disturbed. A few repeats tell little, so each group's spread is drawn towards that of all; 0
// where nothing was repeated.
[[nodiscard]] std::vector<double> median_deviations(const std::vector<std::vector<double>>& groups);

// A table of two columns, n and a value above 0, in any order.
class SizeLevels {
 public:
  SizeLevels(std::vector<double> sizes, std::vector<double> values);

  [[nodiscard]] const std::vector<double>& sizes() const noexcept { return distinct_; }     // smallest first
  [[nodiscard]] const std::vector<double>& log_levels() const noexcept { return levels_; }  // means, as sizes()
  [[nodiscard]] double samples(std::size_t size) const { return counts_[size]; }
  [[nodiscard]] std::size_t size_of(double n) const;  // its place in sizes()

  // Relative standard deviation of a value around its size's level over the larger half of the sizes, when so many
  // parameters were fitted beside the levels; nothing where no size has enough values.
  [[nodiscard]] std::optional<double> noise(double parameters) const;

 private:
  std::vector<double> sizes_;
  std::vector<double> logs_;
  std::vector<double> distinct_;
  std::vector<double> levels_;
  std::vector<double> counts_;
};

}  // namespace foretask::predict
