// SPDX-License-Identifier: Apache-2.0
// A part of the samples takes 5 to 500 times as long as it should, as preempted tasks do: how many answers that are
// 'ready' are more than 1.5 times off. Four processes go on with one store, each with the same tuples in the same
// order. Before a sample is learned its tuple is asked for, and one half a step beside it. An answer counts where the
// tuple or one within 20 % of each of its parameters has been measured, but not among the first 200 samples of all.
//
//   bin/outlier_accuracy [--seeds 100] [--noise 0.003]
//
// It feeds the models behind the library's predictions (src/model/online/kernel_model.hpp): the same on any machine.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/store/kernel_state.hpp"
#include "predict/online/snapshot.hpp"
#include "statistics/random.hpp"

namespace {

using foretask::model::KernelModel;
using foretask::model::KernelShape;
using foretask::model::KernelState;
using foretask::predict::Snapshot;
using foretask::predict::Status;

using Tuple = std::array<double, 3>;

constexpr int kProcesses = 4;
constexpr int kSamples = 3000;  // of a process
constexpr int kFirst = 200;
constexpr int kPublishEvery = 64;
constexpr double kWrong = 1.5;
constexpr double kAnyFactor = 0;  // 5 to 500, evenly by its logarithm

double truth(const Tuple& p) { return 1000 + 0.25 * p[0] * p[1] * p[2]; }

class Random {
 public:
  explicit Random(std::uint64_t seed) : random_(seed) {}
  double uniform() { return (static_cast<double>(random_.below(1ULL << 53)) + 0.5) / 9007199254740992.0; }
  double normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * 3.14159265358979323846 * uniform()); }

 private:
  foretask::statistics::Random random_;
};

struct Outliers {
  double share = 0;
  double factor = 0;
};

struct Count {
  long asked = 0;
  long wrong = 0;
  double worst = 1;
};

bool is_near(const Tuple& a, const Tuple& b) {
  return std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) { return x < 1.2 * y && y < 1.2 * x; });
}

void ask(const Snapshot& snapshot, const Tuple& p, Count& count) {
  const auto answer = snapshot.predict(p.data());
  if (answer.status != Status::kReady) return;
  ++count.asked;
  const double off = std::exp(std::abs(std::log(answer.value / truth(p))));
  count.worst = std::max(count.worst, off);
  count.wrong += off > kWrong ? 1 : 0;
}

Count run(int tuples, const Outliers& outliers, double noise, std::uint64_t seed) {
  const KernelShape shape{{"m", "n", "k"}, {}};
  Random random(seed);
  std::vector<Tuple> sizes(static_cast<std::size_t>(tuples));
  for (Tuple& p : sizes)
    for (double& x : p) x = std::floor(16 + 685 * random.uniform());
  auto model = std::make_unique<KernelModel>(shape);
  Count count;
  for (int process = 0; process < kProcesses; ++process) {
    auto snapshot = Snapshot::of(*model);
    for (int i = 0; i < kSamples; ++i) {
      const auto tuple = sizes.begin() + i % tuples;
      const bool is_known = process > 0 || i >= tuples || std::any_of(sizes.begin(), tuple, [&](const Tuple& other) {
                              return is_near(other, *tuple);
                            });
      if (is_known && (process > 0 || i > kFirst)) {
        ask(*snapshot, *tuple, count);
        Tuple beside = *tuple;
        beside[static_cast<std::size_t>(i) % beside.size()] += 0.5;
        ask(*snapshot, beside, count);
      }
      double time = truth(*tuple) * std::exp(noise * random.normal());
      if (random.uniform() < outliers.share)
        time *= outliers.factor == kAnyFactor ? 5 * std::pow(100, random.uniform()) : outliers.factor;
      model->learn(*tuple, time);
      if (model->search_is_due()) model->search();
      if (i % kPublishEvery == 0) snapshot = Snapshot::of(*model);
    }
    auto restored = KernelState::restore(KernelState::save(*model), shape);
    if (!restored) throw std::runtime_error(restored.error().message());
    model = std::move(*restored);
  }
  return count;
}

void run_all(int seeds, double noise) {
  std::printf("%7s %9s %8s %12s %8s %8s %10s\n", "tuples", "outliers", "times", "ready", "wrong", "worst", "bad seeds");
  for (const int tuples : {300, kSamples}) {
    for (const Outliers outliers : {Outliers{0, 1},
                                    {.01, 5},
                                    {.01, 50},
                                    {.01, 500},
                                    {.01, kAnyFactor},
                                    {.02, 5},
                                    {.02, 50},
                                    {.02, 500},
                                    {.02, kAnyFactor},
                                    {.05, 5},
                                    {.05, 50},
                                    {.05, 500},
                                    {.05, kAnyFactor}}) {
      Count all;
      int bad = 0;
      for (int seed = 1; seed <= seeds; ++seed) {
        const Count count = run(tuples, outliers, noise, static_cast<std::uint64_t>(seed));
        all = {all.asked + count.asked, all.wrong + count.wrong, std::max(all.worst, count.worst)};
        bad += count.wrong > 0 ? 1 : 0;
      }
      const std::string factor =
          outliers.factor == kAnyFactor ? "5 to 500" : std::to_string(static_cast<int>(outliers.factor));
      std::printf("%7d %7.0f %% %8s %12ld %8ld %8.2f %10d\n", tuples, 100 * outliers.share, factor.c_str(), all.asked,
                  all.wrong, all.worst, bad);
      std::fflush(stdout);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  int seeds = 100;
  double noise = 0.003;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::string(argv[i]) == "--seeds") seeds = std::atoi(argv[i + 1]);
    if (std::string(argv[i]) == "--noise") noise = std::atof(argv[i + 1]);
  }
  try {
    run_all(seeds, noise);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "outlier_accuracy: %s\n", problem.what());
    return 1;
  }
  return 0;
}
