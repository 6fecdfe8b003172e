// SPDX-License-Identifier: Apache-2.0
#include "trace/packet.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace foretask::trace {
namespace {

// Odd, so that a multiplication by it loses nothing: 2^64 / the golden ratio.
constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15U;
constexpr int kTurn = 29;
// One multiplication takes 3 to 4 cycles, and a processor begins one a cycle: eight that do not wait for each other.
constexpr std::size_t kLanes = 8;
constexpr std::size_t kBlockBytes = kLanes * 8;

constexpr std::uint64_t mixed(std::uint64_t state, std::uint64_t word) {
  return std::rotl(state ^ word, kTurn) * kFactor;
}

std::uint64_t word_at(const unsigned char* bytes, std::size_t size) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, size);
  return word;
}

}  // namespace

std::uint64_t checksum_of(const void* bytes, std::size_t size) noexcept {
  const auto* at = static_cast<const unsigned char*>(bytes);
  std::uint64_t lanes[kLanes];
  for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] = (lane + 1) * kFactor;
  std::size_t left = size;
  for (; left >= kBlockBytes; left -= kBlockBytes, at += kBlockBytes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] = mixed(lanes[lane], word_at(at + 8 * lane, 8));
  for (std::size_t lane = 0; left != 0; ++lane) {
    const std::size_t part = std::min<std::size_t>(left, 8);
    lanes[lane] = mixed(lanes[lane], word_at(at, part));
    at += part;
    left -= part;
  }
  std::uint64_t sum = size;
  for (const std::uint64_t lane : lanes) sum = mixed(sum, lane);
  sum ^= sum >> 32;
  return sum == 0 ? 1 : sum;
}

}  // namespace foretask::trace
