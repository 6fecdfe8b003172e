// SPDX-License-Identifier: Apache-2.0
#include "predict/published/published_models.hpp"

#include <cmath>
#include <string>

#include "catch.hpp"
#include "unit/predict/program/program_tables.hpp"

using namespace foretask::predict;
using namespace program_test;

TEST_CASE("piecewise polynomials err on the tables as scipy's natural cubic splines with these knots do") {
  struct Expected {
    const char* app;
    double error;
  };
  for (const Expected& expected :
       {Expected{"fft", 0.1575737033811}, Expected{"sort", 0.1021067706640}, Expected{"sparselu", 0.0564115630249}}) {
    INFO(expected.app);
    const auto model = fit_piecewise(golden_runs("train_" + std::string(expected.app)));
    REQUIRE(model);
    const auto all = errors(**model, golden_runs("test_" + std::string(expected.app)));
    CHECK(median(all) == Approx(expected.error).epsilon(1e-7));
  }
}

TEST_CASE("piecewise polynomials bend between knots and go straight beyond the last") {
  // Of log(time) against log(n): 1 below n = 64, 2 above.
  const auto bent = [](double n, double p) { return (n < 64 ? n : n * n / 64) / p; };
  const std::vector<double> sizes{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048};
  const auto model = fit_piecewise(made_runs(sizes, {1, 2, 4}, bent));
  REQUIRE(model);
  CHECK((*model)->at(1024, 2).time == Approx(bent(1024, 2)).epsilon(0.05));
  CHECK((*model)->at(8, 2).time == Approx(bent(8, 2)).epsilon(0.05));
  const auto slope = [&](double n) { return std::log2((*model)->at(2 * n, 2).time / (*model)->at(n, 2).time); };
  CHECK(slope(1 << 14) == Approx(slope(1 << 20)));
  CHECK(slope(1 << 14) == Approx(2).epsilon(0.1));
  CHECK(slope(2) == Approx(1).epsilon(0.15));
}

TEST_CASE("with few sizes piecewise polynomials are one straight line in the logarithms") {
  const auto model = fit_piecewise(made_runs({10, 20, 30}, {1, 2}, [](double n, double p) { return n * n / p; }));
  REQUIRE(model);
  CHECK((*model)->at(1000, 8).time == Approx(125000));
}
