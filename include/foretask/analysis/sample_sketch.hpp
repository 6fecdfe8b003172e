// SPDX-License-Identifier: Apache-2.0
// A stream of times in bounded memory: exact moments and extremes, and close quantiles, closest in the tails. Sketches
// merge in any order. A merging t-digest (Dunning and Ertl 2019, scale k2), whose finest parts serve maxima and minima
// of many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "foretask/analysis/moments.hpp"

namespace foretask::analysis {

struct SketchCentroid {
  double mean = 0;
  double weight = 0;  // values it stands for
};

// Not thread safe, const calls included: use one a worker, and merge them. add() is amortised O(log size), and
// allocates at every `size`-th value.
class SampleSketch {
 public:
  // Keeps about `size` centroids, at least 16, of 16 bytes each, and a buffer as large.
  explicit SampleSketch(std::size_t size = 512);
  void add(double value);  // one that is not finite only counts in rejected()
  void merge(const SampleSketch& other);

  [[nodiscard]] Moments moments() const noexcept { return moments_.moments(); }  // exact
  [[nodiscard]] std::uint64_t count() const noexcept { return moments_.count(); }
  [[nodiscard]] std::uint64_t rejected() const noexcept { return rejected_; }
  [[nodiscard]] double min() const noexcept { return min_; }  // NaN without values
  [[nodiscard]] double max() const noexcept { return max_; }
  [[nodiscard]] double quantile(double probability) const;  // in [0, 1]; NaN without values
  // In order. Up to `size` values: the values, each with weight 1.
  [[nodiscard]] std::vector<SketchCentroid> centroids() const;

 private:
  void compress() const;

  std::size_t size_;
  RunningMoments moments_;
  std::uint64_t rejected_ = 0;
  double min_;
  double max_;
  mutable std::vector<SketchCentroid> centroids_;  // in order
  mutable std::vector<SketchCentroid> buffer_;     // added since, in no order
};

}  // namespace foretask::analysis
