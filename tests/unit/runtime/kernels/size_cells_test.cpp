// SPDX-License-Identifier: Apache-2.0
#include "runtime/kernels/size_cells.hpp"

#include <limits>

#include "catch.hpp"

using foretask::runtime::SizeCells;

TEST_CASE("sizes are what is not negative and finite") {
  for (const double size : {0.0, 1e-300, 0.5, 1.0, 1e300}) CHECK(SizeCells::is_size(size));
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double size : {-0.0, -1.0, kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN()})
    CHECK_FALSE(SizeCells::is_size(size));
}

TEST_CASE("larger sizes are in later cells, sixteen a power of two, and 0 in one of its own") {
  // 1 = 2^-16 * 2^16.
  CHECK(SizeCells::place_of(1) == 16 * 16);
  CHECK(SizeCells::place_of(2) == 17 * 16);
  CHECK(SizeCells::place_of(3) == 17 * 16 + 8);
  CHECK(SizeCells::place_of(3.1) == 17 * 16 + 8);
  CHECK(SizeCells::place_of(0x1p-16) == 0);
  CHECK(SizeCells::place_of(0x1.ffp47) == 64 * 16 - 1);
  CHECK(SizeCells::place_of(0x1p48) == 0);
  CHECK(SizeCells::place_of(0x1p-80) == 0);
  CHECK(SizeCells::place_of(0) == 64 * 16);
  CHECK(SizeCells::place_of(1e-320) < SizeCells::kCells);
  CHECK(SizeCells::place_of(1.7e308) < SizeCells::kCells);
}
