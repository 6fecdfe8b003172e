// SPDX-License-Identifier: Apache-2.0
#include "base/module_offset.hpp"

#include "catch.hpp"

using foretask::base::module_offset_text;
using foretask::base::parse_module_offset;

TEST_CASE("a code address is written by its module and read again") {
  CHECK(module_offset_text("/usr/lib/libm.so.6", 0x1f) == "libm.so.6+0x1f");
  CHECK(module_offset_text("app", 0) == "app+0x0");
  const auto read = parse_module_offset("libm.so.6+0x1f [loop]");
  REQUIRE(read);
  CHECK(read->module == "libm.so.6");
  CHECK(read->offset == 31);
  CHECK(read->behind == " [loop]");
}

TEST_CASE("of several offsets in a name the last one counts") {
  const auto read = parse_module_offset("a+0x1+0xffffffffffffffff");
  REQUIRE(read);
  CHECK(read->module == "a+0x1");
  CHECK(read->offset == ~std::uint64_t{0});
  CHECK(read->behind.empty());
}

TEST_CASE("a name without an offset of 64 bits is none of a code address") {
  CHECK(!parse_module_offset("gemm"));
  CHECK(!parse_module_offset("app+0x"));
  CHECK(!parse_module_offset("app+0x10000000000000000"));
}
