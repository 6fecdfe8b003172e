// SPDX-License-Identifier: Apache-2.0
// The longest of many, in constant memory and linear time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace foretask::report {

// `T` has length_ns(). Of equal ones any may stay.
template <typename T>
class Longest {
 public:
  explicit Longest(std::size_t most) : most_(most) {}

  void add(const T& one) {
    if (one.length_ns() <= threshold_ns_) return;
    kept_.push_back(one);
    if (kept_.size() >= 2 * most_) cut();
  }

  // In the order in which they were added, at most as many as there may be.
  [[nodiscard]] std::vector<T> take() {
    if (kept_.size() > most_) cut();
    return std::move(kept_);
  }

 private:
  void cut() {
    std::vector<std::int64_t> lengths;
    lengths.reserve(kept_.size());
    for (const T& one : kept_) lengths.push_back(one.length_ns());
    const auto last = lengths.begin() + static_cast<std::ptrdiff_t>(most_) - 1;
    std::nth_element(lengths.begin(), last, lengths.end(), std::greater<>());
    threshold_ns_ = *last;
    // Those above the threshold are fewer than `most_`; equal ones fill up.
    std::size_t equal = most_;
    for (const T& one : kept_) equal -= one.length_ns() > threshold_ns_ ? 1 : 0;
    std::erase_if(kept_, [&](const T& one) {
      if (one.length_ns() > threshold_ns_) return false;
      if (one.length_ns() < threshold_ns_ || equal == 0) return true;
      --equal;
      return false;
    });
  }

  std::size_t most_;
  std::int64_t threshold_ns_ = 0;
  std::vector<T> kept_;
};

}  // namespace foretask::report
