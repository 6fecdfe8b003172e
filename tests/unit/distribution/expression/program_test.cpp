// SPDX-License-Identifier: Apache-2.0
#include "distribution/expression/program.hpp"

#include "catch.hpp"

using foretask::analysis::Distribution;
using namespace foretask::distribution;

namespace {

Distribution exponential(double mean) { return *Distribution::exponential(mean); }

}  // namespace

TEST_CASE("equal parts of nested sums are counted, constants moved together", "[distribution]") {
  const Distribution inner = *Distribution::sequence({exponential(1), *Distribution::constant(2), exponential(3)});
  const Program program = program_of(*Distribution::sequence(
      {inner, *Distribution::loop(4, exponential(1)), *Distribution::constant(5), *Distribution::loop(0, inner)}));
  const Step& sum = program.steps.back();
  REQUIRE(sum.kind == NodeKind::sequence);
  CHECK(sum.shift == 7);
  REQUIRE(sum.parts.size() == 2);
  CHECK(sum.parts[0].count + sum.parts[1].count == 6);
}

TEST_CASE("a sum doubled sixty times is one loop", "[distribution]") {
  Distribution sum = exponential(1);
  for (int i = 0; i < 60; ++i) sum = *Distribution::sequence({sum, sum});
  const Program program = program_of(sum);
  REQUIRE(program.steps.back().parts.size() == 1);
  CHECK(program.steps.back().parts[0].count == std::uint64_t{1} << 60U);
}

TEST_CASE("nested extremes of one kind are one, and say how far they reach", "[distribution]") {
  const Program program =
      program_of(*Distribution::first_of(10, *Distribution::first_of({exponential(1), exponential(1)})));
  REQUIRE(program.steps.back().kind == NodeKind::order);
  CHECK(program.steps.back().rank == 1);
  CHECK(program.steps.back().n == 20);
  CHECK(program.steps.front().lower_reach == 20);
  CHECK(program.steps.front().upper_reach == 1);
  // The first of 64, each the last of two: the 1/64 point of the one is the 1/8 point of the other, and near 0 F ~ u^2.
  const Program mixed = program_of(*Distribution::first_of(64, *Distribution::all_of(2, exponential(1))));
  CHECK(mixed.steps.front().lower_reach == Approx(8));
}

TEST_CASE("a part's reach is that of its own copies, by the share of times it is taken", "[distribution]") {
  const Distribution samples = *Distribution::of_samples({1, 2, 3});
  const auto reach = [](const Distribution& whole) {
    for (const Step& step : program_of(whole).steps)
      if (step.kind == NodeKind::samples) return step.upper_reach;
    return 0.0;
  };
  CHECK(reach(*Distribution::all_of({*Distribution::all_of(100000, exponential(1)), samples})) == 1);
  CHECK(reach(*Distribution::all_of({*Distribution::all_of(50, samples), exponential(1)})) == 50);
  const Distribution seldom = *Distribution::branch({{0.1, samples}, {0.9, exponential(1)}});
  CHECK(reach(*Distribution::all_of(1000, seldom)) == Approx(100));
}

TEST_CASE("equal samples are one leaf, different ones are two", "[distribution]") {
  const auto program = [](double last) {
    return program_of(*Distribution::sequence(
        {*Distribution::all_of(2, *Distribution::of_samples({1, 2, 3})), *Distribution::of_samples({3, last, 1})}));
  };
  CHECK(program(2).steps.size() == 3);
  CHECK(program(2.5).steps.size() == 4);
}
