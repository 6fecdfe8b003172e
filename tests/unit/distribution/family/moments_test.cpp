// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/moments.hpp"

#include <cmath>
#include <random>
#include <vector>

#include "catch.hpp"

using namespace foretask::analysis;

namespace {

// Mean 5, squares from it 32 / 8, cubes 42 / 8, fourth powers 356 / 8.
const std::vector<double> kByHand{2, 4, 4, 4, 5, 5, 7, 9};

RunningMoments running(const std::vector<double>& values, double offset = 0) {
  RunningMoments result;
  for (const double value : values) result.add(value + offset);
  return result;
}

void check_same(const Moments& a, const Moments& b, double within) {
  CHECK(a.mean == Approx(b.mean).epsilon(within));
  CHECK(a.variance == Approx(b.variance).epsilon(within));
  CHECK(a.skewness == Approx(b.skewness).epsilon(within));
  CHECK(a.kurtosis == Approx(b.kurtosis).epsilon(within));
}

}  // namespace

TEST_CASE("running moments of eight values are those by hand", "[distribution]") {
  const RunningMoments moments = running(kByHand);
  CHECK(moments.count() == 8);
  check_same(moments.moments(), {5, 4, 0.65625, 2.78125}, 1e-14);
}

TEST_CASE("moments in raw form are those by hand, and come back from it", "[distribution]") {
  const Moments moments{5, 4, 0.65625, 2.78125};
  const auto raw = moments.raw();
  CHECK(raw[0] == Approx(5).epsilon(1e-14));
  CHECK(raw[1] == Approx(29).epsilon(1e-14));
  CHECK(raw[2] == Approx(190.25).epsilon(1e-14));
  CHECK(raw[3] == Approx(1374.5).epsilon(1e-14));
  check_same(Moments::of_raw({5, 29, 190.25, 1374.5}), moments, 1e-13);
}

TEST_CASE("a large offset takes no digits of the shape", "[distribution]") {
  check_same(running(kByHand, 1e9).moments(), {1e9 + 5, 4, 0.65625, 2.78125}, 1e-6);
}

TEST_CASE("parts of a stream merge in any order into the moments of the whole", "[distribution]") {
  std::mt19937_64 random(7);
  std::vector<RunningMoments> parts(9);
  RunningMoments whole;
  for (int i = 0; i < 900; ++i) {
    const double value = std::pow(static_cast<double>(random() >> 11) * 0x1p-53, 3);
    whole.add(value);
    parts[static_cast<std::size_t>(i % 3 == 0 ? 0 : i % 9)].add(value);  // parts of 1/3 and less, two of nothing
  }
  RunningMoments forward;
  for (const RunningMoments& part : parts) forward.merge(part);
  RunningMoments backward;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) backward.merge(*part);
  RunningMoments halves[2];
  for (std::size_t i = 0; i < parts.size(); ++i) halves[i % 2].merge(parts[i]);
  halves[0].merge(halves[1]);
  for (const RunningMoments& merged : {forward, backward, halves[0]}) {
    CHECK(merged.count() == 900);
    check_same(merged.moments(), whole.moments(), 1e-12);
  }
}

TEST_CASE("moments without spread have no shape, and none of a stream are zero", "[distribution]") {
  const Moments same = running({0.1, 0.1, 0.1}).moments();
  CHECK(same.mean == 0.1);
  CHECK(same.variance == 0);
  CHECK(same.skewness == 0);
  CHECK(same.kurtosis == 3);
  CHECK(RunningMoments().count() == 0);
  CHECK(Moments::of_raw({2, 4, 8, 16}).variance == 0);
}
