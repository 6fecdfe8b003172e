// SPDX-License-Identifier: Apache-2.0
#include "predict/published/published_models.hpp"

#include <cmath>
#include <string>

#include "catch.hpp"
#include "unit/predict/program/program_tables.hpp"

using namespace foretask::predict;
using namespace program_test;

TEST_CASE("the one-step lasso errs on the tables as scikit-learn's LassoLarsCV on the same columns does") {
  struct Expected {
    const char* app;
    double error;
  };
  for (const Expected& expected : {Expected{"fft", 0.3136169980}, Expected{"sort", 0.5696805506},
                                   Expected{"sparselu", 0.0173539749}, Expected{"infamily_noise0", 0.1428256163}}) {
    INFO(expected.app);
    const auto model = fit_one_step_lasso(golden_runs("train_" + std::string(expected.app)));
    REQUIRE(model);
    const auto all = errors(**model, golden_runs("test_" + std::string(expected.app)));
    CHECK(median(all) == Approx(expected.error).margin(1e-7));
  }
}

TEST_CASE("a sum of the one-step lasso's own terms is found") {
  const auto time = [](double n, double p) { return 7 * n * n / p + 2 * n * n * n * (p - 1) / p; };
  const std::vector<double> sizes{10, 15, 20, 25, 30, 35, 40, 45, 50, 60};
  const auto model = fit_one_step_lasso(made_runs(sizes, {1, 2, 3, 4, 5, 6}, time));
  REQUIRE(model);
  CHECK((*model)->at(200, 32).time == Approx(time(200, 32)).epsilon(1e-6));
}
