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

// Work n^2, span 10 n, time by `factor` spans.
std::vector<ProgramRun> runs_with(double factor, const std::vector<double>& sizes = {100, 200, 400, 800}) {
  auto runs = made_runs(sizes, {1, 2, 4, 8}, [&](double n, double p) { return n * n / p + factor * 10 * n; });
  for (ProgramRun& run : runs) {
    run.serial_work = run.n * run.n;
    run.span = 10 * run.n;
  }
  return runs;
}

}  // namespace

TEST_CASE("a curve over n is straight in the logarithms and goes on as the larger half does") {
  // n up to 4, n^2 / 4 from there: slope 1, then 2. The larger three lie on the power law of 2.
  auto runs = made_runs({1, 2, 4, 8, 16}, {1, 2}, [](double n, double p) { return n * n / p; });
  for (ProgramRun& run : runs) {
    run.serial_work = run.n < 4 ? run.n : run.n * run.n / 4;
    run.span = 1;
  }
  const auto model = fit_work_span(runs);
  REQUIRE(model);
  const auto work = [&](double n) { return (*model)->at(n, 1).serial_work; };
  CHECK(work(3) == Approx(3));
  CHECK(work(0.5) == Approx(0.5));
  CHECK(work(12) == Approx(36));
  CHECK(work(16) == Approx(64));
  CHECK(work(64) == Approx(1024));
}

TEST_CASE("the greedy bound as an estimate finds how many spans a program takes beside its work") {
  const auto model = fit_work_span(runs_with(0.6));
  REQUIRE(model);
  // 1600^2 / 32 + 0.6 * 16000 = 80000 + 9600, and the span law holds it up at p = 1000: 2560 + 9600 < 16000.
  CHECK((*model)->at(1600, 32).time == Approx(89600));
  CHECK((*model)->at(1600, 1000).time == Approx(16000));
  CHECK((*model)->at(1600, 32).span == Approx(16000));
  CHECK((*model)->at(1600, 32).serial_work == Approx(2560000));
  // Within [0, 2] spans: 2560000 / 32 + 2 * 16000.
  const auto most = fit_work_span(runs_with(5));
  REQUIRE(most);
  CHECK((*most)->at(1600, 32).time == Approx(112000));
}

// The same written with numpy (polyfit, interp).
TEST_CASE("the work-span model errs on the tables as an independent one does") {
  struct Expected {
    const char* app;
    double error;
  };
  for (const Expected& expected :
       {Expected{"fft", 0.378727323964}, Expected{"sort", 0.240009663602}, Expected{"sparselu", 0.079443254089}}) {
    INFO(expected.app);
    const auto model = fit_work_span(golden_runs("train_" + std::string(expected.app)));
    REQUIRE(model);
    const auto all = errors(**model, golden_runs("test_" + std::string(expected.app)));
    CHECK(median(all) == Approx(expected.error).epsilon(1e-7));
  }
}

TEST_CASE("the work-span model needs the span and the serial work of every run") {
  auto runs = runs_with(1);
  runs[2].span = 0;
  auto model = fit_work_span(runs);
  REQUIRE_FALSE(model);
  CHECK_THAT(model.error().message(), Catch::Matchers::ContainsSubstring("its span"));
  runs[2].serial_work = 0;
  model = fit_work_span(runs);
  REQUIRE_FALSE(model);
  CHECK_THAT(model.error().message(), Catch::Matchers::ContainsSubstring("serial work"));
}
