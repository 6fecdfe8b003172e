// SPDX-License-Identifier: Apache-2.0
#include "distribution/fit/modes.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "catch.hpp"

using foretask::distribution::count_modes;

namespace {

template <class Draw>
int samples_with_several_modes(std::size_t samples, std::size_t size, Draw&& draw) {
  std::mt19937_64 generator(1);
  int several = 0;
  for (std::size_t i = 0; i < samples; ++i) {
    std::vector<double> values(size);
    for (double& value : values) value = draw(generator);
    std::sort(values.begin(), values.end());
    several += count_modes(values) > 1;
  }
  return several;
}

}  // namespace

TEST_CASE("samples of distributions with one mode have one", "[distribution]") {
  for (const std::size_t size : {200, 4000}) {
    CAPTURE(size);
    const std::size_t samples = size == 200 ? 50 : 3;
    CHECK(samples_with_several_modes(samples, size, std::uniform_real_distribution<>(0, 1)) <= 1);
    CHECK(samples_with_several_modes(samples, size, std::exponential_distribution<>(1)) <= 1);
    CHECK(samples_with_several_modes(samples, size, std::normal_distribution<>(0, 1)) <= 1);
    CHECK(samples_with_several_modes(samples, size, std::lognormal_distribution<>(0, 1)) <= 1);
    CHECK(samples_with_several_modes(samples, size, std::weibull_distribution<>(1.5, 10)) <= 1);
    CHECK(samples_with_several_modes(samples, size, std::gamma_distribution<>(0.7, 1)) <= 1);
  }
}

TEST_CASE("two modes that are apart are found, with weights as well", "[distribution]") {
  std::mt19937_64 generator(1);
  std::vector<double> values;
  for (int i = 0; i < 700; ++i) values.push_back(std::normal_distribution<>(1, 0.1)(generator));
  for (int i = 0; i < 300; ++i) values.push_back(std::normal_distribution<>(2.5, 0.2)(generator));
  std::sort(values.begin(), values.end());
  CHECK(count_modes(values) == 2);
  CHECK(count_modes(values, std::vector<double>(values.size(), 0.001)) == 2);
  // Weights that leave nothing of the upper mode.
  std::vector<double> lower_only(values.size(), 1.0);
  std::fill(lower_only.begin() + 700, lower_only.end(), 0.0);
  CHECK(count_modes(values, lower_only) == 1);
}

TEST_CASE("the step of a coarse timer makes no modes", "[distribution]") {
  std::vector<double> values;
  for (int i = 0; i < 120000; ++i) values.push_back(std::floor(-5 * std::log1p(-(i + 0.5) / 120000)));
  CHECK(count_modes(values) == 1);
  // Two modes of whole numbers are there all the same.
  for (double& value : values)
    if (value < 4) value += 40;
  std::sort(values.begin(), values.end());
  CHECK(count_modes(values) == 2);
}

TEST_CASE("values all the same, or one alone, have one mode", "[distribution]") {
  CHECK(count_modes({5}) == 1);
  CHECK(count_modes(std::vector<double>(100, 5.0)) == 1);
}
