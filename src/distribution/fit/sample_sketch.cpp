// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/sample_sketch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace foretask::analysis {
namespace {

bool by_mean(const SketchCentroid& a, const SketchCentroid& b) { return a.mean < b.mean; }

// Scale k2 (Dunning and Ertl 2019, section 2.3): a centroid around the share q of all weight stands for at most
// coarseness q (1 - q) of it, and for one value where that is less. This coarseness makes about `wanted` centroids:
// 1 / coarseness single values at either end, and between them as many full ones as log odds / coarseness.
double coarseness_for(double count, double wanted) {
  double coarseness = 2 / wanted;
  for (int i = 0; i < 20; ++i) coarseness = 2 * (1 + std::log(std::max(coarseness * count, 1.0))) / wanted;
  return coarseness;
}

// Neighbours of `sorted` merged as far as the scale lets them.
std::vector<SketchCentroid> merged(const std::vector<SketchCentroid>& sorted, double count, double coarseness) {
  std::vector<SketchCentroid> result;
  double before = 0;  // weight of all centroids before the last
  for (const SketchCentroid& next : sorted) {
    if (!result.empty()) {
      SketchCentroid& last = result.back();
      const double weight = last.weight + next.weight;
      const double q = (before + weight / 2) / count;
      // The scale is steepest at the outer end of a centroid.
      const double from = before / count;
      const double to = (before + weight) / count;
      const double least = std::min({from * (1 - from), to * (1 - to), q * (1 - q)});
      if (weight <= coarseness * count * least) {
        last.mean += (next.mean - last.mean) * next.weight / weight;
        last.weight = weight;
        continue;
      }
      before += last.weight;
    }
    result.push_back(next);
  }
  return result;
}

}  // namespace

SampleSketch::SampleSketch(std::size_t size)
    : size_(std::max<std::size_t>(size, 16)),
      min_(std::numeric_limits<double>::quiet_NaN()),
      max_(std::numeric_limits<double>::quiet_NaN()) {
  centroids_.reserve(size_);
  buffer_.reserve(size_);
}

void SampleSketch::add(double value) {
  if (!std::isfinite(value)) {
    ++rejected_;
    return;
  }
  if (count() == 0) min_ = max_ = value;
  min_ = std::min(min_, value);
  max_ = std::max(max_, value);
  moments_.add(value);
  buffer_.push_back({value, 1});
  if (buffer_.size() >= size_) compress();
}

void SampleSketch::merge(const SampleSketch& other) {
  rejected_ += other.rejected_;
  if (other.count() == 0) return;
  if (count() == 0) {
    min_ = other.min_;
    max_ = other.max_;
  }
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  const std::vector<SketchCentroid> theirs = other.centroids();  // a copy: `other` may be this one
  moments_.merge(RunningMoments(other.moments_));
  buffer_.insert(buffer_.end(), theirs.begin(), theirs.end());
  compress();
}

void SampleSketch::compress() const {
  if (buffer_.empty()) return;
  std::sort(buffer_.begin(), buffer_.end(), by_mean);
  std::vector<SketchCentroid> all;
  all.reserve(centroids_.size() + buffer_.size());
  std::merge(centroids_.begin(), centroids_.end(), buffer_.begin(), buffer_.end(), std::back_inserter(all), by_mean);
  buffer_.clear();
  if (all.size() > size_) {
    const auto total = static_cast<double>(count());
    constexpr double kCoarser = 1.1;
    double coarseness = coarseness_for(total, static_cast<double>(size_));
    std::vector<SketchCentroid> fewer = merged(all, total, coarseness);
    while (fewer.size() > size_) fewer = merged(all, total, coarseness *= kCoarser);
    all = std::move(fewer);
  }
  centroids_ = std::move(all);
}

std::vector<SketchCentroid> SampleSketch::centroids() const {
  compress();
  return centroids_;
}

double SampleSketch::quantile(double probability) const {
  if (count() == 0 || !(probability >= 0 && probability <= 1)) return std::numeric_limits<double>::quiet_NaN();
  compress();
  // A centroid's values lie half below and half above its mean; between two means, on a line.
  const double wanted = probability * static_cast<double>(count());
  double before = 0;
  double last_at = 0;
  double last_mean = min_;
  for (const SketchCentroid& centroid : centroids_) {
    const double at = before + centroid.weight / 2;
    if (wanted <= at) {
      // The outermost value itself, where it stands for itself alone.
      if (before == 0 && centroid.weight == 1) return min_;
      return last_mean + (centroid.mean - last_mean) * (wanted - last_at) / (at - last_at);
    }
    before += centroid.weight;
    last_at = at;
    last_mean = centroid.mean;
  }
  if (centroids_.back().weight == 1) return max_;
  return last_mean + (max_ - last_mean) * (wanted - last_at) / (before - last_at);
}

}  // namespace foretask::analysis
