// SPDX-License-Identifier: Apache-2.0
// Compositions with standard errors from several threads at once, each of which resamples in threads of its own.
#include "foretask/analysis/compose.hpp"

#include <cmath>
#include <memory>
#include <thread>
#include <vector>

#include "catch.hpp"

using namespace foretask::analysis;

namespace {

Distribution samples(int shift) {
  std::vector<double> values;
  for (int i = 0; i < 200; ++i) values.push_back(1 + std::fabs(std::sin(i + shift)) + 0.001 * i);
  return *Distribution::of_samples(values);
}

std::vector<Distribution> expressions() {
  const Distribution x = samples(0);
  const Distribution y = samples(7);
  const Distribution gamma = *Distribution::gamma(2.5, 0.1);
  return {*Distribution::all_of(8, x), *Distribution::first_of(8, x), *Distribution::nth_of(2, 5, x),
          *Distribution::sequence({x, *Distribution::nth_of(3, 7, gamma), *Distribution::all_of({y, gamma})})};
}

std::vector<double> figures() {
  std::vector<double> all;
  for (const Distribution& expression : expressions()) {
    const auto made = compose(expression, {.resamplings = 24});
    all.push_back(made.value().mean);
    all.push_back(made.value().errors->mean);
  }
  return all;
}

}  // namespace

TEST_CASE("compositions at once in two threads are what they are alone") {
  std::vector<double> one;
  std::vector<double> other;
  std::thread first([&one] { one = figures(); });
  std::thread second([&other] { other = figures(); });
  first.join();
  second.join();
  const std::vector<double> alone = figures();
  CHECK(alone.size() == 8);
  CHECK(one == alone);
  CHECK(other == alone);
}

TEST_CASE("an expression whose last owners let go of it at once is freed once") {
  for (int round = 0; round < 50; ++round) {
    Distribution chain = *Distribution::exponential(1);
    for (int i = 0; i < 500; ++i) chain = *Distribution::all_of({chain, chain});
    const std::weak_ptr<const Distribution::Node> last = chain.node();
    std::vector<std::thread> owners;
    for (int i = 0; i < 4; ++i) owners.emplace_back([mine = chain]() mutable { mine = Distribution(nullptr); });
    chain = *Distribution::constant(1);
    for (std::thread& owner : owners) owner.join();
    CHECK(last.expired());  // that it was freed but once is the sanitizers' to say
  }
}
