// SPDX-License-Identifier: Apache-2.0
#include "model/online/change_detector.hpp"

#include "unit/model/fit/fit_data.hpp"

using fit_test::Random;
using foretask::model::ChangeDetector;

TEST_CASE("a change by three standard deviations is told by the seventh sample, up or down") {
  for (const double sign : {1.0, -1.0}) {
    ChangeDetector detector;
    int samples = 1;
    while (!detector.step(sign * 3, ChangeDetector::kFast)) ++samples;
    // 1.75 a sample, of 12.
    CHECK(samples == 7);
    CHECK(detector.since() == 7);
  }
}

TEST_CASE("five spikes in a row are no change, whatever they are of") {
  ChangeDetector detector;
  for (int i = 0; i < 5; ++i) CHECK_FALSE(detector.step(1e300, ChangeDetector::kFast));
  for (int i = 0; i < 20; ++i) CHECK_FALSE(detector.step(0, ChangeDetector::kFast));
}

TEST_CASE("steady noise, with a spike in a hundred, gives no alarm in a million samples") {
  ChangeDetector fast;
  ChangeDetector slow;
  Random random(1);
  int alarms = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    const double deviation = i % 100 == 50 ? 60 : random.normal();
    alarms += fast.step(deviation, ChangeDetector::kFast) ? 1 : 0;
    alarms += slow.step(deviation, ChangeDetector::kSlow) ? 1 : 0;
  }
  CHECK(alarms == 0);
}

TEST_CASE("a change as large as the noise is told, since its beginning") {
  ChangeDetector detector;
  Random random(2);
  for (int i = 0; i < 1000; ++i) REQUIRE_FALSE(detector.step(random.normal(), ChangeDetector::kSlow));
  unsigned samples = 1;
  while (!detector.step(1 + random.normal(), ChangeDetector::kSlow)) ++samples;
  CHECK(samples < 120);
  CHECK(detector.since() + 30 > samples);
  CHECK(detector.since() < samples + 30);
  detector.reset();
  CHECK(detector.since() == 0);
}
