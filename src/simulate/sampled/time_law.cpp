// SPDX-License-Identifier: Apache-2.0
#include "simulate/sampled/time_law.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace foretask::simulate {

TimeLaw::TimeLaw(std::span<const double> sorted) {
  const std::size_t size = sorted.size();
  const auto count = static_cast<double>(size);
  const double shortest = sorted.front();
  below_ = std::min(shortest, sorted[1] - shortest);
  // The root of n: enough for a mean, few enough to be of the tail.
  const auto longest = std::clamp<std::size_t>(static_cast<std::size_t>(std::lround(std::sqrt(count))), 1, size - 1);
  const double threshold = sorted[size - 1 - longest];
  for (std::size_t i = size - longest; i < size; ++i) beyond_ += (sorted[i] - threshold) / static_cast<double>(longest);
  // Above the shortest time, n + 1 times: what the gaps hold before scaling, and what they have to.
  double recorded = 0;
  for (const double time : sorted) recorded += time - shortest;
  const double gaps = recorded + (sorted.back() - shortest) / 2 + beyond_;
  if (gaps > 0) scale_ = ((count + 1) * recorded / count + below_ / 2) / gaps;
  beyond_ *= scale_;
}

TimeLaw::Drawn TimeLaw::at(std::span<const double> sorted, double place) const noexcept {
  const auto last = static_cast<std::uint32_t>(sorted.size() - 1);
  const double shortest = sorted.front();
  if (place < 1) return {shortest - (1 - place) * below_, 0};
  const auto index = static_cast<std::uint32_t>(place - 1);
  if (index >= last) {
    const double left = std::max(static_cast<double>(last) + 2 - place, 0x1p-60);  // of the gap: 1 to 0
    return {shortest + scale_ * (sorted[last] - shortest) - beyond_ * std::log(left), last};
  }
  const double share = place - 1 - static_cast<double>(index);
  const double time = sorted[index] + share * (sorted[index + 1] - sorted[index]);
  const bool is_nearer = share < 0.5 && sorted[index] > 0;
  return {shortest + scale_ * (time - shortest), is_nearer ? index : index + 1};
}

}  // namespace foretask::simulate
