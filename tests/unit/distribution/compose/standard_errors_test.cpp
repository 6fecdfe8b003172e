// SPDX-License-Identifier: Apache-2.0
#include "distribution/compose/standard_errors.hpp"

#include <cmath>
#include <new>
#include <vector>

#include "catch.hpp"

using namespace foretask::analysis;
using namespace foretask::distribution;

namespace {

class NoMemory final : public Univariate {
 public:
  [[nodiscard]] double quantile(double /*z*/) const override { throw std::bad_alloc(); }
  [[nodiscard]] double odds(double /*x*/, bool /*below*/) const override { return 0; }
};

std::vector<double> squares(std::size_t count) {
  std::vector<double> values;
  for (std::size_t i = 1; i <= count; ++i) values.push_back(static_cast<double>(i * i));
  return values;
}

}  // namespace

TEST_CASE("the standard error of a mean of four is that of the unbiased variance", "[distribution]") {
  ComposeOptions options;
  options.resamplings = 4000;
  const Composition four = *compose(*Distribution::of_samples({1, 2, 3, 4}), options);
  REQUIRE(four.errors.has_value());
  // sqrt(5/3 / 4), where the variance of what is drawn is 5/4.
  CHECK(four.errors->mean == Approx(std::sqrt(5.0 / 12)).epsilon(0.05));
}

TEST_CASE("a spread minds figures that are not finite, far ends and rounding", "[distribution]") {
  std::vector<double> values;
  for (int i = 0; i < 200; ++i) values.push_back(i);
  CHECK(spread_of(values) == Approx(std::sqrt(200 * 201 / 12.0)).epsilon(1e-12));
  for (int i = 0; i < 5; ++i) values[static_cast<std::size_t>(i)] = NAN;
  CHECK(std::isfinite(spread_of(values)));
  values[5] = kInfinity;
  CHECK(spread_of(values) == kInfinity);
  CHECK(spread_of({0.1, 0.1 * (1 + 3e-16), 0.1}) == 0);
}

TEST_CASE("any number of threads gives the same standard errors", "[distribution]") {
  const Program program = program_of(*Distribution::all_of(20, *Distribution::of_samples(squares(100))));
  const Leaves leaves = leaves_of(program, ComposeMethod::kAuto);
  const auto one = standard_errors(program, leaves, 50, 7, 1);
  const auto three = standard_errors(program, leaves, 50, 7, 3);
  REQUIRE(one.has_value());
  REQUIRE(three.has_value());
  CHECK(one->mean == three->mean);
  CHECK(one->quantiles == three->quantiles);
}

TEST_CASE("where resampled times have no such distribution there is no standard error", "[distribution]") {
  const Program program = program_of(*Distribution::of_samples({1, 2, 3, 4, 5}));
  Leaves leaves = leaves_of(program, ComposeMethod::kAuto);
  CHECK(standard_errors(program, leaves, 50, 1).has_value());
  leaves.plans.back().as = Taken::tailed;  // which five values have not
  leaves.plans.back().upper_tail = true;
  CHECK_FALSE(standard_errors(program, leaves, 50, 1).has_value());
}

TEST_CASE("what a thread throws comes to the caller", "[distribution]") {
  const Program program = program_of(*Distribution::of_samples(squares(100)));
  Leaves leaves = leaves_of(program, ComposeMethod::kAuto);
  leaves.plans.back().drawn_from = std::make_shared<NoMemory>();
  CHECK_THROWS_AS(standard_errors(program, leaves, 50, 1, 3), std::bad_alloc);
}
