// SPDX-License-Identifier: Apache-2.0
// A recursive program makes many samples of small sizes and few of large ones: those few are not forgotten.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>

#include "catch.hpp"
#include "model/store/kernel_state.hpp"
#include "predict/online/snapshot.hpp"

using foretask::model::KernelModel;
using foretask::model::KernelShape;
using foretask::model::KernelState;
using foretask::model::ModelKind;
using foretask::predict::Prediction;
using foretask::predict::Snapshot;
using foretask::predict::Status;
using nlohmann::json;

namespace {

constexpr std::array<double, 10> kSizes{256, 1000, 3000, 1e4, 3e4, 1e5, 2e5, 3e5, 5e5, 1e6};
constexpr double kFrequent = 128;

// 1.34 us of 128, 29.9 ms of a million: n log n.
double time_of(double n) { return 1.5 * n * std::log2(n); }

const KernelShape kShape{.parameters = {"n"}, .terms = {}};

class Program {
 public:
  explicit Program(unsigned seed) : random_(seed) {}

  void run(double n) {
    model_->learn({&n, 1}, time_of(n) * std::exp(noise_(random_)));
    if (model_->search_is_due()) model_->search();
  }
  void run_rare_sizes() {
    for (int i = 0; i < 5; ++i)
      for (const double n : kSizes) run(n);
  }
  void run_frequent_size(int times) {
    for (int i = 0; i < times; ++i) run(kFrequent);
  }
  [[nodiscard]] Prediction ask(double n) const { return Snapshot::of(*model_)->predict(&n); }
  // The process ends, and another one goes on with the store. `change`: of what is stored.
  template <typename Change>
  void restart(const Change& change) {
    json state = KernelState::save(*model_);
    change(state);
    auto restored = KernelState::restore(state, kShape);
    REQUIRE(restored.ok());
    model_ = std::move(*restored);
  }
  // How many of the sizes are predicted more than 1.5 times too short or too long.
  [[nodiscard]] int wrong() const {
    return static_cast<int>(std::count_if(kSizes.begin(), kSizes.end(), [this](double n) {
      return std::abs(std::log(ask(n).value / time_of(n))) > std::log(1.5);
    }));
  }

 private:
  std::unique_ptr<KernelModel> model_ = std::make_unique<KernelModel>(kShape);
  std::mt19937 random_;
  std::normal_distribution<double> noise_{0, 0.1};
};

}  // namespace

TEST_CASE("what was measured is not forgotten for what comes often") {
  int forgetful = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    Program program(seed);
    program.run_rare_sizes();
    program.run_frequent_size(42'500);
    if (program.wrong() > 0) ++forgetful;
  }
  CHECK(forgetful == 0);
}

TEST_CASE("a process that goes on with the store forgets it neither") {
  Program program(7);
  program.run_rare_sizes();
  program.run_frequent_size(5'000);
  program.restart([](json&) {});
  program.run_frequent_size(42'500);
  CHECK(program.wrong() == 0);
}

TEST_CASE("a store of before regions were known is read") {
  Program program(7);
  program.run_rare_sizes();
  program.restart([](json& state) {
    state.erase("regions");
    state.erase("octaves");
    for (const char* const key : {"history_score", "general_where_known"}) state[key].erase(2);
    for (json& score : state["scores"]) score.erase(2);
  });
  CHECK(program.wrong() == 0);
  CHECK(program.ask(1e6).kind == ModelKind::kHistory);
  CHECK(program.ask(1e6).nearby == 5);
}

TEST_CASE("an answer says how many samples it has nearby") {
  Program program(1);
  program.run_rare_sizes();
  program.run_frequent_size(1'000);
  // From 2^18 to 2^21: 300,000, 500,000 and a million, five of each.
  const Prediction beside = program.ask(8e5);
  CHECK(beside.nearby == 15);
  CHECK(beside.status == Status::kReady);
  CHECK(program.ask(64).nearby == 1'000);
}

TEST_CASE("between samples that lie far apart an answer is no interpolation") {
  Program program(1);
  for (int i = 0; i < 50; ++i) {
    program.run(kFrequent);
    program.run(1e6);
  }
  CHECK(program.ask(150).status == Status::kReady);
  const Prediction between = program.ask(1e4);
  CHECK(between.nearby == 0);
  CHECK(between.status == Status::kExtrapolating);
  const Prediction near = program.ask(150);
  CHECK(between.high / between.low > 2 * near.high / near.low);
}
