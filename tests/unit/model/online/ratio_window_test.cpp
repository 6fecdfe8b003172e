// SPDX-License-Identifier: Apache-2.0
#include "model/online/ratio_window.hpp"

#include <cmath>

#include "unit/model/fit/fit_data.hpp"

using fit_test::Random;
using foretask::model::RatioWindow;

TEST_CASE("a full window's interval is bounded by the order statistics counted by hand") {
  RatioWindow window;
  // 1 .. 256 thousandths, in another order, since 101 is prime to 256, until the figures were brought up to date.
  for (int i = 0; i < 256 + 56; ++i) window.add(1e-3 * (1 + i * 101 % 256));
  // 257 gaps: 0.025 * 257 = 6.4 of them below the 6th, 0.975 * 257 = 250.6 up to the 251st.
  CHECK(window.interval().low == Approx(0.006).epsilon(1e-6));
  CHECK(window.interval().high == Approx(0.251).epsilon(1e-6));
  // The 231st of 256: 230 are below it, nine tenths of them.
  CHECK(window.noise() == Approx(0.231 / 1.645).epsilon(1e-6));
  CHECK(window.spike() == Approx(2.4 * 0.231).epsilon(1e-6));
}

TEST_CASE("the window is of the latest 256") {
  RatioWindow window;
  for (int i = 0; i < 500; ++i) window.add(5);
  for (int i = 0; i < 320; ++i) window.add(i % 2 == 0 ? 0.1 : -0.1);
  CHECK(window.count() == 256);
  CHECK(window.interval().low == Approx(-0.1));
  CHECK(window.interval().high == Approx(0.1));
  CHECK(window.noise() == Approx(0.1 / 1.645));
  CHECK(window.latest(0) == Approx(-0.1));
  CHECK(window.latest(1) == Approx(0.1));
}

TEST_CASE("few ratios have Student's interval") {
  RatioWindow window;
  for (const double ratio : {0.1, 0.2, 0.3, 0.4, 0.5}) window.add(ratio);
  // Mean 0.3, deviation sqrt(0.025), t(0.975, 4) = 2.776445, sqrt(1 + 1/5).
  CHECK(window.interval().low == Approx(0.3 - 2.776445 * std::sqrt(0.025) * std::sqrt(1.2)).epsilon(1e-5));
  CHECK(window.interval().high == Approx(0.3 + 2.776445 * std::sqrt(0.025) * std::sqrt(1.2)).epsilon(1e-5));
}

TEST_CASE("nothing known is a factor of five, no noise is a clock's") {
  RatioWindow window;
  CHECK(window.interval().low == Approx(-1.6));
  CHECK(window.interval().high == Approx(1.6));
  CHECK(std::isinf(window.spike()));
  window.add(0.3);
  CHECK(std::isinf(window.spike()));
  for (int i = 0; i < 300; ++i) window.add(0);
  CHECK(window.noise() == Approx(0.01));
  CHECK(window.spike() >= 0.05);
}

TEST_CASE("one ratio in ten may be anything without a word on the noise") {
  Random random(1);
  RatioWindow clean;
  RatioWindow spiked;
  for (int i = 0; i < 256; ++i) {
    const double ratio = 0.1 * random.normal();
    clean.add(ratio);
    spiked.add(i % 50 == 7 ? std::log(100) : ratio);
  }
  CHECK(clean.noise() == Approx(0.1).epsilon(0.15));
  CHECK(spiked.noise() == Approx(clean.noise()).epsilon(0.1));
  CHECK(spiked.spike() < 0.6);
}

TEST_CASE("a normal distribution's interval is that of its table") {
  Random random(2);
  double low = 0;
  double high = 0;
  for (int trial = 0; trial < 200; ++trial) {
    RatioWindow window;
    for (int i = 0; i < 256; ++i) window.add(random.normal());
    low += window.interval().low / 200;
    high += window.interval().high / 200;
  }
  CHECK(low == Approx(-1.96).epsilon(0.05));
  CHECK(high == Approx(1.96).epsilon(0.05));
}

TEST_CASE("what is dropped was never there") {
  RatioWindow window;
  for (int i = 0; i < 100; ++i) window.add(0.1);
  for (int i = 0; i < 20; ++i) window.add(3);
  window.drop_latest(20);
  CHECK(window.count() == 100);
  CHECK(window.interval().high == Approx(0.1));
  CHECK(window.latest(0) == Approx(0.1));
  window.drop_latest(1000);
  CHECK(window.count() == 0);
  CHECK(window.interval().high == Approx(1.6));
}
