// SPDX-License-Identifier: Apache-2.0
// By how much predictions were off: in each region of the parameters the latest fifty or so samples count most, and all
// regions count. A model that answers for all parameters is not chosen by those alone that came last.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace foretask::model {

class Score {
 public:
  struct Part {
    double sum = 0;
    double weight = 0;
  };

  // At most 1 a sample, so that a spike does not change the choice of a model. May throw std::bad_alloc.
  void add(std::uint32_t region, std::optional<double> predicted, double time);
  // In [0, 1]; 1 of none.
  [[nodiscard]] double value() const noexcept { return all_.weight > 0 ? all_.sum / all_.weight : 1; }
  [[nodiscard]] double weight() const noexcept { return all_.weight; }
  // Another model's, of whose samples a `part` is not counted here yet. `regions`: the number here of each of its
  // regions.
  void join(const Score& other, std::span<const std::uint32_t> regions, double part);
  // All errors so many times as large, up to 1 each.
  void scale(double factor) noexcept;

  [[nodiscard]] std::span<const Part> parts() const noexcept { return parts_; }
  void restore(std::vector<Part> parts);

 private:
  void sum_up() noexcept;

  std::vector<Part> parts_;  // by region
  Part all_;
};

}  // namespace foretask::model
