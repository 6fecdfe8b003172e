// SPDX-License-Identifier: Apache-2.0
#include "predict/growth/growth_law.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

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
  constexpr int kTables = 200;
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

}  // namespace
}  // namespace foretask::predict
