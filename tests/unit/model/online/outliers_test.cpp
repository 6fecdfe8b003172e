// SPDX-License-Identifier: Apache-2.0
// A sample that was held up is one of a tuple's first, in this process or in an earlier one: it does not answer for it.
#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "model/store/kernel_state.hpp"
#include "predict/online/snapshot.hpp"
#include "unit/model/online/feed.hpp"

using namespace online_test;
using foretask::model::KernelState;
using foretask::predict::Prediction;
using foretask::predict::Snapshot;
using foretask::predict::Status;

namespace {

const KernelShape kShape{{"m", "n", "k"}, {}};
constexpr int kSamples = 3000;
constexpr double kNoise = 0.003;
constexpr int kYoung = 200;

double truth(const std::vector<double>& p) { return gemm_ns(p[0], p[1], p[2]); }

std::vector<double> any_sizes(Random& random) {
  return {random.whole(16, 700), random.whole(16, 700), random.whole(16, 700)};
}

std::unique_ptr<KernelModel> restarted(const KernelModel& model) {
  auto restored = KernelState::restore(KernelState::save(model), kShape);
  REQUIRE(restored.ok());
  return std::move(*restored);
}

struct Answers {
  int ready = 0;
  int wrong = 0;  // of them more than 1.5 times too short or too long
};

// Four processes with one store and the same tuples, each asked for before it is learned again.
Answers ask_in_four_processes(int tuples, double share, double factor, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::vector<double>> sizes;
  for (int i = 0; i < tuples; ++i) sizes.push_back(any_sizes(random));
  auto model = std::make_unique<KernelModel>(kShape);
  Answers answers;
  for (int process = 0; process < 4; ++process) {
    auto snapshot = Snapshot::of(*model);
    for (int i = 0; i < kSamples; ++i) {
      const std::vector<double>& p = sizes[static_cast<std::size_t>(i % tuples)];
      const bool measured = process > 0 || i >= std::max(tuples, kYoung);
      const Prediction answer = snapshot->predict(p.data());
      if (measured && answer.status == Status::kReady) {
        ++answers.ready;
        if (std::abs(std::log(answer.value / truth(p))) > std::log(1.5)) ++answers.wrong;
      }
      feed(*model, p, truth(p) * noise(random, kNoise) * (random.uniform() < share ? factor : 1));
      if (i % 64 == 0) snapshot = Snapshot::of(*model);
    }
    model = restarted(*model);
  }
  return answers;
}

// One that knows gemm, of sizes that never came back.
std::unique_ptr<KernelModel> learned(Random& random) {
  auto model = std::make_unique<KernelModel>(kShape);
  for (int i = 0; i < 1000; ++i) {
    const auto p = any_sizes(random);
    feed(*model, p, truth(p) * noise(random, kNoise));
  }
  return model;
}

}  // namespace

TEST_CASE("of samples of which one in a hundred to one in twenty are outliers none poisons its size") {
  for (const auto& [tuples, share, factor, seed] :
       {std::tuple{3000, 0.01, 50.0, 5U}, {3000, 0.05, 500.0, 3U}, {300, 0.05, 5.0, 7U}, {300, 0.05, 50.0, 23U}}) {
    CAPTURE(tuples, share, factor);
    const Answers answers = ask_in_four_processes(tuples, share, factor, seed);
    CHECK(answers.ready > 3 * kSamples - 100);
    CHECK(answers.wrong == 0);
  }
}

TEST_CASE("a tuple that really takes fifty times as long is known when it has been seen five times") {
  Random random(3);
  auto model = learned(random);
  const std::vector<double> slow{301, 302, 303};
  // The regular tiles make history the best of the models.
  for (int i = 0; i < 400; ++i) {
    const std::vector<double> p{64 * random.whole(1, 4), 128, 128};
    feed(*model, p, truth(p) * noise(random, kNoise));
  }
  for (int i = 1; i <= 5; ++i) {
    feed(*model, slow, 50 * truth(slow) * noise(random, kNoise));
    CAPTURE(i);
    if (i < 4) CHECK(error(*model, slow, truth(slow)) < 0.5);
    model = restarted(*model);  // whichever processes saw it
  }
  CHECK(error(*model, slow, 50 * truth(slow)) < 0.02);
}

TEST_CASE("a kernel that takes fifty times as long from now on is followed within 20 samples") {
  for (const bool regular : {true, false}) {
    CAPTURE(regular);
    Random random(4);
    auto model = learned(random);
    const auto next = [&] {
      const double tile = 64 * random.whole(1, 4);
      return regular ? std::vector<double>{tile, tile, tile} : any_sizes(random);
    };
    for (int i = 0; i < 1020; ++i) {
      const auto p = next();
      feed(*model, p, (i < 1000 ? 1 : 50) * truth(p) * noise(random, kNoise));
    }
    for (int i = 0; i < 50; ++i) {
      const auto p = next();
      CHECK(error(*model, p, 50 * truth(p)) < 0.1);
    }
  }
}

TEST_CASE("an older store's tuples of few samples are weighed as well") {
  Random random(3);
  auto model = learned(random);
  for (int i = 0; i < 400; ++i) {
    const std::vector<double> p{64 * random.whole(1, 4), 128, 128};
    feed(*model, p, truth(p) * noise(random, kNoise));
  }
  const std::vector<double> held_up{301, 302, 303};
  feed(*model, held_up, 50 * truth(held_up));
  nlohmann::json state = KernelState::save(*model);
  for (nlohmann::json& tuple : state["tuples"]) tuple.erase("latest");
  const auto restored = KernelState::restore(state, kShape);
  REQUIRE(restored.ok());
  CHECK(error(**restored, held_up, truth(held_up)) < 0.02);
}
