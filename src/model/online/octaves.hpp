// SPDX-License-Identifier: Apache-2.0
// Octaves of the parameters: how many samples lay where.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/online/observation.hpp"

namespace foretask::model {

// How many samples lay in each octave of each parameter: whether there are any nearby.
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

// Sign and exponent of a double: all numbers from one power of two to the next have the same.
[[nodiscard]] inline std::uint32_t octave_of(double value) noexcept {
  return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(value + 0.0) >> 52);  // -0 and 0 are equal
}

// Which part of the parameters' range a sample lies in: the octaves of all its parameters together, numbered as they
// come. Many samples of one region are kept from pushing out what is known of the others.
class Regions {
 public:
  // What comes when there are so many belongs to the last one.
  static constexpr std::uint32_t kMost = 64;

  // The number of the region; a new one where nothing was there before. O(regions), a few ns for the one asked for
  // last.
  [[nodiscard]] std::uint32_t of(Parameters parameters) { return named(name_of(parameters)); }
  // Where nothing was there before, the number that a new one would have.
  [[nodiscard]] std::uint32_t find(Parameters parameters) const noexcept { return find(name_of(parameters)); }
  // The same by the name that another model has it under.
  [[nodiscard]] std::uint32_t named(std::uint64_t name) {
    if (latest_ < names_.size() && names_[latest_] == name) return latest_;
    latest_ = std::min(find(name), kMost - 1);
    if (latest_ == names_.size()) names_.push_back(name);
    return latest_;
  }

  [[nodiscard]] std::span<const std::uint64_t> names() const noexcept { return names_; }
  void restore(std::vector<std::uint64_t> names) { names_ = std::move(names); }

 private:
  [[nodiscard]] static std::uint64_t name_of(Parameters parameters) noexcept {
    std::uint64_t name = 0;
    for (const double value : parameters) name = (name ^ octave_of(value)) * 0x9e3779b97f4a7c15ULL;
    return name;
  }
  [[nodiscard]] std::uint32_t find(std::uint64_t name) const noexcept {
    return static_cast<std::uint32_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
  }

  std::vector<std::uint64_t> names_;
  std::uint32_t latest_ = 0;
};

}  // namespace foretask::model
