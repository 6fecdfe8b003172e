// SPDX-License-Identifier: Apache-2.0
#include "predict/growth/growth_law.hpp"

#include <cmath>
#include <random>
#include <utility>

#include "catch.hpp"

namespace foretask::predict {
namespace {

std::vector<SizeLevel> levels_of(const std::vector<double>& sizes, double sd, double (*value)(double)) {
  std::vector<SizeLevel> levels;
  for (const double n : sizes) levels.push_back({n, value(n), sd});
  return levels;
}

std::vector<double> doublings(double from, double to) {
  std::vector<double> sizes;
  for (double n = from; n <= to; n *= 2) sizes.push_back(n);
  return sizes;
}

TEST_CASE("n log n is found, and holds far beyond the sizes seen") {
  const auto cost = [](double n) { return 8 * n * std::log2(n) + 30 * n; };
  const GrowthLaw law = GrowthLaw::find(levels_of(doublings(1024, 1 << 20), 1e-5, cost), GrowthKind::kCost);
  const auto far = law.at(64.0 * (1 << 20));  // 2^26: 8 * 2^26 * 26 + 30 * 2^26
  CHECK(far.value == Approx(238.0 * (1 << 26)).epsilon(1e-4));
  CHECK(far.log_sd < 0.01);
  CHECK(law.formula() == "30 n + 11.54 n log n");
}

TEST_CASE("a count may have terms that take away: pairs") {
  const auto pairs = [](double n) { return n * (n - 1) / 2; };
  const GrowthLaw law = GrowthLaw::find(levels_of({10, 20, 30, 40, 60, 80, 100}, 1e-6, pairs), GrowthKind::kCount);
  CHECK(law.at(1000).value == Approx(499500).epsilon(1e-5));
}

TEST_CASE("Fibonacci numbers grow by the golden ratio, which nobody named") {
  std::vector<SizeLevel> levels;
  double a = 6765, b = 10946;  // the 20th and the 21st
  for (int n = 20; n <= 35; ++n) {
    levels.push_back({static_cast<double>(n), a, 1e-6});
    const double next = a + b;
    a = b, b = next;
  }
  const GrowthLaw law = GrowthLaw::find(levels, GrowthKind::kCount);
  CHECK(law.at(45).value == Approx(1134903170.0).epsilon(1e-5));  // the 45th
}

TEST_CASE("solutions of the n queens' problem grow faster than any power of a constant") {
  // OEIS A000170 from 8 to 13 queens; 15 queens have 2279184 solutions.
  std::vector<SizeLevel> levels;
  const std::vector<double> solutions{92, 352, 724, 2680, 14200, 73712};
  for (std::size_t i = 0; i < solutions.size(); ++i)
    levels.push_back({8.0 + static_cast<double>(i), solutions[i], 0.1});
  const auto far = GrowthLaw::find(levels, GrowthKind::kCount).at(15);
  CHECK(std::abs(std::log(far.value / 2279184.0)) < 3 * far.log_sd);
  CHECK(far.log_sd < 1);
}

TEST_CASE("small inputs that follow another law are left out") {
  // Below 2^14 the input fits a cache and is twice as fast.
  const auto cost = [](double n) { return (n < 16384 ? 2.5 : 5) * n * std::log2(n); };
  const GrowthLaw law = GrowthLaw::find(levels_of(doublings(1024, 1 << 22), 0.003, cost), GrowthKind::kCost);
  CHECK(law.at(1 << 26).value == Approx(5.0 * 26 * (1 << 26)).epsilon(0.01));
}

TEST_CASE("the standard deviation holds what it says, far from the data") {
  const std::vector<double> sizes = doublings(1024, 1 << 17);
  constexpr double kNoise = 0.01;
  int held = 0;
  // The share is decided without a sanitizer, which takes half a second for a table.
#ifdef FORETASK_HAS_SANITIZER
  constexpr int kTables = 40;
#else
  constexpr int kTables = 200;
#endif
  for (unsigned seed = 0; seed < kTables; ++seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> noise(0, kNoise);
    std::vector<SizeLevel> levels;
    for (const double n : sizes) levels.push_back({n, (5e4 + 3 * n * std::log(n)) * std::exp(noise(random)), kNoise});
    const auto far = GrowthLaw::find(levels, GrowthKind::kCost).at(1 << 20);
    const double truth = 5e4 + 3 * (1 << 20) * std::log(1 << 20);
    held += std::abs(std::log(far.value / truth)) < 1.645 * far.log_sd ? 1 : 0;
  }
  CHECK(held >= kTables * 80 / 100);
}

TEST_CASE("few sizes: one is a constant, two are a power") {
  CHECK(GrowthLaw::find({{100, 7, 0.01}}, GrowthKind::kCost).at(200).value == Approx(7));
  const GrowthLaw power = GrowthLaw::find({{100, 7, 0.01}, {200, 28, 0.01}}, GrowthKind::kCost);
  CHECK(power.at(400).value == Approx(112).epsilon(0.05));  // n^2
  CHECK(GrowthLaw::find({{1, 5, 0.1}, {2, 5, 0.1}, {3, 5, 0.1}}, GrowthKind::kCount).at(100).value == Approx(5));
}

TEST_CASE("one size is a constant, of a cost and of a count") {
  CHECK(GrowthLaw::find({{100, 7, 0.01}}, GrowthKind::kCount).at(1).value == Approx(7));
  CHECK(GrowthLaw::of_counts({{100, 7, 0}}).at(1e9).value == Approx(7));
}

TEST_CASE("the order of the sizes does not matter") {
  std::vector<SizeLevel> levels;
  for (const double n : {50, 100, 200, 300, 500, 700}) levels.push_back({n, 3 * n * n + (n > 250 ? 1 : -1) * n, 0.02});
  const auto rising = GrowthLaw::find(levels, GrowthKind::kCost).at(2000);
  std::swap(levels[0], levels[5]);
  std::swap(levels[1], levels[3]);
  const auto mixed = GrowthLaw::find(levels, GrowthKind::kCost).at(2000);
  CHECK(mixed.value == rising.value);
  CHECK(mixed.log_sd == rising.log_sd);
  const std::vector<SizeLevel> two{{200, 28, 0.01}, {100, 7, 0.01}};
  CHECK(GrowthLaw::find(two, GrowthKind::kCost).at(400).value == Approx(112).epsilon(0.05));
}

TEST_CASE("the unit of a cost does not matter, be it huge or tiny") {
  for (const double unit : {1e-12, 1.0, 1e15}) {
    std::vector<SizeLevel> levels;
    for (const double n : doublings(1024, 1 << 20)) levels.push_back({n, unit * n * std::log2(n), 1e-5});
    const GrowthLaw law = GrowthLaw::find(levels, GrowthKind::kCost);
    INFO(unit);
    CHECK(law.at(1 << 24).value / unit == Approx(24.0 * (1 << 24)).epsilon(1e-4));
  }
}

TEST_CASE("sizes may be as large as addresses") {
  std::vector<SizeLevel> levels;
  for (int bits = 32; bits <= 40; ++bits) levels.push_back({std::ldexp(1, bits), 3 * std::ldexp(1, bits), 1e-3});
  CHECK(GrowthLaw::find(levels, GrowthKind::kCost).at(std::ldexp(1, 44)).value ==
        Approx(3 * std::ldexp(1, 44)).epsilon(0.01));
}

TEST_CASE("counted pairs, triples and places within a border are polynomials") {
  const std::vector<double> sizes{5, 8, 13, 20, 32, 50};
  const auto counted = [&](double (*count)(double)) {
    std::vector<SizeLevel> levels;
    for (const double n : sizes) levels.push_back({n, count(n), 0});
    return GrowthLaw::of_counts(levels);
  };
  const GrowthLaw pairs = counted([](double n) { return n * (n - 1) / 2; });
  CHECK(std::round(pairs.at(100).value) == 4950);
  CHECK(pairs.at(1000).value == Approx(499500).epsilon(1e-5));
  const GrowthLaw triples = counted([](double n) { return n * (n - 1) * (n - 2) / 6; });
  CHECK(triples.at(100).value == Approx(161700).epsilon(1e-5));
  CHECK(triples.at(1000).value == Approx(166167000).epsilon(1e-5));
  const GrowthLaw within = counted([](double n) { return (n - 2) * (n - 2); });
  CHECK(std::round(within.at(100).value) == 9604);
  CHECK(within.at(1000).value == Approx(996004).epsilon(1e-4));
}

double fibonacci(int n) {
  double a = 0, b = 1;
  for (; n > 0; --n) {
    const double next = a + b;
    a = b, b = next;
  }
  return a;
}

TEST_CASE("counted Fibonacci numbers go on to be ones") {
  std::vector<SizeLevel> levels;
  for (int n = 10; n <= 24; ++n) levels.push_back({static_cast<double>(n), fibonacci(n), 0});
  CHECK(GrowthLaw::of_counts(levels).at(34).value == Approx(5702887).epsilon(1e-4));
}

TEST_CASE("a cost in proportion to the tasks grows as those do, beside what is done once") {
  std::vector<SizeLevel> levels;
  for (int n = 16; n <= 28; n += 2) {
    const double tasks = 2 * fibonacci(n) - 1;
    levels.push_back({static_cast<double>(n), 2e5 + 40 * tasks, 0.001, tasks});
  }
  const GrowthLaw law = GrowthLaw::find(levels, GrowthKind::kCost);
  // The 38th is 39088169.
  CHECK(law.at(38).value == Approx(2e5 + 40 * (2 * 39088169.0 - 1)).epsilon(0.01));
}

TEST_CASE("a cost of tasks that no law explains follows their law") {
  const std::vector<double> sizes{100, 150, 200, 300, 400, 600, 800, 1200};
  const std::vector<double> tasks{230, 950, 610, 2900, 1700, 8800, 5100, 26000};
  std::vector<SizeLevel> counts, costs;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    counts.push_back({sizes[i], tasks[i], 0});
    costs.push_back({sizes[i], 2e5 + 70 * tasks[i], 0.005, tasks[i]});
  }
  const GrowthLaw count = GrowthLaw::of_counts(counts);
  const GrowthLaw cost = GrowthLaw::find(costs, GrowthKind::kCost);
  for (const double n : {1200, 2400, 10000}) {
    INFO(n);
    CHECK(cost.at(n).value == Approx(2e5 + 70 * count.at(n).value).epsilon(0.02));
    CHECK(cost.at(n).log_sd > 0.5 * count.at(n).log_sd);
  }
  // Where one size does not say its tasks, it is as if none did.
  std::vector<SizeLevel> none = costs;
  for (SizeLevel& level : none) level.tasks = 0;
  costs[2].tasks = 0;
  CHECK(GrowthLaw::find(costs, GrowthKind::kCost).at(2400).value ==
        GrowthLaw::find(none, GrowthKind::kCost).at(2400).value);
}

TEST_CASE("a cost by the golden ratio is an exponential, one of 5 % with each n is a power on its way") {
  std::vector<SizeLevel> levels;
  for (int n = 20; n <= 34; n += 2) levels.push_back({1.0 * n, 5 * std::pow(1.618, n), 0.01});
  const GrowthLaw golden = GrowthLaw::find(levels, GrowthKind::kCost);
  CHECK(golden.at(42).value / golden.at(34).value == Approx(46.97).epsilon(0.1));  // 1.618^8

  for (const int largest : {100, 300}) {
    levels.clear();
    for (int i = 1; i <= 10; ++i) levels.push_back({largest * i / 10.0, std::pow(1.05, largest * i / 10.0), 0.01});
    const GrowthLaw slow = GrowthLaw::find(levels, GrowthKind::kCost);
    // Over the last third 1.05^n grows as a power of n log 1.05 at most, 4.9 and 14.6; to double that it would be 131
    // and 2 million times as much.
    const double power = largest * std::log(1.05);
    INFO(largest);
    CHECK(slow.at(2.0 * largest).value < std::pow(2, power) * slow.at(largest).value);
    CHECK(slow.at(2.0 * largest).value > std::pow(2, 0.7 * power) * slow.at(largest).value);
  }
}

TEST_CASE("what grows a tenth faster at the largest size goes on at its pace, not as n^3") {
  // n log n, to 2 %; the largest size no longer fits the cache and takes 8 % more.
  std::vector<SizeLevel> levels =
      levels_of(doublings(1 << 17, 1 << 21), 0.02, [](double n) { return n * std::log(n); });
  levels.back().value *= 1.08;
  const double n = 1 << 23;
  CHECK(GrowthLaw::find(levels, GrowthKind::kCost).at(n).value == Approx(1.08 * n * std::log(n)).epsilon(0.15));
}

TEST_CASE("the farther from the sizes seen, the less is known") {
  std::vector<SizeLevel> levels;
  int sign = 1;
  for (const double n : doublings(1024, 1 << 16))
    levels.push_back({n, n * std::sqrt(n) * (1 + 0.02 * (sign = -sign)), 0.02});
  const GrowthLaw law = GrowthLaw::find(levels, GrowthKind::kCost);
  double before = 0;
  for (const double n : {std::ldexp(1, 13), std::ldexp(1, 18), std::ldexp(1, 21), std::ldexp(1, 25)}) {
    INFO(n);
    CHECK(law.at(n).log_sd > before);
    before = law.at(n).log_sd;
  }
}

TEST_CASE("laws that have no value far away do not take the others' with them") {
  const auto cost = [](double n) { return 500 + std::exp2(n); };
  std::vector<SizeLevel> levels;
  for (double n = 4; n <= 16; ++n) levels.push_back({n, cost(n), 1e-4});
  const GrowthLaw law = GrowthLaw::find(levels, GrowthKind::kCost);
  CHECK(std::log2(law.at(400).value) == Approx(400).epsilon(0.02));
  // 2^1000 is a number, 2^2000 is none.
  CHECK(std::log2(law.at(1000).value) == Approx(1000).epsilon(0.03));
  CHECK(std::isinf(law.at(2000).value));
}

TEST_CASE("two sizes are a power, however steep") {
  const GrowthLaw law = GrowthLaw::find({{10, 1, 0.01}, {20, 1024, 0.01}}, GrowthKind::kCost);
  CHECK(law.at(40).value == Approx(1024.0 * 1024).epsilon(0.05));
}

}  // namespace
}  // namespace foretask::predict
