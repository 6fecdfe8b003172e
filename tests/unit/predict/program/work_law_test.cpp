// SPDX-License-Identifier: Apache-2.0
#include "predict/program/work_law.hpp"

#include "catch.hpp"

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

TEST_CASE("what was counted of memory tells what more workers cost before any were seen") {
  const MemorySlowdown memory{{10e9, 10e9}};
  // 2.5 bytes a ns of 10: a quarter of the work. More than all of it cannot wait.
  CHECK(memory.share(2.5e6, 1e6) == Approx(0.25));
  CHECK(memory.share(2.5e6, 1e5) == 1);
  std::vector<WorkSample> samples;
  for (const double n : {100, 200, 400, 800, 1600})
    samples.push_back({.n = n, .p = 1, .work = 7 * n, .memory_share = 0.25});
  const WorkLaw law = WorkLaw::find(samples, &memory);
  CHECK(law.has_counted_memory());
  CHECK(law.serial(3200).value == Approx(7 * 3200).epsilon(0.01));
  // On 5 a quarter takes 5 times as long: 0.75 + 1.25.
  CHECK(law.at(3200, 5).value == Approx(7 * 3200 * 2.0).epsilon(0.01));
}

TEST_CASE("where more workers show that half of the counted traffic is hidden, half of it counts") {
  const MemorySlowdown memory{{10e9, 10e9}};
  std::vector<WorkSample> samples;
  for (const double n : {100, 200, 400, 800, 1600})
    for (const double p : {1, 2}) {
      // 1 + 0.25 (2 - 1) is foretold of two workers, 1.125 was measured.
      samples.push_back({.n = n, .p = p, .work = 7 * n * (p == 1 ? 1 : 1.125), .memory_share = 0.25});
    }
  const WorkLaw law = WorkLaw::find(samples, &memory);
  CHECK(law.at(3200, 2).value == Approx(7 * 3200 * 1.125).epsilon(0.01));
  CHECK(law.at(3200, 5).value == Approx(7 * 3200 * 1.5).epsilon(0.01));
}

TEST_CASE("one run without counted misses, and nothing is taken as counted") {
  const MemorySlowdown memory{{10e9, 10e9}};
  const std::vector<WorkSample> samples{{.n = 100, .p = 1, .work = 700, .memory_share = 0.25},
                                        {.n = 200, .p = 1, .work = 1400}};
  const WorkLaw law = WorkLaw::find(samples, &memory);
  CHECK_FALSE(law.has_counted_memory());
  CHECK(law.inflation(5).value == 1);
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

TEST_CASE("beyond two workers alone the work stays as on two, but for the memory as far as it was measured") {
  std::vector<WorkSample> samples;
  for (const double n : {100, 200, 400, 800, 1600})
    for (const double p : {1, 2}) samples.push_back({n, p, 7 * n * (p == 1 ? 1 : 1.3)});
  const WorkLaw law = WorkLaw::find(samples);
  for (const double p : {2, 4, 64}) CHECK(law.inflation(p).value == Approx(1.3).epsilon(0.01));
  CHECK(law.inflation(64).log_sd > 10 * law.inflation(2).log_sd);
  // It may be the memory: on three threads that was measured too, on four it was not.
  const MemorySlowdown memory{{10e9, 10e9, 10e9}};
  const WorkLaw with_memory = WorkLaw::find(samples, &memory);
  CHECK(with_memory.inflation(3).value > 1.31);
  CHECK(with_memory.inflation(64).value == Approx(with_memory.inflation(3).value));
}

}  // namespace
}  // namespace foretask::predict
