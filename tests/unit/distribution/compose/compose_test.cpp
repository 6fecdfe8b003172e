// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/compose.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "catch.hpp"
#include "foretask/analysis/distribution_text.hpp"

using namespace foretask::analysis;

namespace {

std::vector<double> exponential_samples(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::exponential_distribution<double> rate;
  std::vector<double> values(count);
  for (double& value : values) value = rate(random);
  return values;
}

Composition composed(const foretask::Result<Distribution>& expression, ComposeMethod method = ComposeMethod::kAuto,
                     std::uint32_t resamplings = 0) {
  ComposeOptions options;
  options.method = method;
  options.resamplings = resamplings;
  return *compose(expression.value(), options);
}

}  // namespace

TEST_CASE("methods have names and names methods", "[distribution]") {
  CHECK(compose_method_name(ComposeMethod::kLambda) == "gld");
  CHECK(compose_method_from_name("mixture") == ComposeMethod::kMixture);
  CHECK_FALSE(compose_method_from_name("median").has_value());
}

TEST_CASE("order statistics of samples are exact", "[distribution]") {
  const Distribution samples = *Distribution::of_samples({3, 1, 2, 4});
  // Of two draws with replacement: the last is 1, 2, 3, 4 with 1, 3, 5, 7 of 16.
  const Composition last = composed(Distribution::all_of(2, samples));
  CHECK(last.mean == Approx((1 + 2 * 3 + 3 * 5 + 4 * 7) / 16.0).epsilon(1e-12));
  CHECK(last.quantiles[4] == 3);
  CHECK(last.method == "empirical");
  CHECK(last.status() == "ok");
  // One of these or 10: the mean of both.
  const Composition either =
      composed(Distribution::branch({{0.5, samples}, {0.5, *Distribution::of_samples({10, 10})}}));
  CHECK(either.mean == Approx(6.25).epsilon(1e-12));
  CHECK(either.quantiles[4] == 4);
  CHECK(either.quantiles[5] == 10);
  // The first of one of them and of 2 or 5: by counting the 8 pairs.
  const Composition first = composed(Distribution::first_of({samples, *Distribution::of_samples({2, 5})}));
  CHECK(first.mean == Approx((1 + 2 + 2 + 2 + 1 + 2 + 3 + 4) / 8.0).epsilon(1e-12));
  const Composition sum = composed(Distribution::sequence({samples, samples}));
  CHECK(sum.mean == Approx(5).epsilon(1e-12));
  CHECK(sum.quantiles[1] == 2);  // 1 of 16
  CHECK(sum.quantiles[4] == 5);
}

TEST_CASE("constant samples are a constant", "[distribution]") {
  const Composition sum =
      composed(Distribution::loop(1000, *Distribution::of_samples({2, 2, 2})), ComposeMethod::kAuto, 20);
  CHECK(sum.mean == 2000);
  CHECK(sum.sd == 0);
  CHECK(sum.quantiles[8] == 2000);
  REQUIRE(sum.errors.has_value());
  CHECK(sum.errors->mean == 0);
}

TEST_CASE("beyond half of the sample a fitted tail answers, and it is said", "[distribution]") {
  const Distribution samples = *Distribution::of_samples(exponential_samples(2000, 3));
  const Composition within = composed(Distribution::all_of(1000, samples));
  CHECK_FALSE(within.beyond_sample);
  CHECK(within.method == "empirical");
  const Composition beyond = composed(Distribution::all_of(100, *Distribution::all_of(1000, samples)));
  CHECK(beyond.beyond_sample);
  CHECK(beyond.method == "empirical with fitted tail");
  CHECK(beyond.status() == "beyond the sample");
  CHECK(beyond.notes.size() == 1);
  CHECK(beyond.mean == Approx(std::log(1e5) + 0.5772).epsilon(0.1));  // the samples' largest value is 9.7
  // The samples as they are end at the largest.
  const Composition plain = composed(Distribution::all_of(100'000, samples), ComposeMethod::kEmpirical);
  CHECK(plain.beyond_sample);
  CHECK(plain.quantiles[8] == plain.quantiles[4]);
  CHECK(plain.method == "empirical");
}

TEST_CASE("quantiles of an extreme that rest on fewer than five measured times are marked", "[distribution]") {
  std::vector<double> values;
  for (int i = 1; i <= 6000; ++i) values.push_back(i);
  const Distribution samples = *Distribution::of_samples(values);
  // The last of 2,500: p of it is at 6000 p^(1 / 2500), which is 5996.7 for p25, 5998.4 for p50. 5993.3 for p05 has six
  // beyond it.
  const Composition last = composed(Distribution::all_of(2500, samples));
  CHECK(last.status() == "ok");
  CHECK(last.beyond == std::array<bool, 9>{false, false, false, true, true, true, true, true, true});
  const Composition later =
      composed(Distribution::sequence({*Distribution::constant(0.1), *Distribution::all_of(2500, samples)}));
  CHECK(later.beyond == last.beyond);
  // The first of 2,500: p99 is at 6000 (1 - 0.01^(1 / 2500)) = 11.04, p90 at 5.5, p75 at 3.3.
  const Composition first = composed(Distribution::first_of(2500, samples));
  CHECK(first.beyond == std::array<bool, 9>{true, true, true, true, true, true, false, false, false});
  CHECK(composed(Distribution::sequence({samples, samples})).beyond == std::array<bool, 9>{});
  CHECK(composed(samples).beyond == std::array<bool, 9>{});
  // Where another part is the last one, the samples' end does not count.
  const Composition other = composed(Distribution::all_of({samples, *Distribution::constant(7000)}));
  CHECK(other.beyond == std::array<bool, 9>{});
}

TEST_CASE("many equal largest times are not few", "[distribution]") {
  std::vector<double> values(100, 2.0);
  values.insert(values.end(), 100, 1.0);
  CHECK(composed(Distribution::all_of(50, *Distribution::of_samples(values))).beyond == std::array<bool, 9>{});
}

TEST_CASE("known families are exact until a table stands for them", "[distribution]") {
  const Distribution one = *Distribution::exponential(1);
  const Distribution other = *Distribution::gamma(2, 1);
  CHECK(composed(Distribution::all_of(5, one)).method == "exact");
  CHECK(composed(Distribution::sequence({one, *Distribution::constant(2)})).method == "exact");
  CHECK(composed(Distribution::branch({{0.5, *Distribution::constant(1)}, {0.5, *Distribution::constant(2)}})).method ==
        "exact");
  CHECK(composed(Distribution::sequence({one, other})).method == "numeric");
  CHECK(composed(Distribution::branch({{0.5, one}, {0.5, other}})).method == "numeric");
  CHECK(composed(Distribution::all_of({one, other})).method == "numeric");
}

TEST_CASE("the last and the first of 10^18 sums are where the distribution's own tails say", "[distribution]") {
  constexpr std::uint64_t kMany = 1'000'000'000'000'000'000;
  const Distribution one = *Distribution::exponential(1);
  const Distribution sum = *Distribution::sequence({one, one});
  // Of gamma(2, 1), by sixty-digit arithmetic.
  const Composition last = composed(Distribution::all_of(kMany, sum));
  CHECK(last.mean == Approx(45.870758202925).epsilon(1e-5));
  CHECK(last.quantiles[0] == Approx(43.719767681971).epsilon(1e-5));
  CHECK(last.quantiles[8] == Approx(49.978076569792).epsilon(1e-5));
  // F = x^2 / 2 far below: the median is sqrt(2 log(2) / N).
  CHECK(composed(Distribution::first_of(kMany, sum)).quantiles[4] ==
        Approx(std::sqrt(2 * std::log(2.0)) * 1e-9).epsilon(5e-3));
}

TEST_CASE("times that were cut short count as longer ones", "[distribution]") {
  // Product limit: 1/4 at 1; of the two left at 3, half of 3/4; the rest at 4.
  const Distribution samples = *Distribution::of_censored_samples({1, 2, 3, 4}, {1, 0, 1, 1});
  const Composition one = composed(samples, ComposeMethod::kAuto, 50);
  CHECK(one.mean == Approx(0.25 * 1 + 0.375 * 3 + 0.375 * 4).epsilon(1e-12));
  CHECK(one.quantiles[4] == 3);
  CHECK(one.quantiles[5] == 4);
  REQUIRE(one.errors.has_value());
  CHECK(one.errors->mean > 0);
  const Composition first = composed(Distribution::first_of(2, samples));
  CHECK(first.mean == Approx(1 * (1 - 0.5625) + 3 * (0.5625 - 0.140625) + 4 * 0.140625).epsilon(1e-12));
  // The longest one did not end: a lower bound, and it is said.
  const Composition open = composed(*Distribution::of_censored_samples({1, 2}, {1, 0}));
  CHECK(open.beyond_sample);
  CHECK(std::any_of(open.notes.begin(), open.notes.end(),
                    [](const std::string& note) { return note.find("lower bounds") != std::string::npos; }));
}

TEST_CASE("ten thousand operations in turn have the mean that can be bounded by hand", "[distribution]") {
  // Sums of uniform(0, 1), branches with uniform(9, 11), the first of it and uniform(100, 101), which is never first:
  // m -> m + 1/2, m -> (m + 10) / 2. The mean ends at the fixed point of both, m = ((m + 1/2) + 10) / 2 = 10.5 after a
  // branch; the parts differ by a little, so that none is found equal.
  Distribution all = *Distribution::uniform(9, 11);
  double mean = 10;
  for (int i = 0; i < 9999; ++i) {
    const double little = 1e-6 * i;
    if (i % 3 == 0) {
      all = *Distribution::sequence({all, *Distribution::uniform(0, 1 + little)});
      mean += (1 + little) / 2;
    } else if (i % 3 == 1) {
      all = *Distribution::branch({{0.5, all}, {0.5, *Distribution::uniform(9, 11 + little)}});
      mean = (mean + 10 + little / 2) / 2;
    } else {
      all = *Distribution::first_of({all, *Distribution::uniform(100, 101 + little)});
    }
  }
  CHECK(mean == Approx(10.5).epsilon(2e-3));
  const Composition answer = composed(all);
  CHECK(answer.mean == Approx(mean).epsilon(1e-3));
  CHECK(answer.quantiles[0] > 9);
  CHECK(answer.method == "numeric");
}

TEST_CASE("four moments alone are a lambda distribution, or two normal ones that have them", "[distribution]") {
  Moments moments;
  moments.mean = 10;
  moments.variance = 4;
  const Composition normal = composed(Distribution::of_moments(moments));
  CHECK(normal.method == "gld");
  CHECK(normal.mean == Approx(10));
  CHECK(normal.quantiles[7] == Approx(10 + 2 * 1.645).epsilon(2e-3));
  moments.skewness = 2;
  moments.kurtosis = 5.2;
  const Composition none = composed(Distribution::of_moments(moments));
  CHECK(none.no_such_distribution);
  CHECK(none.status() == "no such distribution");
  CHECK(none.method == "mixture");
  CHECK(none.skewness == Approx(2));
  CHECK(none.kurtosis == Approx(5.2));
}

TEST_CASE("the paper's method takes lambda distributions for all but constants", "[distribution]") {
  const Distribution normal = *Distribution::normal(10, 1);
  const Composition gld = composed(Distribution::all_of(16, normal), ComposeMethod::kLambda);
  CHECK(gld.method == "gld");
  CHECK(gld.mean - 10 == Approx(1.76599).epsilon(2e-3));  // the expected largest of 16 normal values
  CHECK(composed(Distribution::constant(3), ComposeMethod::kLambda).method == "exact");
}

TEST_CASE("standard errors are those of the mean, the same for the same seed", "[distribution]") {
  const Distribution samples = *Distribution::of_samples(exponential_samples(1000, 5));
  const auto with_errors = [&](std::uint64_t seed) {
    ComposeOptions options;
    options.seed = seed;
    return *compose(*Distribution::sequence({samples, *Distribution::constant(1)}), options);
  };
  const Composition one = with_errors(1);
  REQUIRE(one.errors.has_value());
  // sd / sqrt(n), itself known to 1 / sqrt(2 * 200).
  CHECK(one.errors->mean == Approx(one.sd / std::sqrt(1000)).epsilon(0.2));
  CHECK(one.errors->mean == with_errors(1).errors->mean);
  CHECK(one.errors->mean != with_errors(2).errors->mean);
  CHECK_FALSE(composed(Distribution::exponential(1), ComposeMethod::kAuto, 200).errors.has_value());
}

TEST_CASE("the last of a distribution a billionth wide and of a wide one is worked out at once", "[distribution]") {
  // E[max(1, X)] = 1 + 0.3 exp(-1 / 0.3) of an exponential X of mean 0.3.
  const Composition last =
      composed(Distribution::all_of({*Distribution::normal(1, 1e-9), *Distribution::exponential(0.3)}));
  CHECK(last.mean == Approx(1 + 0.3 * std::exp(-1 / 0.3)).epsilon(1e-10));
  CHECK(last.quantiles[4] == Approx(1).epsilon(1e-8));
}

TEST_CASE("what has grown beyond all doubles is an error", "[distribution]") {
  Distribution grown = *Distribution::constant(1e50);
  for (int i = 0; i < 15; ++i) grown = *Distribution::loop(std::uint64_t{1'000'000'000'000'000'000}, grown);
  const auto made = compose(grown);
  REQUIRE_FALSE(made.ok());
  CHECK(made.error().message() == "the values are beyond what a double holds, 1.8e308");
  CHECK_FALSE(quantiles_of(grown, {0.5}).ok());
}

TEST_CASE("two normal parts have the moments where one of them is rare, on either side", "[distribution]") {
  for (const double skewness : {1e-3, -1e-30, -1.0}) {
    CAPTURE(skewness);
    const Composition made =
        composed(Distribution::of_moments({.mean = 3, .variance = 1, .skewness = skewness, .kurtosis = 1e8}));
    CHECK(made.mean == Approx(3));
    CHECK(made.quantiles[4] == Approx(3).epsilon(0.01));
    CHECK(made.kurtosis == Approx(1e8));
  }
}

TEST_CASE("quantiles are asked for at any probability inside of (0, 1)", "[distribution]") {
  const Distribution exponential = *Distribution::exponential(1);
  const auto quantiles = quantiles_of(exponential, {1e-12, 0.5});
  REQUIRE(quantiles.ok());
  CHECK(quantiles.value()[0] == Approx(1e-12).epsilon(1e-9));
  CHECK(quantiles.value()[1] == Approx(std::log(2.0)).epsilon(1e-12));
  CHECK_FALSE(quantiles_of(exponential, {1.0}).ok());
}

TEST_CASE("more than 1e18 of one part stay nested, and are all of them", "[distribution]") {
  const auto mean = [](const std::string& text) {
    const auto answer = compose(*parse_distribution(text, {}), {.resamplings = 0});
    REQUIRE(answer.ok());
    return answer->mean;
  };
  CHECK(mean("loop(1e18, loop(1e18, exp(1)))") == Approx(1e36));
  CHECK(mean("loop(10, loop(1e18, exp(1)))") == Approx(1e19));
  CHECK(mean("loop(1e10, seq(loop(1e9, exp(1)), 1))") == Approx(1e19));
  CHECK(mean("seq(loop(1e18, exp(1)), loop(1e18, exp(1)), loop(1e18, exp(1)))") == Approx(3e18));
  CHECK(mean("or(1e18, or(1e18, exp(1)))") == Approx(1e-36));
}
