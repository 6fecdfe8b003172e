// SPDX-License-Identifier: Apache-2.0
#include "trace/packet.hpp"

#include <array>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "catch.hpp"
#include "unit/trace/stream_bytes.hpp"

using foretask::test::StreamBytes;
using foretask::trace::checksum_of;

TEST_CASE("the checksum is that of a program written from its description in Python") {
  CHECK(checksum_of(nullptr, 0) == 0x06b4e174183baa97U);
  CHECK(checksum_of("a", 1) == 0x3470b8d7dc249a9dU);
  CHECK(checksum_of("abcdefgh", 8) == 0xd2c76a21d3382f71U);
  std::array<unsigned char, 256> ascending{};
  std::iota(ascending.begin(), ascending.end(), static_cast<unsigned char>(0));
  CHECK(checksum_of(ascending.data(), ascending.size()) == 0xc5cd36a3ffa26e50U);
  CHECK(checksum_of(std::string(100, '\0').data(), 100) == 0x353a68621e1dcb61U);
}

TEST_CASE("every length is summed as the description says, and every flipped bit shows") {
  std::vector<unsigned char> bytes(300);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i * 37 + 11);
  for (std::size_t size = 0; size <= bytes.size(); ++size)
    REQUIRE(checksum_of(bytes.data(), size) == StreamBytes::checksum(bytes.data(), size));
  const std::uint64_t whole = checksum_of(bytes.data(), bytes.size());
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    auto flipped = bytes;
    flipped[bit / 8] = static_cast<unsigned char>(flipped[bit / 8] ^ (1U << bit % 8));
    REQUIRE(checksum_of(flipped.data(), flipped.size()) != whole);
  }
}
