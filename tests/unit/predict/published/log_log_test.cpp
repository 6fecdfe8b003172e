// SPDX-License-Identifier: Apache-2.0
#include "predict/published/published_models.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "catch.hpp"
#include "unit/predict/program/program_tables.hpp"

using namespace foretask::predict;
using namespace program_test;

TEST_CASE("log-log regression errs on the tables as numpy's does") {
  struct Expected {
    const char* app;
    double linear, quadratic;
  };
  for (const Expected& expected : {Expected{"fft", 0.05963951804364091, 0.03732838048392399},
                                   Expected{"sort", 0.44169355664210436, 0.4272463559955966},
                                   Expected{"sparselu", 0.023890558030252747, 0.01401260703977976}}) {
    INFO(expected.app);
    const auto training = golden_runs("train_" + std::string(expected.app));
    const auto larger = golden_runs("test_" + std::string(expected.app));
    const auto linear = fit_log_log(training, false);
    const auto quadratic = fit_log_log(training, true);
    REQUIRE(linear);
    REQUIRE(quadratic);
    CHECK(median(errors(**linear, larger)) == Approx(expected.linear).epsilon(1e-9));
    CHECK(median(errors(**quadratic, larger)) == Approx(expected.quadratic).epsilon(1e-9));
  }
}

TEST_CASE("log-log regression finds a power law and extends it") {
  const auto power = [](double n, double p) { return 8 * std::pow(n, 1.5) / std::sqrt(p); };
  const auto model = fit_log_log(made_runs({4, 16, 64}, {1, 2, 4}, power), false);
  REQUIRE(model);
  CHECK((*model)->at(1024, 256).time == Approx(8 * 32768.0 / 16));
  CHECK((*model)->formula() == "log2(time) = 3 + 1.5 * log2(n) - 0.5 * log2(p)");
  CHECK((*model)->at(16, 2).log_sd < 1e-9);
  CHECK(std::isnan((*model)->at(16, 2).work));
}

TEST_CASE("log-log regression refuses n and p that change together") {
  auto runs = made_runs({1, 2, 4, 8}, {1, 2, 4, 8}, [](double n, double p) { return n + p; });
  std::erase_if(runs, [](const ProgramRun& run) { return run.n != run.p; });
  const auto model = fit_log_log(runs, false);
  REQUIRE_FALSE(model);
  CHECK_THAT(model.error().message(), Catch::Matchers::ContainsSubstring("change together"));
}
