// SPDX-License-Identifier: Apache-2.0
#include "runtime/granularity/work_table.hpp"

#include <limits>

#include "catch.hpp"

using foretask::runtime::WorkTable;

TEST_CASE("means are of the same size, and of those within a sixteenth of a power of two") {
  WorkTable works;
  CHECK(works.mean(100) == 0);
  works.add(100, 10);
  CHECK(works.mean(100) == 10);
  works.add(100, 30);
  CHECK(works.mean(100) == 20);
  // 100 = 64 * (1 + 9/16), so that its sixteenth ends at 104.
  CHECK(works.mean(103.9) == 20);
  CHECK(works.mean(104) == 0);
  CHECK(works.mean(99.9) == 0);
  WorkTable all;
  for (int size = 0; size <= 32; ++size) all.add(size, static_cast<std::uint64_t>(size + 1) * 1000);
  for (int size = 0; size <= 32; ++size) CHECK(all.mean(size) == static_cast<std::uint64_t>(size + 1) * 1000);
}

TEST_CASE("a mean follows the latest sixteen") {
  WorkTable works;
  for (int i = 0; i < 1000; ++i) works.add(7, 1'000'000);
  CHECK(works.mean(7) == 1'000'000);
  // Of 16 steps of a sixteenth each exp(-1) = 0.37 of the old mean is left; of 160, nothing.
  for (int i = 0; i < 16; ++i) works.add(7, 4'000'000);
  CHECK(works.mean(7) > 2'800'000);
  for (int i = 0; i < 144; ++i) works.add(7, 4'000'000);
  CHECK(works.mean(7) > 3'990'000);
  CHECK(works.mean(7) <= 4'000'000);
  for (int i = 0; i < 160; ++i) works.add(7, 0);
  CHECK(works.mean(7) < 1000);
  CHECK(works.mean(7) > 0);  // 0 is: not known
}

TEST_CASE("the longest times fit") {
  WorkTable works;
  works.add(1, std::numeric_limits<std::uint64_t>::max());
  works.add(1, std::numeric_limits<std::uint64_t>::max());
  CHECK(works.mean(1) >= std::uint64_t{1} << 54);
}
