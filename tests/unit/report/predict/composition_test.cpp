// SPDX-License-Identifier: Apache-2.0
#include "report/predict/composition.hpp"

#include <limits>
#include <nlohmann/json.hpp>

#include "catch.hpp"

using namespace foretask;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

report::ComposedExpression composed() {
  report::ComposedExpression made;
  made.expression = "or(16, file:a.csv)";
  made.result.mean = 0.35186;
  made.result.sd = 0.28141;
  made.result.skewness = 1.5;
  made.result.kurtosis = 6;
  made.result.moments = {0.35186, 0.2, 0.3, 0.4};
  made.result.quantiles = {0.01, 0.02, 0.03, 0.1, 0.25, 0.5, 0.71234, 0.9, 1.2};
  made.result.method = "empirical with fitted tail";
  made.result.beyond_sample = true;
  made.result.notes = {"the tail of a.csv rests on 60 values"};
  analysis::ComposeErrors errors{.mean = 0.006, .sd = 0.004};
  errors.quantiles.fill(0.011);
  made.result.errors = errors;
  return made;
}

}  // namespace

TEST_CASE("figures have the digits that their errors support") {
  CHECK(report::rounded(0.35186, 0.012) == "0.352");
  CHECK(report::rounded(0.35186, 0.04) == "0.35");
  CHECK(report::rounded(12345.6, 370.0) == "12300");
  CHECK(report::rounded(12345.6, 13.0) == "12346");
  CHECK(report::rounded(0.1, 5.0) == "0.10");
  CHECK(report::rounded(1234.5, kNan) == "1200");
  CHECK(report::rounded(1234.5, 5000.0) == "1200");
  CHECK(report::rounded(2.0 / 3, std::nullopt) == "0.666667");
  CHECK(report::rounded(1234567.25, std::nullopt) == "1234567");
  CHECK(report::rounded(1, std::nullopt) == "1");
  CHECK(report::rounded(0, std::nullopt) == "0");
  CHECK(report::rounded(1.2345e-6, 3e-9) == "1.234e-06");  // half to even
  CHECK(report::rounded(2.5e12, std::nullopt) == "2.5e+12");
  CHECK(report::rounded(-0.35186, 0.012) == "-0.352");
  CHECK(report::rounded(3e-7, std::nullopt) == "3e-07");
  CHECK(report::rounded(kNan, 1.0) == "-");
  CHECK(report::rounded(kNan, std::nullopt) == "-");
}

TEST_CASE("a figure of 0 is as small as its error") {
  report::ComposedExpression made = composed();
  made.result.quantiles[1] = 0;
  made.result.errors->quantiles[1] = 5.3e-11;
  CHECK_THAT(report::composition_text(made), ContainsSubstring("\n         5 %  0e+00 ± 1.1e-10 *\n") ||
                                                 ContainsSubstring("\n         5 %  0e+00 ± 1.1e-10\n"));
}

TEST_CASE("the text leads with the mean, its uncertainty and the spread") {
  const std::string text = report::composition_text(composed());
  CHECK_THAT(text, StartsWith("Mean 0.352 ± 0.012, standard deviation 0.281 ± 0.008\n"));
  CHECK_THAT(text, ContainsSubstring("\n        90 %  0.712 ± 0.022\n"));
  CHECK_THAT(text, ContainsSubstring("Method: empirical with fitted tail: the measured times as they are, and beyond"));
  CHECK_THAT(text, ContainsSubstring(
                       "Beyond the sample: this many copies reach times that are rarer than any that was measured"));
  CHECK_THAT(text, ContainsSubstring("Note: the tail of a.csv rests on 60 values\n"));
}

TEST_CASE("an error that is not known is called so, and one above its figure leaves the figure two digits") {
  report::ComposedExpression made = composed();
  made.result.errors->mean = kNan;
  made.result.errors->sd = 3;
  made.result.errors->quantiles[8] = std::numeric_limits<double>::infinity();
  const std::string text = report::composition_text(made);
  CHECK_THAT(text, StartsWith("Mean 0.35 ± unknown, standard deviation 0.28 ± 6\n"));
  CHECK_THAT(text, ContainsSubstring("\n        99 %  1.2 ± unknown\n"));
  made.result.mean = kNan;
  CHECK_THAT(report::composition_text(made), StartsWith("There is no mean: in the fitted tail"));
}

TEST_CASE("quantiles that rest on few measured times are marked") {
  report::ComposedExpression made = composed();
  CHECK_THAT(report::composition_text(made), !ContainsSubstring("*"));
  CHECK_FALSE(nlohmann::json::parse(report::composition_json(made)).contains("beyond"));
  made.result.beyond[7] = made.result.beyond[8] = true;
  const std::string text = report::composition_text(made);
  CHECK_THAT(text,
             ContainsSubstring(
                 "\n        90 %  0.712 ± 0.022\n        95 %  0.900 ± 0.022 *\n        99 %  1.200 ± 0.022 *\n"));
  CHECK_THAT(text, ContainsSubstring("\n*: rests on fewer than five of the measured times"));
  CHECK(nlohmann::json::parse(report::composition_json(made))["beyond"] == nlohmann::json({"p95", "p99"}));
}

TEST_CASE("the text says what other numbers of workers would give") {
  report::ComposedExpression made = composed();
  CHECK_THAT(report::composition_text(made), !ContainsSubstring("workers"));
  made.first_ends = true;
  made.copies = 16;
  made.others = {{.n = 8, .mean = 0.7, .p90 = 1.5, .mean_error = 0.01, .p90_error = 0.05},
                 {.n = 32, .mean = 0.2, .p90 = 0.4, .mean_error = 0.01, .p90_error = 0.05, .beyond_sample = true}};
  const std::string text = report::composition_text(made);
  CHECK_THAT(text, ContainsSubstring("until the first of them ends:\n"
                                     "     workers  mean                      90 % take at most\n"
                                     "           8  0.700 ± 0.020             1.50 ± 0.10\n"
                                     "          16  0.352 ± 0.012             0.712 ± 0.022  (beyond the sample)\n"
                                     "          32  0.200 ± 0.020             0.40 ± 0.10  (beyond the sample)\n"));
}

TEST_CASE("known families are shown without errors, and a mean that is not there is said") {
  report::ComposedExpression made = composed();
  made.result.errors.reset();
  made.result.beyond_sample = false;
  made.result.method = "exact";
  CHECK_THAT(report::composition_text(made), StartsWith("Mean 0.35186, standard deviation 0.28141\n"));
  CHECK_THAT(report::composition_text(made), !ContainsSubstring("±"));
  made.result.sd = kNan;
  CHECK_THAT(report::composition_text(made), ContainsSubstring("standard deviation without bound"));
  made.result.mean = kNan;
  CHECK_THAT(report::composition_text(made), StartsWith("There is no mean"));
}

TEST_CASE("the JSON of a composition has null where there is no number") {
  report::ComposedExpression made = composed();
  made.result.moments[3] = kNan;
  made.expression = "file:\xff";
  const auto json = nlohmann::json::parse(report::composition_json(made));
  CHECK(json["mean"] == 0.35186);
  CHECK(json["moments"][1] == 0.2);
  CHECK(json["moments"][3].is_null());
  CHECK(json["quantiles"].size() == 9);
  CHECK(json["quantiles"]["p01"] == 0.01);
  CHECK(json["quantiles"]["p90"] == 0.71234);
  CHECK(json["status"] == "beyond the sample");
  CHECK(json["errors"]["mean"] == 0.006);
  CHECK(json["errors"]["quantiles"]["p99"] == 0.011);
  CHECK(json["copies"].is_null());
  made.result.errors.reset();
  CHECK(nlohmann::json::parse(report::composition_json(made))["errors"].is_null());
}
