// SPDX-License-Identifier: Apache-2.0
// Searches that must end at the terms the data was made of.
#include "unit/model/fit/fit_data.hpp"

using namespace fit_test;
using foretask::analysis::Noise;

namespace {

using Names = std::vector<std::string>;

const Names kM2l{"1", "TreeLevel", "NbCells", "NbInteractions"};

std::string said(const ModelFit& fit) {
  return Catch::Detail::stringify(names_of(fit)) + " " + Catch::Detail::stringify(fit.warnings);
}

// Three parameters and one that has nothing to do with the time.
DataTable made(std::uint64_t seed, int rows, double (*time)(double a, double b, double c, Random& random)) {
  Random random(seed);
  DataTable table{.names = {"a", "b", "c", "other", "T"}, .columns = std::vector<std::vector<double>>(5)};
  for (int i = 0; i < rows; ++i) {
    const double a = random.whole(1, 60);
    const double b = random.whole(2, 200);
    const double c = random.whole(1, 30);
    const double row[] = {a, b, c, random.whole(1, 16), time(a, b, c, random)};
    for (std::size_t j = 0; j < 5; ++j) table.columns[j].push_back(row[j]);
  }
  return table;
}

}  // namespace

TEST_CASE("the search finds the kernel's terms among six parameters") {
  const ModelFit fit = fitted(even_m2l());
  INFO(said(fit));
  CHECK(names_of(fit) == kM2l);
  CHECK(fit.weights == Noise::kConstant);
  CHECK(fit.n == 4987);
  CHECK(fit.warnings.empty());
  CHECK(fit.candidates > 80);
  // R's, of the true terms.
  CHECK(fit.terms[1].coefficient == Approx(918.041096251473).epsilon(1e-7));
  CHECK(fit.adj_r2 == Approx(0.999839324232111).epsilon(1e-7));
  REQUIRE(fit.diagnostics.hold_out);
  CHECK(fit.diagnostics.hold_out->total_error_pct < 0.5);
}

TEST_CASE("the search finds them where the noise is proportional, and weights the rows") {
  const ModelFit fit = fitted(proportional_m2l());
  INFO(said(fit));
  CHECK(names_of(fit) == kM2l);
  CHECK(fit.weights == Noise::kProportional);
  CHECK(fit.sigma == Approx(0.05).epsilon(0.05));
  // The numbers that the data was made with.
  CHECK(fit.terms[1].low < 910);
  CHECK(fit.terms[1].high > 910);
  CHECK(fit.terms[2].low < 5.34);
  CHECK(fit.terms[2].high > 5.34);
  CHECK(fit.terms[3].low < 0.859);
  CHECK(fit.terms[3].high > 0.859);
  CHECK(warns(fit, "the noise is proportional to T"));
  CHECK_FALSE(warns(fit, "missing"));
}

TEST_CASE("the search finds them among outliers, and leaves those out") {
  for (const std::uint64_t seed : {1, 2, 3}) {
    DataTable table = even_m2l();
    Random random(seed);
    std::size_t spoilt = 0;
    for (double& time : table.columns.back()) {
      const double chance = random.uniform();
      if (chance < 0.035) ++spoilt;
      time *= chance < 0.03 ? 0.15 : chance < 0.035 ? 3 : 1;
    }
    const ModelFit fit = fitted(table);
    INFO(seed << " " << said(fit));
    CHECK(names_of(fit) == kM2l);
    CHECK(fit.n < 4987);
    CHECK(fit.diagnostics.outliers.size() <= spoilt);
    CHECK(fit.diagnostics.outliers.size() >= spoilt * 9 / 10);
    CHECK(fit.terms[3].coefficient == Approx(0.859).epsilon(0.005));
    CHECK(warns(fit, "outliers"));
    CHECK_FALSE(warns(fit, "missing"));
  }
}

TEST_CASE("on eighteen rows the search says no more than they bear out") {
  const ModelFit fit = fitted(golden("small.csv"));
  INFO(said(fit));
  const Names names = names_of(fit);
  // c's true effect is a fifteenth of the noise; a's and b's are plain.
  CHECK(names == Names{"1", "a", "b"});
}

TEST_CASE("products of three parameters are found") {
  const ModelFit fit = fitted(made(11, 800, [](double a, double b, double c, Random& random) {
    return 500 + 3 * a * b * c + 900 * random.normal();
  }));
  INFO(said(fit));
  CHECK(names_of(fit) == Names{"1", "a*b*c"});
  CHECK(fit.terms[1].coefficient == Approx(3).epsilon(0.01));
}

TEST_CASE("cubes, logarithms and ratios are found") {
  const auto names = [](double (*time)(double, double, double, Random&)) {
    const ModelFit fit = fitted(made(7, 1500, time));
    INFO(said(fit));
    CHECK(fit.diagnostics.median_error_pct < 20);
    return names_of(fit);
  };
  CHECK(names([](double a, double b, double, Random& random) {
          return 50 + 0.7 * a * a * a + 4 * b + 300 * random.normal();
        }) == Names{"1", "b", "a^3"});
  CHECK(names([](double a, double b, double, Random& random) {
          return 100 + 80 * std::log(b) + 2 * a + 5 * random.normal();
        }) == Names{"1", "a", "log(b)"});
  CHECK(names([](double a, double b, double c, Random& random) {
          return 20 + 3 * b / c + 2 * a + 4 * random.normal();
        }) == Names{"1", "a", "b/c"});
  CHECK(names([](double, double b, double, Random& random) {
          return (30 + 2 * b * std::log(b)) * (1 + 0.03 * random.normal());
        }) == Names{"1", "b*log(b)"});
}

TEST_CASE("noise alone is explained by the constant alone") {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6, 7, 8}) {
    const ModelFit fit =
        fitted(made(seed, 300, [](double, double, double, Random& random) { return 1000 + 50 * random.normal(); }));
    INFO(seed << " " << said(fit));
    CHECK(names_of(fit) == Names{"1"});
  }
}

TEST_CASE("copies of a parameter and columns of 1e-9 and 1e18 do not confuse the search") {
  Random random(9);
  DataTable table{.names = {"tiny", "huge", "copy", "fixed", "T"}, .columns = std::vector<std::vector<double>>(5)};
  for (int i = 0; i < 600; ++i) {
    const double tiny = 1e-9 * random.uniform(1, 10);
    const double huge = 1e18 * random.uniform(1, 10);
    const double time = 5 + 3e9 * tiny + 2e-18 * huge + 0.1 * random.normal();
    const double row[] = {tiny, huge, 2 * tiny * (1 + 1e-9 * random.normal()), 4, time};
    for (std::size_t j = 0; j < 5; ++j) table.columns[j].push_back(row[j]);
  }
  const ModelFit fit = fitted(table);
  INFO(said(fit));
  REQUIRE(fit.terms.size() == 3);
  CHECK((fit.terms[1].name == "tiny" || fit.terms[1].name == "huge"));
  CHECK(warns(fit, "fixed does not vary"));
  CHECK(fit.r2 > 0.99);
}

TEST_CASE("exact data gives its terms and no more") {
  Random random(2);
  DataTable table{.names = {"a", "b", "T"}, .columns = {{}, {}, {}}};
  for (int i = 0; i < 100; ++i) {
    const double a = random.whole(1, 50);
    const double b = random.whole(1, 50);
    table.columns[0].push_back(a);
    table.columns[1].push_back(b);
    table.columns[2].push_back(7 + 2 * a + 3 * a * b);
  }
  const ModelFit fit = fitted(table);
  INFO(said(fit));
  CHECK(names_of(fit) == Names{"1", "a", "a*b"});
  CHECK(fit.terms[2].coefficient == Approx(3).epsilon(1e-9));
}

TEST_CASE("the parameters to search in can be named") {
  const ModelFit fit = fitted(even_m2l(), {}, {"NbCells", "IntervalSize"});
  for (const auto& term : fit.terms) {
    CHECK(term.name.find("NbInteractions") == std::string::npos);
    CHECK(term.name.find("TreeLevel") == std::string::npos);
  }
  INFO(said(fit));
  CHECK(warns(fit, "NbInteractions is not in the model"));
}
