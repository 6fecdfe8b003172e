// SPDX-License-Identifier: Apache-2.0
// The sources of a kernel's spread, on tasks whose times are made of known parts.
#include <cmath>
#include <random>

#include "catch.hpp"
#include "foretask/analysis/variability.hpp"

using namespace foretask::analysis;

namespace {

// Tasks of `instructions` x 0.5 ns, with noise of `noise` (a share).
struct Made {
  explicit Made(std::uint32_t seed, double noise_share = 0.02) : random(seed), noise(noise_share) {}

  double normal() { return std::normal_distribution<double>()(random); }
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); }

  // `time` without its noise.
  void add(double time, double workers, double instructions) {
    data.time_ns.push_back(time * std::exp(noise * normal()));
    data.active_workers.push_back(workers);
    data.instructions.push_back(instructions);
  }

  std::mt19937 random;
  double noise;
  SpreadData data;
};

const SpreadFactor& factor(const Variability& result, SpreadSource source) {
  for (const SpreadFactor& one : result.factors)
    if (one.source == source) return one;
  FAIL("a source is missing");
  return result.factors.front();
}

constexpr auto kInput = SpreadSource::kInputDependence;
constexpr auto kBehaviours = SpreadSource::kSeveralBehaviours;
constexpr auto kShared = SpreadSource::kSharedResources;

}  // namespace

TEST_CASE("times that follow the instructions are input dependence") {
  Made made(GENERATE(1, 2, 3));
  for (int i = 0; i < 1000; ++i) {
    const double instructions = std::exp(made.uniform(std::log(1e5), std::log(1e7)));
    made.add(0.5 * instructions, made.uniform(1, 4), instructions);
  }
  const Variability result = explain_spread(made.data);
  CHECK(result.verdict == SpreadVerdict::kExplained);
  REQUIRE(result.factors.front().source == kInput);
  CHECK(result.factors.front().by == "instructions");
  CHECK(result.factors.front().share > 0.95);
  CHECK(result.factors.front().p < 1e-9);
  CHECK(factor(result, kShared).share < 0.02);
  CHECK_THAT(result.text, Catch::Matchers::StartsWith("input dependence: "));
}

TEST_CASE("a parameter that says as much as the instructions is named as the cause") {
  Made made(4);
  SpreadColumn n{"n", {}};
  SpreadColumn m{"m", {}};
  for (int i = 0; i < 600; ++i) {
    n.values.push_back(16 << made.random() % 5);
    m.values.push_back(made.uniform(10, 100));
    const double instructions = n.values.back() * m.values.back() * 100;
    made.add(0.5 * instructions, 2, instructions * std::exp(0.01 * made.normal()));
  }
  made.data.parameters = {n, m};
  SECTION("both together where it takes both") {
    const Variability result = explain_spread(made.data);
    CHECK(result.factors.front().source == kInput);
    CHECK(result.factors.front().by == "n, m together");
    CHECK(result.factors.front().share > 0.9);
  }
  SECTION("without instructions") {
    made.data.instructions.clear();
    const Variability result = explain_spread(made.data);
    CHECK(result.factors.front().by == "n, m together");
    CHECK(factor(result, kShared).judged == false);  // always two workers, and no misses
  }
  SECTION("a parameter that is not known of every task is left alone") {
    made.data.instructions.clear();
    made.data.parameters[1].values[7] = std::nan("");
    CHECK(explain_spread(made.data).factors.front().by == "n");
  }
}

TEST_CASE("two groups of instructions are several behaviours, not input dependence") {
  Made made(5, 0.05);
  for (int i = 0; i < 800; ++i) {
    const double instructions = (made.random() % 3 == 0 ? 8e6 : 1e5) * std::exp(0.03 * made.normal());
    made.add(0.5 * instructions, made.uniform(1, 4), instructions);
  }
  const Variability result = explain_spread(made.data);
  CHECK(result.verdict == SpreadVerdict::kExplained);
  REQUIRE(result.factors.front().source == kBehaviours);
  CHECK(result.factors.front().by == "two groups by instructions");
  CHECK(result.factors.front().share > 0.95);
  CHECK(factor(result, kInput).share == 0);
}

TEST_CASE("two groups that only the times show are several behaviours, where they are mixed") {
  Made made(6, 0.05);
  for (int i = 0; i < 500; ++i) made.add(made.random() % 2 == 0 ? 1e5 : 5e5, 2, 0);
  made.data.instructions.clear();
  const Variability result = explain_spread(made.data);
  CHECK(result.verdict == SpreadVerdict::kExplained);
  CHECK(result.factors.front().source == kBehaviours);
  CHECK_FALSE(factor(result, kInput).judged);
  CHECK_THAT(result.text, Catch::Matchers::ContainsSubstring("input dependence not judged"));
}

TEST_CASE("two groups that come one after the other may be the machine's doing: nothing is claimed") {
  Made made(7, 0.05);
  for (int i = 0; i < 500; ++i) made.add(i < 200 || i > 400 ? 1e5 : 2e5, 2, 0);
  made.data.instructions.clear();
  const Variability result = explain_spread(made.data);
  CHECK(result.verdict == SpreadVerdict::kUnexplained);
  CHECK_FALSE(factor(result, kBehaviours).judged);
  CHECK_THAT(result.text, Catch::Matchers::ContainsSubstring("come in stretches"));
}

TEST_CASE("times that grow with the active workers at equal instructions are shared resources") {
  Made made(8, 0.03);
  for (int i = 0; i < 900; ++i) {
    const double workers = 1 + static_cast<double>(made.random() % 4);
    made.add(1e5 * (1 + 0.3 * (workers - 1)), workers, 2e5 * std::exp(0.001 * made.normal()));
  }
  const bool counted = GENERATE(true, false);
  if (!counted) made.data.instructions.clear();
  const Variability result = explain_spread(made.data);
  CHECK(result.verdict == SpreadVerdict::kExplained);
  REQUIRE(result.factors.front().source == kShared);
  CHECK(result.factors.front().by == "active workers");
  CHECK(result.factors.front().share > 0.9);
  CHECK(result.factors.front().p <= 0.005);
  CHECK(factor(result, kInput).judged == counted);
  CHECK(factor(result, kInput).share < 0.05);
}

TEST_CASE("misses at equal instructions are shared resources") {
  Made made(9, 0.02);
  SpreadColumn misses{"PAPI_L3_TCM", {}};
  for (int i = 0; i < 600; ++i) {
    const double rate = made.uniform(0.001, 0.02);
    const double instructions = 1e6 * std::exp(0.002 * made.normal());
    misses.values.push_back(rate * instructions);
    made.add(0.25 * instructions + 60 * rate * instructions, 2, instructions);
  }
  made.data.misses = {misses};
  const Variability result = explain_spread(made.data);
  REQUIRE(result.factors.front().source == kShared);
  CHECK(result.factors.front().by == "PAPI_L3_TCM per instruction");
  CHECK(result.factors.front().share > 0.9);
}

TEST_CASE("both sources get their shares: the variances of the parts that the times are made of") {
  Made made(10, 0.05);
  double input_part = 0;
  double shared_part = 0;
  constexpr int kTasks = 4000;
  for (int i = 0; i < kTasks; ++i) {
    const double size = made.normal() * 0.4;
    const double workers = 1 + static_cast<double>(made.random() % 2);
    const double slower = workers == 2 ? 0.4 : 0;
    input_part += size * size / kTasks;
    shared_part += (slower - 0.2) * (slower - 0.2) / kTasks;
    made.add(1e5 * std::exp(size + slower), workers, 2e5 * std::exp(size));
  }
  const double whole = input_part + shared_part + 0.05 * 0.05;
  const Variability result = explain_spread(made.data);
  CHECK(factor(result, kInput).share == Approx(input_part / whole).margin(0.04));
  CHECK(factor(result, kShared).share == Approx(shared_part / whole).margin(0.03));
}

TEST_CASE("a task that lost its core shows it in its task-clock") {
  Made made(11, 0.02);
  for (int i = 0; i < 500; ++i) {
    const double waited = made.random() % 4 == 0 ? made.uniform(1e5, 4e5) : 0;
    made.add(1e5, 2, 0);
    made.data.task_clock_ns.push_back(made.data.time_ns.back());
    made.data.time_ns.back() += waited;
  }
  made.data.instructions.clear();
  const Variability result = explain_spread(made.data);
  CHECK(result.factors.front().source == kShared);
  CHECK_THAT(result.factors.front().by, Catch::Matchers::ContainsSubstring("without a core"));
  CHECK(result.factors.front().share > 0.8);
}

TEST_CASE("tasks that fault pages in are another behaviour than those that do not") {
  Made made(12, 0.03);
  for (int i = 0; i < 500; ++i) {
    const bool first = i % 5 == 0;
    made.add(first ? 3e5 : 1e5, 2, 0);
    made.data.page_faults.push_back(first ? 50 : 0);
  }
  made.data.instructions.clear();
  const Variability result = explain_spread(made.data);
  CHECK(result.factors.front().source == kBehaviours);
  CHECK(result.factors.front().by == "tasks without and with page faults");
  CHECK(result.factors.front().share > 0.9);
}

TEST_CASE("noise is not explained by anything, however much of it there is") {
  int claims = 0;
  for (std::uint32_t seed = 100; seed < 140; ++seed) {
    Made made(seed, 0.5);
    SpreadColumn parameter{"n", {}};
    SpreadColumn misses{"PAPI_L2_TCM", {}};
    for (int i = 0; i < 300; ++i) {
      made.add(1e5, made.uniform(1, 8), made.uniform(1e5, 2e5));
      parameter.values.push_back(static_cast<double>(made.random() % 6));
      misses.values.push_back(made.uniform(0, 1000));
    }
    made.data.parameters = {parameter};
    made.data.misses = {misses};
    if (explain_spread(made.data).verdict != SpreadVerdict::kUnexplained) ++claims;
  }
  CHECK(claims == 0);
}

TEST_CASE("what drifts with time is no sign of shared resources by itself") {
  // Both the times and the number of workers wander slowly, independently of each other: a test that took the tasks for
  // independent would find a relation nearly always.
  int claims = 0;
  for (std::uint32_t seed = 200; seed < 230; ++seed) {
    Made made(seed, 0.02);
    double level = 0;
    double workers = 4;
    for (int i = 0; i < 1000; ++i) {
      level = 0.99 * level + 0.03 * made.normal();
      workers = 4 + 0.99 * (workers - 4) + 0.25 * made.normal();
      made.add(1e5 * std::exp(level), std::max(1.0, workers), 0);
    }
    made.data.instructions.clear();
    const Variability result = explain_spread(made.data);
    if (result.factors.front().source == kShared && result.verdict != SpreadVerdict::kUnexplained) ++claims;
  }
  CHECK(claims <= 4);
}

TEST_CASE("of few tasks, and of regular ones, nothing is said") {
  Made few(13);
  for (int i = 0; i < 99; ++i) few.add(1e5 * (1 + i % 2), 1 + i % 2, 2e5 * (1 + i % 2));
  const Variability too_few = explain_spread(few.data);
  CHECK(too_few.verdict == SpreadVerdict::kTooFew);
  CHECK(too_few.factors.empty());
  CHECK_THAT(too_few.text, Catch::Matchers::ContainsSubstring("99 tasks are too few"));
  Made regular(14, 0.01);
  for (int i = 0; i < 500; ++i) regular.add(1e5, 1 + i % 2, 2e5);
  CHECK(explain_spread(regular.data).verdict == SpreadVerdict::kRegular);
  CHECK(explain_spread(SpreadData{}).verdict == SpreadVerdict::kTooFew);
}

TEST_CASE("tasks that took no time at all, and counts of 0, are no obstacle") {
  Made made(15);
  for (int i = 0; i < 200; ++i) made.add(i % 2 == 0 ? 0 : 1e5, 1 + i % 3, i % 2 == 0 ? 0 : 1e5);
  const Variability result = explain_spread(made.data);
  for (const SpreadFactor& one : result.factors) {
    CHECK(std::isfinite(one.share));
    CHECK(std::isfinite(one.p));
  }
}
