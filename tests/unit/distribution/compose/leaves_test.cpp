// SPDX-License-Identifier: Apache-2.0
#include "distribution/compose/leaves.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "catch.hpp"
#include "distribution/family/known_family.hpp"
#include "distribution/family/log_odds.hpp"

using namespace foretask::analysis;
using namespace foretask::distribution;

namespace {

// As a sample would be without chance: quantiles at even probabilities.
std::vector<double> evenly(std::size_t count, const std::function<double(double)>& quantile) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i)
    values.push_back(quantile((static_cast<double>(i) + 0.5) / static_cast<double>(count)));
  return values;
}

double exponential(double p) { return -std::log1p(-p); }
double normal(double p) { return make_family(Family::normal, 0, 1)->quantile(z_of(p, 1 - p)); }

Composition composed(const foretask::Result<Distribution>& expression, std::uint32_t resamplings = 20,
                     ComposeMethod method = ComposeMethod::kAuto) {
  ComposeOptions options;
  options.method = method;
  options.resamplings = resamplings;
  return *compose(expression.value(), options);
}

bool notes(const Composition& composition, const std::string& words) {
  return std::any_of(composition.notes.begin(), composition.notes.end(),
                     [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

}  // namespace

TEST_CASE("minima of times that a mixture stands for stay above 0", "[distribution]") {
  std::vector<double> values = evenly(500, [](double p) { return exponential(p) / 10; });
  for (const double value : evenly(500, [](double p) { return 3 + normal(p) / 5; })) values.push_back(value);
  const Composition first = composed(Distribution::first_of(100'000, *Distribution::of_samples(values)), 0);
  CHECK(first.method == "mixture");
  // P(X <= x) is 5 x near 0.
  CHECK(first.mean == Approx(2e-6).epsilon(0.5));
  CHECK(first.quantiles[0] > 0);
  CHECK(notes(first, "a tail that ends at 0"));
}

TEST_CASE("a mixture's standard errors are those of the formulas", "[distribution]") {
  // Of 200 normal values the mean's is sd / sqrt(n), the standard deviation's sd / sqrt(2 n).
  const Distribution samples = *Distribution::of_samples(evenly(200, [](double p) { return 10 + normal(p); }));
  const Composition one = composed(samples, 40, ComposeMethod::kMixture);
  REQUIRE(one.errors.has_value());
  CHECK(one.method == "mixture");
  CHECK(one.errors->mean == Approx(1 / std::sqrt(200)).epsilon(0.3));
  CHECK(one.errors->sd == Approx(1 / std::sqrt(400)).epsilon(0.4));
  // The largest of 10,000 is at mean + 3.85 sd, whose variance is (1 + 3.85^2 / 2) / n.
  const Composition last = composed(Distribution::all_of(10'000, samples), 40, ComposeMethod::kMixture);
  CHECK(last.errors->mean == Approx(std::sqrt(8.41 / 200)).epsilon(0.4));
  CHECK(last.errors->quantiles[8] > last.errors->quantiles[0]);
}

TEST_CASE("few times have an exponential tail, fewer answer with their outermost, as a bound", "[distribution]") {
  const Composition thirty =
      composed(Distribution::all_of(1'000'000, *Distribution::of_samples(evenly(30, exponential))));
  CHECK(thirty.mean == Approx(14.39).epsilon(0.25));  // the millionth harmonic number
  CHECK(thirty.sd == Approx(1.28).epsilon(0.4));      // pi / sqrt(6)
  CHECK(thirty.method == "empirical with fitted tail");
  REQUIRE(thirty.errors.has_value());
  CHECK(thirty.errors->mean > 1);
  const Composition two = composed(Distribution::all_of(1'000'000, *Distribution::of_samples({1, 2})));
  CHECK(two.mean == 2);
  CHECK(two.method == "empirical");
  CHECK(two.beyond_sample);
  CHECK_FALSE(two.errors.has_value());
  CHECK(notes(two, "too few times for a tail: the outermost answers, a bound"));
  CHECK(notes(two, "errors are rough"));
  CHECK_FALSE(notes(thirty, "rough"));
}

TEST_CASE("times of a coarse timer have a tail, and one mode", "[distribution]") {
  const std::vector<double> whole = evenly(2000, [](double p) { return std::floor(5 * exponential(p)); });
  const Composition last = composed(Distribution::all_of(100'000, *Distribution::of_samples(whole)));
  CHECK(last.method == "empirical with fitted tail");
  CHECK(last.mean == Approx(5 * 12.09 - 0.5).epsilon(0.1));
  CHECK_FALSE(last.several_modes);
}

TEST_CASE("a tail that one value makes is said to rest on it", "[distribution]") {
  std::vector<double> values = evenly(500, [](double p) { return 10 + normal(p); });
  const Composition without = composed(Distribution::all_of(1000, *Distribution::of_samples(values)), 0);
  CHECK_FALSE(notes(without, "rests on one value"));
  values.push_back(1e6);
  CHECK(notes(composed(Distribution::all_of(1000, *Distribution::of_samples(values)), 0), "rests on one value"));
}

TEST_CASE("what is near the end of the sample is not said to be beyond it", "[distribution]") {
  const Distribution samples = *Distribution::of_samples(evenly(1000, exponential));
  CHECK(notes(composed(Distribution::all_of(700, samples), 0),
              "maxima of 700 come near the end of what 1000 measured times show: a tail fitted"));
  CHECK(notes(composed(Distribution::all_of(1001, samples), 0), "maxima of 1001 ask for more than 1000"));
}

TEST_CASE("times cut short bound the answer only where all of them being so is likely", "[distribution]") {
  std::vector<double> values = evenly(300, exponential);
  std::vector<std::uint8_t> ended(300, 1);
  std::fill(ended.begin() + 200, ended.end(), std::uint8_t{0});  // a third
  const Distribution search = *Distribution::of_censored_samples(values, ended);
  // (1/3)^16 is nothing, (1/3)^4 is 1.2 %.
  const Composition sixteen = composed(Distribution::first_of(16, search), 0);
  CHECK(sixteen.status() == "ok");
  CHECK_FALSE(notes(sixteen, "cut short"));
  CHECK(notes(composed(Distribution::first_of(4, search), 0), "lower bounds"));
  const Composition last = composed(Distribution::all_of(2, *Distribution::first_of(16, search)), 0);
  CHECK_FALSE(notes(last, "cut short"));
  const Composition sum = composed(Distribution::sequence({search, *Distribution::constant(1)}), 0);
  CHECK(sum.beyond_sample);
  CHECK(notes(sum, "lower bounds"));
}

TEST_CASE("samples with some that weigh nothing have a mixture", "[distribution]") {
  SampleSet set;
  set.values = evenly(100, normal);
  set.weights.assign(100, 1);
  set.weights[3] = set.weights[40] = 0;
  LeafPlan plan;
  plan.as = Taken::mixture;
  CHECK(fitted_leaf(set, plan) != nullptr);
}
