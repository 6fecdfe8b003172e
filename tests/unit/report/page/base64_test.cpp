// SPDX-License-Identifier: Apache-2.0
// The expected values are RFC 4648's, section 10.
#include "report/page/frame.hpp"

#include <string_view>

#include "catch.hpp"

using foretask::report::base64;

TEST_CASE("base 64 is that of RFC 4648") {
  CHECK(base64("") == "");
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fo") == "Zm8=");
  CHECK(base64("foo") == "Zm9v");
  CHECK(base64("foob") == "Zm9vYg==");
  CHECK(base64("fooba") == "Zm9vYmE=");
  CHECK(base64("foobar") == "Zm9vYmFy");
  // 0xfb 0xff 0x00: the last letters of the alphabet, and a zero.
  CHECK(base64(std::string_view("\xfb\xff\0", 3)) == "+/8A");
}

TEST_CASE("hexadecimal digits are bytes") {
  CHECK(foretask::report::base64_of_hex("666f6f626172") == "Zm9vYmFy");
  CHECK(foretask::report::base64_of_hex("") == "");
}
