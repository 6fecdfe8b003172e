// SPDX-License-Identifier: Apache-2.0
// A stream of times in bounded memory: exact moments, extremes, and quantiles close to exact, best in the tails. Two
// sketches merge, in any order, into one of both streams. A merging t-digest (Dunning and Ertl 2019, scale k2), so that
// what maxima and minima of many need is kept at its finest.
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

// Not thread safe; one a worker, merged later. add() is amortised O(log size), no allocation after the first values.
class SampleSketch {
 public:
  // About `size` centroids are kept, 16 bytes each (and as much again as a buffer). At least 16.
  explicit SampleSketch(std::size_t size = 512);
  void add(double value);  // one that is not finite is counted in rejected() alone
  void merge(const SampleSketch& other);

  [[nodiscard]] Moments moments() const noexcept { return moments_.moments(); }  // exact
  [[nodiscard]] std::uint64_t count() const noexcept { return moments_.count(); }
  [[nodiscard]] std::uint64_t rejected() const noexcept { return rejected_; }
  [[nodiscard]] double min() const noexcept { return min_; }  // NaN of none
  [[nodiscard]] double max() const noexcept { return max_; }
  [[nodiscard]] double quantile(double probability) const;  // in [0, 1]; NaN of none
  // In order; of up to `size` values the values themselves, each with weight 1.
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
