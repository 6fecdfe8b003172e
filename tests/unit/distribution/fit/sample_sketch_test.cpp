// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/sample_sketch.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"

using namespace foretask::analysis;

namespace {

constexpr long kMany = 200000;

// The (i + 1/2) / kMany quantiles of the exponential distribution, each once, in an order that jumps about: 61193 has
// no factor with kMany in common.
double exponential(long i) {
  return -std::log1p(-(static_cast<double>(i * 61193 % kMany) + 0.5) / static_cast<double>(kMany));
}

void check_quantiles(const SampleSketch& sketch, double in_tails, double inside) {
  for (const double p : {0.01, 0.1, 0.5, 0.9, 0.99}) {
    CAPTURE(p);
    CHECK(sketch.quantile(p) == Approx(-std::log1p(-p)).epsilon(inside));
  }
  for (const double p : {5e-5, 1e-3, 0.999, 0.9999, 0.99995}) {
    CAPTURE(p);
    CHECK(sketch.quantile(p) == Approx(-std::log1p(-p)).epsilon(in_tails));
  }
}

}  // namespace

TEST_CASE("quantiles of a long stream are close, and its moments exact", "[distribution]") {
  SampleSketch sketch;
  RunningMoments moments;
  for (long i = 0; i < kMany; ++i) {
    sketch.add(exponential(i));
    moments.add(exponential(i));
  }
  check_quantiles(sketch, 0.01, 0.005);
  CHECK(sketch.count() == kMany);
  CHECK(sketch.moments().variance == moments.moments().variance);
  CHECK(sketch.quantile(0) == sketch.min());
  CHECK(sketch.quantile(1) == sketch.max());
  CHECK(sketch.max() == Approx(std::log(2.0 * kMany)));
  double weight = 0;
  for (const SketchCentroid& centroid : sketch.centroids()) weight += centroid.weight;
  CHECK(weight == kMany);
  CHECK(sketch.centroids().size() <= 512);
  CHECK(sketch.centroids().front().weight == 1);
  CHECK(sketch.centroids().back().weight == 1);
}

TEST_CASE("a hundred merged parts are as good as one stream", "[distribution]") {
  SampleSketch whole;
  RunningMoments moments;
  for (long part = 0; part < 100; ++part) {
    SampleSketch sketch;
    for (long i = part; i < kMany; i += 100) sketch.add(exponential(i));
    whole.merge(sketch);
    moments.merge([&] {
      RunningMoments own;
      for (long i = part; i < kMany; i += 100) own.add(exponential(i));
      return own;
    }());
  }
  check_quantiles(whole, 0.01, 0.005);
  CHECK(whole.count() == kMany);
  CHECK(whole.moments().kurtosis == Approx(moments.moments().kurtosis).epsilon(1e-12));
  CHECK(whole.centroids().size() <= 512);
}

TEST_CASE("few values are kept as they are", "[distribution]") {
  SampleSketch sketch(16);
  for (int i = 16; i > 0; --i) sketch.add(i);
  const auto centroids = sketch.centroids();
  REQUIRE(centroids.size() == 16);
  for (std::size_t i = 0; i < 16; ++i) {
    CHECK(centroids[i].mean == static_cast<double>(i + 1));
    CHECK(centroids[i].weight == 1);
  }
  CHECK(sketch.quantile(0.5) == 8.5);
  CHECK(sketch.quantile(3.5 / 16) == 4);
  SampleSketch twice = sketch;
  twice.merge(twice);
  CHECK(twice.count() == 32);
  CHECK(twice.centroids().size() <= 16);
  CHECK(twice.moments().mean == Approx(8.5).epsilon(1e-14));
}

TEST_CASE("one value and equal values are their own quantiles", "[distribution]") {
  SampleSketch one;
  one.add(3);
  for (const double p : {0.0, 0.3, 1.0}) CHECK(one.quantile(p) == 3);
  SampleSketch equal(32);
  for (int i = 0; i < 10000; ++i) equal.add(0.1);
  for (const double p : {0.0, 1e-5, 0.3, 1.0}) CHECK(equal.quantile(p) == Approx(0.1).epsilon(1e-15));
  CHECK(equal.moments().variance == 0);
}

TEST_CASE("what is no number is counted apart", "[distribution]") {
  SampleSketch sketch;
  CHECK(std::isnan(sketch.quantile(0.5)));
  CHECK(std::isnan(sketch.min()));
  CHECK(sketch.centroids().empty());
  sketch.add(std::nan(""));
  sketch.add(std::numeric_limits<double>::infinity());
  sketch.add(2);
  SampleSketch other;
  other.add(-std::numeric_limits<double>::infinity());
  sketch.merge(other);
  CHECK(sketch.rejected() == 3);
  CHECK(sketch.count() == 1);
  CHECK(sketch.max() == 2);
  CHECK(std::isnan(sketch.quantile(1.5)));
}
