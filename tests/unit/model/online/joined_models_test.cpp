// SPDX-License-Identifier: Apache-2.0
// What several processes learned apart and stored one after another predicts as if one had seen all of it.
#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "catch.hpp"
#include "model/store/kernel_state.hpp"
#include "predict/online/snapshot.hpp"

using foretask::model::KernelModel;
using foretask::model::KernelShape;
using foretask::model::KernelState;
using foretask::predict::Prediction;
using foretask::predict::Snapshot;

namespace {

const KernelShape kShape{.parameters = {"n"}, .terms = {}};

// Of one process: how many samples, of sizes from here to there.
struct Part {
  int samples;
  double smallest;
  double largest;
};

using Model = std::unique_ptr<KernelModel>;

void feed(KernelModel& model, double n, double time) {
  model.learn({&n, 1}, time);
  if (model.search_is_due()) model.search();
}

// 400 ns and 30 ns for each of n, some 5 % of noise.
void run(const Part& part, unsigned seed, KernelModel& model, KernelModel& pooled) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> size(std::log(part.smallest), std::log(part.largest));
  std::normal_distribution<double> noise(0, 0.05);
  for (int i = 0; i < part.samples; ++i) {
    const double n = std::round(std::exp(size(random)));
    const double time = (400 + 30 * n) * std::exp(noise(random));
    feed(model, n, time);
    feed(pooled, n, time);
  }
}

// As the store does it: what is there, read anew, is joined by what a process has learned.
Model stored(const KernelModel& model) {
  auto restored = KernelState::restore(KernelState::save(model), kShape);
  REQUIRE(restored.ok());
  return std::move(*restored);
}

Prediction ask(const KernelModel& model, double n) { return Snapshot::of(model)->predict(&n); }

}  // namespace

TEST_CASE("in any order of joins the answer is that of all samples together") {
  const std::vector<std::vector<Part>> cases{
      {{10'000, 1'000, 200'000}, {1, 5, 6}},
      {{5'000, 1'000, 200'000}, {5'000, 1'000, 200'000}},
      {{5'000, 100, 2'000}, {5'000, 10'000, 200'000}},
      {{20, 1'000, 200'000}, {20, 1'000, 200'000}},
      {{3'000, 1'000, 200'000}, {30, 500, 90'000}, {1, 5, 6}, {500, 100, 1'000}}};
  for (std::size_t which = 0; which < cases.size(); ++which) {
    std::vector<std::size_t> order(cases[which].size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    do {
      KernelModel pooled(kShape);
      Model store;
      std::string text = "case " + std::to_string(which) + ", in order";
      for (const std::size_t part : order) {
        KernelModel own(kShape);
        run(cases[which][part], static_cast<unsigned>(part) + 1, own, pooled);
        text += " " + std::to_string(part);
        if (!store) {
          store = stored(own);
          continue;
        }
        store->join(own);
        store = stored(*store);
      }
      INFO(text);
      CHECK(store->samples() == pooled.samples());
      for (const double n : {200.0, 1'500.0, 9'000.0, 90'000.0, 150'000.0}) {
        const Prediction all = ask(pooled, n);
        const Prediction joined = ask(*store, n);
        CAPTURE(n, all.low, all.value, all.high, joined.low, joined.value, joined.high);
        CHECK(joined.value >= all.low);
        CHECK(joined.value <= all.high);
        CHECK(joined.high / joined.low <= 2 * all.high / all.low);
      }
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

TEST_CASE("processes that began with the same store, as those of a server that forks, count it once") {
  const Part before{2'000, 1'000, 50'000};
  const Part first{3'000, 1'000, 200'000};
  const Part second{40, 50'000, 200'000};
  KernelModel pooled(kShape);
  KernelModel parent(kShape);
  run(before, 1, parent, pooled);
  const Model one = stored(parent);
  const Model two = stored(parent);
  run(first, 2, *one, pooled);
  run(second, 3, *two, pooled);
  Model store = stored(*one);
  store->join(*two);
  store = stored(*store);
  CHECK(store->samples() == 5'040);
  const Prediction all = ask(pooled, 90'000);
  const Prediction joined = ask(*store, 90'000);
  CHECK(joined.value >= all.low);
  CHECK(joined.value <= all.high);
  CHECK(joined.high / joined.low <= 2 * all.high / all.low);
  CHECK(joined.nearby == all.nearby);
}
