// SPDX-License-Identifier: Apache-2.0
// Means, quantiles and tails of kernels whose times are lognormal: the expected values are the distribution's.
#include <cmath>
#include <random>

#include "catch.hpp"
#include "predict/online/snapshot.hpp"

using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;
using foretask::model::KernelModel;
using foretask::predict::Snapshot;

namespace {

// A kernel without parameters of median 1 us.
std::unique_ptr<const Snapshot> lognormal(double sigma, int samples, unsigned seed = 1) {
  KernelModel model({.parameters = {}, .terms = {}});
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, sigma);
  for (int i = 0; i < samples; ++i) model.learn({}, 1000 * std::exp(normal(random)));
  return Snapshot::of(model);
}

}  // namespace

TEST_CASE("the mean of skewed times counts what is far off") {
  for (const double sigma : {0.1, 1.0, 1.5, 2.0}) {
    CAPTURE(sigma);
    const double expected = 1000 * std::exp(0.5 * sigma * sigma);
    // Of some 4,000 samples: three standard errors.
    const double error = 3 * std::sqrt(std::expm1(sigma * sigma) / 4000);
    CHECK_THAT(lognormal(sigma, 20'000)->mean(nullptr), WithinRel(expected, error));
  }
}

TEST_CASE("quantiles and tails are those of the distribution") {
  const auto known = lognormal(1, 5'000);
  // Standard errors of order statistics of 256, in logarithms: 0.08, 0.107; three of them.
  CHECK_THAT(std::log(known->quantile(nullptr, 0.5) / 1000), WithinAbs(0, 0.24));
  CHECK_THAT(std::log(known->quantile(nullptr, 0.9) / 1000), WithinAbs(1.2816, 0.33));
  CHECK_THAT(std::log(known->quantile(nullptr, 0.1) / 1000), WithinAbs(-1.2816, 0.33));
  CHECK_THAT(known->exceeds(nullptr, 1000), WithinAbs(0.5, 0.1));
  CHECK_THAT(known->exceeds(nullptr, 1000 * std::exp(1.2816)), WithinAbs(0.1, 0.06));
  CHECK(known->exceeds(nullptr, 0) == 1);
  CHECK(known->exceeds(nullptr, 1e15) > 0);
  CHECK(known->exceeds(nullptr, 1e15) < 0.01);
  for (const double probability : {0.02, 0.3, 0.77})
    CHECK_THAT(known->exceeds(nullptr, known->quantile(nullptr, probability)), WithinAbs(1 - probability, 1e-4));
}

TEST_CASE("few samples have wide tails, and the interval's ends for quantiles") {
  const auto known = lognormal(0.2, 12);
  const auto prediction = known->predict(nullptr);
  CHECK_THAT(known->quantile(nullptr, 0.025), WithinRel(prediction.low, 1e-6));
  CHECK_THAT(known->quantile(nullptr, 0.975), WithinRel(prediction.high, 1e-6));
  CHECK_THAT(known->exceeds(nullptr, prediction.high), WithinAbs(0.025, 1e-6));
  CHECK_THAT(known->exceeds(nullptr, prediction.low), WithinAbs(0.975, 1e-6));
}

TEST_CASE("beyond what was seen quantiles lie as far apart as the interval says") {
  KernelModel model({.parameters = {"n"}, .terms = {}});
  std::mt19937 random(3);
  std::normal_distribution<double> noise(0, 0.1);
  for (int i = 0; i < 400; ++i) {
    const double n = 100 + i;
    model.learn({&n, 1}, 50 * n * std::exp(noise(random)));
    if (model.search_is_due()) model.search();
  }
  const auto known = Snapshot::of(model);
  const double inside = 300.5;
  const double outside = 50'000;
  const auto spread = [&](const double& n) { return known->quantile(&n, 0.9) / known->quantile(&n, 0.1); };
  CHECK(spread(outside) > 1.5 * spread(inside));
}

TEST_CASE("the mean leaves out what was predicted before anything was known there") {
  KernelModel model({.parameters = {"n"}, .terms = {}});
  for (int i = 0; i < 2'000; ++i) {
    const double n = i % 2 == 0 ? 10 : 1e6;
    model.learn({&n, 1}, 1000 * n);
    if (model.search_is_due()) model.search();
  }
  const auto known = Snapshot::of(model);
  for (const double n : {10.0, 1e6}) CHECK_THAT(known->mean(&n), WithinRel(1000 * n, 0.05));
}

TEST_CASE("any probability and any time have an answer") {
  for (const int samples : {1, 2, 12, 500}) {
    CAPTURE(samples);
    const auto known = lognormal(0.2, samples);
    for (const double probability : {1e-300, 1e-20, 1 - 1e-16}) CHECK(known->quantile(nullptr, probability) > 0);
    for (const double time : {1e-300, 1e300, HUGE_VAL}) {
      CHECK(known->exceeds(nullptr, time) >= 0);
      CHECK(known->exceeds(nullptr, time) <= 1);
    }
  }
}
