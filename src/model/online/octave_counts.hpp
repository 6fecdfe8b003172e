// SPDX-License-Identifier: Apache-2.0
// How many samples lay in each octave of each parameter: whether there are any nearby.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/online/observation.hpp"

namespace foretask::model {

class OctaveCounts {
 public:
  // By the last six bits of the exponent: octaves that are 64 apart share a count.
  static constexpr std::uint32_t kOctaves = 64;
  using Counts = std::array<std::uint64_t, kOctaves>;

  explicit OctaveCounts(std::size_t parameters) : counts_(parameters) {}

  // Without the sign: -0 and 0 are in the same place.
  [[nodiscard]] static std::uint32_t place_of(double value) noexcept {
    return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(value) >> 52) % kOctaves;
  }

  void add(Parameters parameters, std::uint64_t samples = 1) noexcept {
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i][place_of(parameters[i])] += samples;
  }

  [[nodiscard]] const Counts& of(std::size_t parameter) const noexcept { return counts_[parameter]; }
  [[nodiscard]] Counts& of(std::size_t parameter) noexcept { return counts_[parameter]; }

  // Of each octave with its two neighbours: all that is within a factor of two, and nothing beyond four.
  [[nodiscard]] Counts nearby(std::size_t parameter) const noexcept {
    const Counts& own = counts_[parameter];
    Counts sums{};
    for (std::uint32_t i = 0; i < kOctaves; ++i)
      sums[i] = own[(i + kOctaves - 1) % kOctaves] + own[i] + own[(i + 1) % kOctaves];
    return sums;
  }

 private:
  std::vector<Counts> counts_;
};

}  // namespace foretask::model
