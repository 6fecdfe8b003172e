// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cstdlib>

#include "foretask/granularity.hpp"

using foretask::Kernel;
using foretask::Subtree;

// Run with FORETASK=off, in a process of its own (tests/CMakeLists.txt).
TEST_CASE("off, parts become tasks as the program says", "[.][subtrees off]") {
  REQUIRE(std::getenv("FORETASK") != nullptr);
  const Kernel kernel("subtree off", {"n"});
  for (const bool by_default : {true, false}) {
    Subtree root(kernel, nullptr, 1000, by_default);
    CHECK(root.spawn() == by_default);
    CHECK(root.spawned() == by_default);
    CHECK(root.is_small() == !by_default);
    Subtree part(kernel, &root, 500, by_default);
    CHECK(part.spawn() == by_default);
    CHECK(part.spawned() == by_default);
  }
}
