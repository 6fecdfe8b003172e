// SPDX-License-Identifier: Apache-2.0
// Named terms: R's lm() and summary() on the same data, and what is said about a fit.
#include <nlohmann/json.hpp>

#include "scratch.hpp"
#include "unit/model/fit/fit_data.hpp"

using namespace fit_test;

namespace {

// R's name of a term as --terms writes it.
std::string term_of(std::string name) {
  if (name == "(Intercept)") return "1";
  if (name.starts_with("I(")) name = name.substr(2, name.size() - 3);
  std::erase(name, ' ');
  return name;
}

void check_against_r(const std::string& model, const DataTable& table) {
  const auto r = nlohmann::json::parse(foretask_test::contents(kModels + "regression_R.json"))[model];
  std::vector<std::string> terms;
  for (const auto& name : r["terms"]) terms.push_back(term_of(name));
  const ModelFit fit = fitted(table, terms);
  INFO(model);
  REQUIRE(names_of(fit) == terms);
  const auto close = [](double expected) { return Approx(expected).epsilon(1e-7).margin(1e-300); };
  for (std::size_t i = 0; i < terms.size(); ++i) {
    INFO(terms[i]);
    // A coefficient that nearly cancels is as exact as its standard error is large.
    const double margin = 1e-9 * r["se"][i].get<double>();
    CHECK(fit.terms[i].coefficient == close(r["coef"][i]).margin(margin));
    CHECK(fit.terms[i].std_error == close(r["se"][i]));
    CHECK(fit.terms[i].t == close(r["t"][i]).margin(1e-9));
    CHECK(fit.terms[i].p == close(r["p"][i]));
    CHECK(fit.terms[i].low == close(r["ci95_t_lo"][i]).margin(margin));
    CHECK(fit.terms[i].high == close(r["ci95_t_hi"][i]).margin(margin));
  }
  CHECK(fit.n == r["n"]);
  CHECK(fit.freedom == r["df"]);
  CHECK(fit.sigma == close(r["sigma"]));
  CHECK(fit.r2 == close(r["r2"]));
  CHECK(fit.adj_r2 == close(r["adj_r2"]));
  CHECK(fit.bic == close(r["BIC"]));
  CHECK(fit.diagnostics.max_leverage.value == close(r["max_leverage"]));
  CHECK(fit.diagnostics.max_studentized.value == close(r["max_abs_studentized"]));
  CHECK(fit.diagnostics.breusch_pagan.value().statistic == close(r["breusch_pagan_koenker"]));
  // Shapiro and Wilk's test there, Jarque and Bera's here: they agree on what is normal.
  CHECK((fit.diagnostics.normality.value().p > 0.05) == (r["shapiro_p_first5000"] > 0.05));
}

}  // namespace

TEST_CASE("a fit equals R's lm and summary to 1e-7") {
  check_against_r("d1_true", even_m2l());
  check_against_r("d1_all_linear", even_m2l());
  check_against_r("d1_fig5_without_NbInteractions", even_m2l());
  check_against_r("d2_true", proportional_m2l());
  check_against_r("d5", golden("small.csv"));
}

TEST_CASE("a fit without a constant measures R2 from 0, as R does") {
  // By hand: slope = sum xy / sum x^2 = 66 / 55, R2 = 66^2 / (55 * 86).
  const DataTable table{.names = {"x", "T"}, .columns = {{1, 2, 3, 4, 5}, {2, 4, 5, 4, 5}}};
  const ModelFit fit = fitted(table, {"x"});
  CHECK(fit.terms[0].coefficient == Approx(66.0 / 55).epsilon(1e-13));
  CHECK(fit.r2 == Approx(66.0 * 66 / 55 / 86).epsilon(1e-13));
  CHECK(fit.adj_r2 == Approx(1 - (1 - fit.r2) * 5 / 4).epsilon(1e-13));
}

TEST_CASE("the constant may be named anywhere, and terms keep their order and spelling") {
  const ModelFit fit = fitted(even_m2l(), {"NbCells", "1", "NbInteractions*TreeLevel"});
  CHECK(names_of(fit) == std::vector<std::string>{"NbCells", "1", "NbInteractions*TreeLevel"});
}

TEST_CASE("a term that depends on others is left out, and it is said") {
  DataTable table = even_m2l();
  std::vector<double> twice = *table.column("NbCells");
  for (double& x : twice) x = 2 * x + 1;
  add_column(table, "Copy", twice);
  add_column(table, "Fixed", std::vector<double>(table.rows(), 7));
  const ModelFit fit = fitted(table, {"1", "NbCells", "Copy", "Fixed", "NbInteractions"});
  CHECK(names_of(fit) == std::vector<std::string>{"1", "NbCells", "NbInteractions"});
  CHECK(fit.left_out.size() == 2);
  CHECK(warns(fit, "Copy was left out: it depends linearly"));
  CHECK(warns(fit, "Fixed was left out"));
  CHECK(warns(fit, "Fixed does not vary"));
}

TEST_CASE("parameters equal up to 1e-8 are told apart no longer, those up to 1e-3 are") {
  Random random(5);
  DataTable table{.names = {"a", "b", "c", "T"}, .columns = {{}, {}, {}, {}}};
  for (int i = 0; i < 400; ++i) {
    const double a = random.uniform(1, 100);
    const double c = a * (1 + 1e-3 * random.normal());
    table.columns[0].push_back(a);
    table.columns[1].push_back(a * (1 + 1e-8 * random.normal()));
    table.columns[2].push_back(c);
    table.columns[3].push_back(3 + 2 * a + 5 * c + 1e-4 * random.normal());
  }
  const ModelFit fit = fitted(table, {"1", "a", "b", "c"});
  CHECK(names_of(fit) == std::vector<std::string>{"1", "a", "c"});
  CHECK(fit.terms[1].coefficient == Approx(2).epsilon(0.01));
  CHECK(fit.terms[2].coefficient == Approx(5).epsilon(0.01));
}

TEST_CASE("logarithms and ratios of what is not positive are refused with the reason, the rest is fitted") {
  const ModelFit fit = fitted(golden("small.csv"), {"1", "a", "log(c)", "a/c"});
  CHECK(names_of(fit) == std::vector<std::string>{"1", "a"});
  CHECK(warns(fit, "log(c) was left out: 'c' is not above 0 in row 0"));
  CHECK(warns(fit, "a/c was left out: 'c' is not above 0 in row 0"));
}

TEST_CASE("what cannot be fitted is an error") {
  const auto error_of = [](const DataTable& table, FitOptions options) {
    const auto fit = foretask::analysis::fit_model(table, options);
    REQUIRE_FALSE(fit.ok());
    return fit.error().what;
  };
  const DataTable table{.names = {"a", "T"}, .columns = {{1, 2}, {3, 4}}};
  CHECK(error_of(table, {.target = "X"}) == "there is no column 'X'; there are a, T");
  CHECK(error_of(table, {.target = "T", .parameters = {"b"}}) == "there is no column 'b'; there are a, T");
  CHECK(error_of(table, {.target = "T", .parameters = {"T"}}).find("is the target") != std::string::npos);
  CHECK(error_of(table, {.target = "T", .parameters = {"a", "a"}}).find("twice") != std::string::npos);
  CHECK(error_of(table, {.target = "T", .terms = {"1", "b"}}) == "there is no column 'b'; there are a, T");
  CHECK(error_of(table, {.target = "T", .terms = {"1", "a", "a"}}).find("twice") != std::string::npos);
  CHECK(error_of(table, {.target = "T", .terms = {"1", "a"}}).find("2 rows cannot carry") != std::string::npos);
  CHECK(error_of({.names = {"a", "T"}, .columns = {{1, 2}, {2, 1e200}}}, {.target = "T"}).find("change its unit") !=
        std::string::npos);
  CHECK(error_of({.names = {"a", "T"}, .columns = {{1}, {2}}}, {.target = "T"}).find("one row") != std::string::npos);
}

TEST_CASE("a true model of even noise calls for no warning") {
  const ModelFit fit = fitted(even_m2l(), {"1", "TreeLevel", "NbCells", "NbInteractions"});
  INFO(Catch::Detail::stringify(fit.warnings));
  CHECK(fit.warnings.empty());
}

TEST_CASE("terms that explain nothing are called overfitted by name") {
  const ModelFit fit =
      fitted(even_m2l(), {"1", "TreeLevel", "NbCells", "IntervalSize", "NbInteractions", "ThreadId", "Padding"});
  INFO(Catch::Detail::stringify(fit.warnings));
  CHECK(warns(fit, "overfitted: IntervalSize, ThreadId and Padding add nothing significant"));
  CHECK_FALSE(warns(fit, "missing"));
}

TEST_CASE("a parameter outside the model that explains the residuals is named as missing") {
  const ModelFit fit = fitted(even_m2l(), {"1", "TreeLevel", "NbCells", "IntervalSize"});
  INFO(Catch::Detail::stringify(fit.warnings));
  CHECK(warns(fit, "a parameter seems to be missing"));
  CHECK(warns(fit, "NbInteractions is not in the model"));
}

TEST_CASE("a parameter that nobody measured is noticed by its absence") {
  const DataTable table = without(even_m2l(), "NbInteractions");
  const ModelFit named = fitted(
      table, {"1", "TreeLevel", "NbCells", "IntervalSize", "TreeLevel^2", "NbCells^2", "IntervalSize^2",
              "TreeLevel*NbCells", "TreeLevel*IntervalSize", "NbCells*IntervalSize", "TreeLevel*NbCells*IntervalSize"});
  INFO(Catch::Detail::stringify(named.warnings));
  CHECK(warns(named, "seems to be missing"));
  const ModelFit found = fitted(table);
  INFO(Catch::Detail::stringify(found.warnings));
  CHECK(warns(found, "a parameter seems to be missing"));
}

TEST_CASE("noise that grows with the time is called proportional, and its size is right") {
  const ModelFit fit = fitted(proportional_m2l(), {"1", "TreeLevel", "NbCells", "NbInteractions"});
  INFO(Catch::Detail::stringify(fit.warnings));
  CHECK(warns(fit, "the noise is proportional to T (about 4.98 % of it)"));
  CHECK_FALSE(warns(fit, "missing"));
  CHECK_FALSE(warns(fit, "outlier"));
  CHECK(fit.diagnostics.breusch_pagan->p < 1e-100);
}

TEST_CASE("outliers are listed by row") {
  DataTable table = even_m2l();
  table.columns.back()[17] *= 3;
  table.columns.back()[4000] *= 0.15;
  const ModelFit fit = fitted(table, {"1", "TreeLevel", "NbCells", "NbInteractions"});
  CHECK(fit.diagnostics.outliers == std::vector<std::size_t>{17, 4000});
  CHECK(warns(fit, "2 rows are outliers"));
  CHECK(fit.n == 4987);
}

TEST_CASE("a curved kernel fitted with a line is told which term it lacks") {
  Random random(3);
  DataTable table{.names = {"n", "T"}, .columns = {{}, {}}};
  for (int i = 0; i < 500; ++i) {
    const double n = random.whole(10, 400);
    table.columns[0].push_back(n);
    table.columns[1].push_back(100 + 0.5 * n * n + 500 * random.normal());
  }
  const ModelFit fit = fitted(table, {"1", "n"});
  INFO(Catch::Detail::stringify(fit.warnings));
  CHECK(warns(fit, "a term seems to be missing: n^2 explains"));
  REQUIRE(fit.diagnostics.hold_out);
  CHECK(fit.diagnostics.hold_out->spread_ratio > 2);
  CHECK(warns(fit, "do not extrapolate"));
}

TEST_CASE("a target without noise is fitted exactly and said to be so") {
  const DataTable table{.names = {"a", "T"}, .columns = {{1, 2, 3, 4, 5, 6}, {5, 8, 11, 14, 17, 20}}};
  const ModelFit fit = fitted(table, {"1", "a"});
  CHECK(fit.terms[0].coefficient == Approx(2));
  CHECK(fit.terms[1].coefficient == Approx(3));
  CHECK(warns(fit, "exactly"));
}

TEST_CASE("a target and a parameter that do not vary are said to be so") {
  const DataTable table{.names = {"a", "T"}, .columns = {{3, 3, 3, 3}, {5, 5, 5, 5}}};
  const ModelFit fit = fitted(table);
  CHECK(names_of(fit) == std::vector<std::string>{"1"});
  CHECK(fit.terms[0].coefficient == Approx(5));
  CHECK(warns(fit, "a does not vary"));
  CHECK(warns(fit, "T does not vary"));
}

TEST_CASE("three rows are too few to say much, and little is said") {
  const ModelFit fit = fitted({.names = {"a", "T"}, .columns = {{1, 2, 3}, {2, 4.1, 6}}});
  CHECK(names_of(fit) == std::vector<std::string>{"1"});
  CHECK(fit.weights == foretask::analysis::Noise::kConstant);
  CHECK(fit.warnings.empty());
}

TEST_CASE("fitted values are the terms' sum in each row") {
  const DataTable table{.names = {"a", "b"}, .columns = {{1, 2, 4}, {3, 5, 7}}};
  ModelFit fit;
  fit.terms = {{.name = "1", .coefficient = 10}, {.name = "a*b", .coefficient = 2}, {.name = "b^2", .coefficient = -1}};
  const auto values = foretask::analysis::fitted_values(fit, table);
  REQUIRE(values.ok());
  CHECK(*values == std::vector<double>{7, 5, 17});  // 10 + 6 - 9, 10 + 20 - 25, 10 + 56 - 49
  fit.terms.push_back({.name = "c", .coefficient = 1});
  CHECK_FALSE(foretask::analysis::fitted_values(fit, table).ok());
}
