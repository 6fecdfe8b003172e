// SPDX-License-Identifier: Apache-2.0
// By how much predictions were off: in each region of the parameters the latest fifty or so samples count most, and all
// regions count. A model that answers for all parameters is not chosen by those alone that came last.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace foretask::model {

class Score {
 public:
  struct Part {
    double sum = 0;
    double weight = 0;
  };

  // At most 1 a sample, so that a spike does not change the choice of a model. May throw std::bad_alloc.
  void add(std::uint32_t region, std::optional<double> predicted, double time) {
    if (region >= parts_.size()) parts_.resize(region + std::size_t{1});
    // |p - t| / max(p, t): half as long and twice as long are equally wrong, and nothing is more than 1.
    const double error = predicted ? std::abs(*predicted - time) / std::max(*predicted, time) : 1;
    Part& part = parts_[region];
    const Part before = part;
    part = {kKeep * part.sum + error, kKeep * part.weight + 1};
    all_ = {all_.sum + part.sum - before.sum, all_.weight + part.weight - before.weight};
  }
  // In [0, 1]; 1 of none.
  [[nodiscard]] double value() const noexcept { return all_.weight > 0 ? all_.sum / all_.weight : 1; }
  [[nodiscard]] double weight() const noexcept { return all_.weight; }
  // Another model's, of whose samples a `part` is not counted here yet. `regions`: the number here of each of its
  // regions.
  void join(const Score& other, std::span<const std::uint32_t> regions, double part) {
    for (std::size_t i = 0; i < other.parts_.size(); ++i) {
      const std::uint32_t region = i < regions.size() ? regions[i] : 0;
      if (region >= parts_.size()) parts_.resize(region + std::size_t{1});
      const Part sum{parts_[region].sum + part * other.parts_[i].sum,
                     parts_[region].weight + part * other.parts_[i].weight};
      const double kept = std::min(1.0, kMostWeight / std::max(sum.weight, 1.0));
      parts_[region] = {kept * sum.sum, kept * sum.weight};
    }
    sum_up();
  }
  // All errors so many times as large, up to 1 each.
  void scale(double factor) noexcept {
    for (Part& part : parts_) part.sum = std::min(factor * part.sum, part.weight);
    sum_up();
  }

  [[nodiscard]] std::span<const Part> parts() const noexcept { return parts_; }
  void restore(std::vector<Part> parts) {
    parts_ = std::move(parts);
    sum_up();
  }

 private:
  static constexpr double kKeep = 0.98;
  static constexpr double kMostWeight = 1 / (1 - kKeep);

  void sum_up() noexcept {
    all_ = {};
    for (const Part& part : parts_) {
      all_.sum += part.sum;
      all_.weight += part.weight;
    }
  }

  std::vector<Part> parts_;  // by region
  Part all_;
};

}  // namespace foretask::model
