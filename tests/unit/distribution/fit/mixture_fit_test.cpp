// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "catch.hpp"
#include "foretask/analysis/gaussian_mixture.hpp"

using namespace foretask::analysis;

namespace {

// Values of the distributions below, the same with every library.
class Source {
 public:
  explicit Source(std::uint64_t seed) : random_(seed) {}
  double uniform() { return (static_cast<double>(random_() >> 11) + 0.5) * 0x1p-53; }
  double normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(6.283185307179586 * uniform()); }

 private:
  std::mt19937_64 random_;
};

std::vector<double> two_modes(std::size_t count) {
  Source source(3);
  std::vector<double> values;
  while (values.size() < count)
    values.push_back(source.uniform() < 0.7 ? 1 + 0.1 * source.normal() : 2.5 + 0.2 * source.normal());
  return values;
}

// Within three standard errors, of as many values as the part has.
void check_two_modes(const GaussianMixture& mixture, double count) {
  REQUIRE(mixture.parts.size() == 2);
  const MixturePart truth[2] = {{0.7, 1, 0.1}, {0.3, 2.5, 0.2}};
  for (std::size_t k = 0; k < 2; ++k) {
    const double own = truth[k].weight * count;
    CHECK(std::abs(mixture.parts[k].weight - truth[k].weight) < 3 * std::sqrt(0.7 * 0.3 / count));
    CHECK(std::abs(mixture.parts[k].mean - truth[k].mean) < 3 * truth[k].sd / std::sqrt(own));
    CHECK(std::abs(mixture.parts[k].sd - truth[k].sd) < 3 * truth[k].sd / std::sqrt(2 * own));
  }
}

}  // namespace

TEST_CASE("two modes are found as two parts, within their standard errors", "[distribution]") {
  const std::vector<double> values = two_modes(6000);
  const auto mixture = fit_mixture(values);
  REQUIRE(mixture.ok());
  check_two_modes(*mixture, 6000);
  CHECK(mixture->modes() == 2);
  double likelihood = 0;
  double of_truth = 0;
  for (const double value : values) {
    likelihood += std::log(mixture->pdf(value));
    of_truth += std::log(GaussianMixture{{{0.7, 1, 0.1}, {0.3, 2.5, 0.2}}}.pdf(value));
  }
  CHECK(mixture->log_likelihood == Approx(likelihood).epsilon(1e-9));
  CHECK(mixture->bic == Approx(5 * std::log(6000) - 2 * likelihood).epsilon(1e-9));
  CHECK(likelihood > of_truth);
  CHECK(likelihood < of_truth + 15);  // half of a chi square with 5 degrees of freedom: above once in 2e5 times
}

TEST_CASE("many values, fitted by bins, and values with weights give the same two parts", "[distribution]") {
  const auto of_many = fit_mixture(two_modes(40000));
  REQUIRE(of_many.ok());
  check_two_modes(*of_many, 40000);

  std::vector<double> values = two_modes(2000);
  const auto once = fit_mixture(values);
  const auto by_weight = fit_mixture(values, std::vector<double>(values.size(), 1));
  std::reverse(values.begin(), values.end());
  const auto reversed = fit_mixture(values);
  REQUIRE(once.ok());
  REQUIRE(by_weight.ok());
  REQUIRE(reversed.ok());
  check_two_modes(*once, 2000);
  for (std::size_t k = 0; k < 2; ++k) {
    CHECK(by_weight->parts[k].mean == once->parts[k].mean);
    CHECK(reversed->parts[k].sd == Approx(once->parts[k].sd).epsilon(1e-9));
  }
}

TEST_CASE("a normal sample is one part", "[distribution]") {
  Source source(5);
  std::vector<double> values;
  for (int i = 0; i < 6000; ++i) values.push_back(1e-3 * source.normal() + 7);
  const auto mixture = fit_mixture(values);
  REQUIRE(mixture.ok());
  REQUIRE(mixture->parts.size() == 1);
  CHECK(mixture->parts[0].mean == Approx(7).margin(3e-3 / std::sqrt(6000)));
  CHECK(mixture->parts[0].sd == Approx(1e-3).epsilon(3 / std::sqrt(12000)));
}

TEST_CASE("a skewed sample takes several parts, whose moments are the sample's", "[distribution]") {
  Source source(6);
  std::vector<double> values;
  RunningMoments moments;
  for (int i = 0; i < 3000; ++i) {
    values.push_back(-std::log(source.uniform()));
    moments.add(values.back());
  }
  const auto mixture = fit_mixture(values);
  REQUIRE(mixture.ok());
  CHECK(mixture->parts.size() > 2);
  CHECK(mixture->parts.size() <= 6);
  // Each maximisation keeps the first two.
  CHECK(mixture->moments().mean == Approx(moments.moments().mean).epsilon(1e-9));
  CHECK(mixture->moments().variance == Approx(moments.moments().variance).epsilon(1e-9));
  CHECK(mixture->moments().skewness == Approx(moments.moments().skewness).epsilon(0.1));
}

TEST_CASE("no part collapses onto one value", "[distribution]") {
  std::vector<double> values(1000, 1.0);
  for (std::size_t i = 0; i < 100; ++i) values[10 * i] = 2;
  const auto mixture = fit_mixture(values);
  REQUIRE(mixture.ok());
  REQUIRE(mixture->parts.size() == 2);
  for (const MixturePart& part : mixture->parts) CHECK(part.sd == Approx(0.3e-3).epsilon(1e-6));
  CHECK(mixture->parts[1].weight == Approx(0.1).epsilon(1e-9));
}

TEST_CASE("values that no mixture fits are refused with the reason", "[distribution]") {
  CHECK(fit_mixture({1}).error().message() == "a mixture needs two values at least");
  CHECK(fit_mixture({1, std::nan("")}).error().message() == "value 2 is not finite");
  CHECK(fit_mixture({3, 3, 3}).error().message() == "all values are the same: no mixture");
  CHECK(fit_mixture({1, 2}, {1}).error().message() == "1 weights for 2 values");
  CHECK_FALSE(fit_mixture({-1e308, 1e308}).ok());
  CHECK_FALSE(fit_mixture({0, 1e200}).ok());
  CHECK(fit_mixture({1, 2}, {1, -1}).error().message() == "weight 2 is not above 0 and finite");
}
