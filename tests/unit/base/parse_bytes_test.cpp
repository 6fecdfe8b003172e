// SPDX-License-Identifier: Apache-2.0

#include "base/environment.hpp"
#include "catch.hpp"

using foretask::base::parse_bytes;

TEST_CASE("a number of bytes is plain or has one of K, M, G behind it") {
  CHECK(parse_bytes("0") == 0U);
  CHECK(parse_bytes("4096") == 4096U);
  CHECK(parse_bytes("64K") == 65536U);
  CHECK(parse_bytes("64k") == 65536U);
  CHECK(parse_bytes("2M") == 2097152U);
  CHECK(parse_bytes("2m") == 2097152U);
  CHECK(parse_bytes("10G") == 10737418240U);
  CHECK(parse_bytes("10g") == 10737418240U);
  CHECK(parse_bytes("007") == 7U);
}

TEST_CASE("what is no number of bytes is refused") {
  for (const char* text : {"", " ", "K", "1KB", "1KiB", "1T", "-1", "+1", "1.5M", " 1", "1 ", "0x10", "1e6", "many"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_bytes(text).has_value());
  }
}

TEST_CASE("a number of bytes that 64 bits cannot hold is refused, not wrapped") {
  CHECK(parse_bytes("18446744073709551615") == 18446744073709551615U);
  CHECK_FALSE(parse_bytes("18446744073709551616").has_value());
  CHECK(parse_bytes("18014398509481983K") == 18446744073709550592U);
  CHECK_FALSE(parse_bytes("18014398509481984K").has_value());
  CHECK(parse_bytes("17592186044415M") == 18446744073708503040U);
  CHECK_FALSE(parse_bytes("17592186044416M").has_value());
  CHECK(parse_bytes("17179869183G") == 18446744072635809792U);
  CHECK_FALSE(parse_bytes("17179869184G").has_value());
}
