// SPDX-License-Identifier: Apache-2.0
#include "predict/published/published_models.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "catch.hpp"
#include "unit/predict/program/program_tables.hpp"

using namespace foretask::predict;
using namespace program_test;

namespace {

const std::vector<double> kSizes{16, 64, 256, 1024, 4096, 16384};
const std::vector<double> kWorkers{1, 2, 3, 4, 6, 8};

}  // namespace

TEST_CASE("Extra-P's form finds which terms of n and p made a table") {
  struct Made {
    const char* formula;
    double (*time)(double n, double p);
  };
  for (const Made& made :
       {Made{"time = 5000 + 2 * n log2(n) * p^-1", [](double n, double p) { return 5000 + 2 * n * std::log2(n) / p; }},
        Made{"time = 700 + 3 * n^(3/2) + 40 * p^2",
             [](double n, double p) { return 700 + 3 * n * std::sqrt(n) + 40 * p * p; }},
        Made{"time = 9 + 0.5 * n^2 + 0.25 * n^2 * p^-1",
             [](double n, double p) { return 9 + n * n * (0.5 + 0.25 / p); }}}) {
    const auto model = fit_extra_p(made_runs(kSizes, kWorkers, made.time));
    REQUIRE(model);
    CHECK((*model)->formula().starts_with(made.formula));
    CHECK((*model)->at(1 << 20, 64).time == Approx(made.time(1 << 20, 64)).epsilon(1e-6));
  }
}

// The same search written in Python: each candidate fitted without each point in turn.
TEST_CASE("Extra-P's form errs on the tables as a search by brute force does") {
  struct Expected {
    const char* app;
    const char* term;
    double error;
  };
  for (const Expected& expected :
       {Expected{"fft", "n log2(n) * p^-1", 0.287741570123}, Expected{"sort", "n log2(n) * p^-1", 0.170258379567},
        Expected{"sparselu", "n^3 * p^-1", 0.066140498676}}) {
    INFO(expected.app);
    const auto model = fit_extra_p(golden_runs("train_" + std::string(expected.app)));
    REQUIRE(model);
    CHECK_THAT((*model)->formula(), Catch::Matchers::ContainsSubstring(expected.term));
    const auto all = errors(**model, golden_runs("test_" + std::string(expected.app)));
    CHECK(median(all) == Approx(expected.error).epsilon(1e-7));
  }
}

TEST_CASE("Extra-P's form takes repeated runs by their mean and leaves out what breaks the grid") {
  const auto time = [](double n, double p) { return 100 + n * n / p; };
  auto runs = made_runs(kSizes, kWorkers, time);
  const std::size_t once = runs.size();
  for (std::size_t i = 0; i < once; ++i) {
    runs.push_back(runs[i]);
    runs[i].time *= 1.25;
    runs.back().time *= 0.75;
  }
  ProgramRun alone = runs.front();
  alone.n = 3;
  alone.time = time(3, 1);
  runs.push_back(alone);
  const auto model = fit_extra_p(runs);
  REQUIRE(model);
  CHECK((*model)->at(1 << 17, 32).time == Approx(time(1 << 17, 32)));
}

TEST_CASE("Extra-P's form asks for five n and five p that were run together") {
  const auto fails = [](const std::vector<ProgramRun>& runs, const std::string& why) {
    const auto model = fit_extra_p(runs);
    REQUIRE_FALSE(model);
    CHECK_THAT(model.error().message(), Catch::Matchers::ContainsSubstring(why));
  };
  const auto time = [](double n, double p) { return n / p; };
  fails(made_runs(kSizes, {1, 2, 3, 4}, time), "5 different p");
  fails(made_runs({1, 2, 3, 4}, kWorkers, time), "5 different n");
  auto diagonal = made_runs(kSizes, kWorkers, time);
  std::erase_if(diagonal, [](const ProgramRun& run) { return (run.n > 256) != (run.p > 3); });
  fails(diagonal, "with the same p");
}
