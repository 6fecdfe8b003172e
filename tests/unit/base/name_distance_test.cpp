// SPDX-License-Identifier: Apache-2.0
#include "base/name_distance.hpp"

#include "catch.hpp"

using foretask::base::name_distance;

TEST_CASE("distances of names are the edit distances of the literature") {
  CHECK(name_distance("kitten", "sitting") == 3);
  CHECK(name_distance("saturday", "sunday") == 3);
  CHECK(name_distance("", "abc") == 3);
  CHECK(name_distance("abc", "") == 3);
  CHECK(name_distance("same", "same") == 0);
}
