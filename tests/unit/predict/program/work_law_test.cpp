// SPDX-License-Identifier: Apache-2.0
#include "predict/program/work_law.hpp"

#include <catch2/catch.hpp>

namespace foretask::predict {
namespace {

TEST_CASE("what waits for memory takes as much longer as the bandwidth falls short") {
  // 10 GB/s alone, 18 for two, 20 for three and more: two take 20 / 18 of the time, eight 80 / 20.
  const MemorySlowdown memory{{10e9, 18e9, 20e9}};
  CHECK(memory.at(1) == 1);
  CHECK(memory.at(2) == Approx(20.0 / 18));
  CHECK(memory.at(3) == Approx(1.5));
  CHECK(memory.at(8) == Approx(4));
  // More than p times as fast for p threads: no speed-up of memory.
  CHECK(MemorySlowdown{{10e9, 25e9}}.at(2) == 1);
}

TEST_CASE("a program of which half waits for memory is held back by it on more workers than were seen") {
  const MemorySlowdown memory{{10e9, 20e9, 24e9, 24e9}};
  std::vector<WorkSample> samples;
  for (const double n : {100, 200, 400, 800, 1600})
    for (const double p : {1, 2, 3, 4}) samples.push_back({n, p, 7 * n * (1 + 0.5 * (memory.at(p) - 1))});
  const WorkLaw law = WorkLaw::find(samples, &memory);
  // On 12: 120 / 24 = 5 times as long for the half that waits.
  CHECK(law.at(3200, 12).value == Approx(7 * 3200 * 3.0).epsilon(0.02));
  CHECK(law.serial(3200).value == Approx(7 * 3200).epsilon(0.01));
}

TEST_CASE("eq. 10 is found, and a serial run counts as a measurement of T1'") {
  std::vector<WorkSample> samples;
  for (const double n : {10, 20, 40, 80, 160}) {
    for (const double p : {1, 2, 4, 8}) samples.push_back({n, p, n * n * (1 + 0.1 * (p - 1) / p + 0.01 * (p - 1))});
    samples.push_back({n, 0, n * n});
  }
  const WorkLaw law = WorkLaw::find(samples);
  CHECK(law.at(640, 36).value == Approx(640 * 640 * (1 + 0.1 * 35 / 36 + 0.35)).epsilon(1e-4));
  CHECK(law.inflation(1).value == Approx(1));
}

}  // namespace
}  // namespace foretask::predict
