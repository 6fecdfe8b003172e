// SPDX-License-Identifier: Apache-2.0
// HOT: many short times, summed up so that their mean can be had without the outliers. 1 KiB.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace foretask::statistics {

class TimeHistogram {
 public:
  // Negative times count as 0.
  void add(std::int64_t ns) noexcept {
    const auto value = ns > 0 ? static_cast<std::uint64_t>(ns) : 0;
    Bucket& bucket = buckets_[static_cast<std::size_t>(std::bit_width(value))];
    ++bucket.count;
    bucket.sum_ns += static_cast<double>(value);
    ++count_;
  }
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

  [[nodiscard]] double sum_ns() const noexcept { return mean_ns() * static_cast<double>(count_); }

  // The mean of the times that are less than about 2^farther times the median: the others waited for something else on
  // the machine. 0 of none.
  [[nodiscard]] double mean_ns(std::size_t farther = 6) const noexcept {
    std::uint64_t below = 0;
    std::size_t median = 0;
    while (median + 1 < buckets_.size() && 2 * (below + buckets_[median].count) < count_)
      below += buckets_[median++].count;
    double sum_ns = 0;
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < buckets_.size() && i <= median + farther; ++i) {
      sum_ns += buckets_[i].sum_ns;
      count += buckets_[i].count;
    }
    return count == 0 ? 0 : sum_ns / static_cast<double>(count);
  }

 private:
  struct Bucket {
    std::uint64_t count = 0;
    double sum_ns = 0;
  };
  std::array<Bucket, 65> buckets_;  // of the times with as many bits
  std::uint64_t count_ = 0;
};

}  // namespace foretask::statistics
