// SPDX-License-Identifier: Apache-2.0
// The documented output of `model fit`, and what it says to wrong input.
#include <nlohmann/json.hpp>

#include "integration/cli_command.hpp"

using namespace cli_test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using nlohmann::json;

namespace {

const std::string kModels = std::string(FORETASK_TESTS_DIR) + "/golden/models/";

void write(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

std::vector<std::string> term_names(const json& fit) {
  std::vector<std::string> names;
  for (const json& term : fit["terms"]) names.push_back(term["name"]);
  return names;
}

}  // namespace

TEST_CASE("model fit --json has the documented keys, and R's figures") {
  const Scratch scratch;
  const Outcome outcome =
      foretask(scratch, {"model", "fit", kModels + "small.csv", "--target", "T", "--terms", "1,a,b,c", "--json"});
  REQUIRE(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
  const json fit = json::parse(outcome.out);
  const json r = json::parse(contents(kModels + "regression_R.json"))["d5"];
  CHECK(fit["n"] == 18);
  CHECK(fit["r2"].get<double>() == Approx(r["r2"].get<double>()).epsilon(1e-7));
  CHECK(fit["adj_r2"].get<double>() == Approx(r["adj_r2"].get<double>()).epsilon(1e-7));
  REQUIRE(fit["terms"].size() == 4);
  CHECK(term_names(fit) == std::vector<std::string>{"1", "a", "b", "c"});
  for (std::size_t i = 0; i < 4; ++i) {
    const json& term = fit["terms"][i];
    CHECK(term["coef"].get<double>() == Approx(r["coef"][i].get<double>()).epsilon(1e-7));
    CHECK(term["std_error"].get<double>() == Approx(r["se"][i].get<double>()).epsilon(1e-7));
    CHECK(term["t"].get<double>() == Approx(r["t"][i].get<double>()).epsilon(1e-7));
    CHECK(term["p"].get<double>() == Approx(r["p"][i].get<double>()).epsilon(1e-7));
    REQUIRE(term["ci95"].size() == 2);
    CHECK(term["ci95"][0].get<double>() == Approx(r["ci95_t_lo"][i].get<double>()).epsilon(1e-7));
    CHECK(term["ci95"][1].get<double>() == Approx(r["ci95_t_hi"][i].get<double>()).epsilon(1e-7));
  }
  CHECK(fit["warnings"].is_array());
  std::vector<std::string> keys;
  const auto ordered = nlohmann::ordered_json::parse(outcome.out);
  for (const auto& [key, value] : ordered.items()) keys.push_back(key);
  CHECK(keys == std::vector<std::string>{"n", "r2", "adj_r2", "terms", "warnings", "target", "params", "searched",
                                         "candidates", "rows", "df", "sigma", "bic", "weights", "left_out",
                                         "diagnostics"});
}

TEST_CASE("without --terms the terms are found, in the parameters named") {
  const Scratch scratch;
  const Outcome outcome =
      foretask(scratch, {"model", "fit", kModels + "m2l.csv", "--target", "T", "--params",
                         "TreeLevel, NbCells,IntervalSize,NbInteractions,ThreadId,Padding", "--json"});
  REQUIRE(outcome.exit_code == 0);
  const json fit = json::parse(outcome.out);
  CHECK(term_names(fit) == std::vector<std::string>{"1", "TreeLevel", "NbCells", "NbInteractions"});
  CHECK(fit["searched"] == true);
  CHECK(fit["weights"] == "none");
}

TEST_CASE("the text leads with the formula") {
  const Scratch scratch;
  const Outcome outcome = foretask(
      scratch, {"model", "fit", kModels + "m2l.csv", "--target", "T", "--terms", "1,TreeLevel,NbCells,NbInteractions"});
  REQUIRE(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, StartsWith("T = -1.138 + 918 * TreeLevel + 5.249 * NbCells + 0.8594 * NbInteractions\n"));
  CHECK_THAT(outcome.out,
             ContainsSubstring("It explains 99.984 % of the variation") && ContainsSubstring("4,987 rows"));
}

TEST_CASE("a parameter that is missing is said to be") {
  const Scratch scratch;
  const Outcome outcome = foretask(
      scratch, {"model", "fit", kModels + "m2l.csv", "--target", "T", "--params", "TreeLevel,NbCells,IntervalSize"});
  REQUIRE(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, ContainsSubstring("note: a parameter seems to be missing"));
}

TEST_CASE("wrong use of model exits with 2") {
  const Scratch scratch;
  write(scratch / "f.csv", "a,T\n1,2\n2,3\n3,5\n");
  const std::vector<std::vector<std::string>> wrong{
      {"model"},
      {"model", "nonsense"},
      {"model", "fit"},
      {"model", "fit", "f.csv"},
      {"model", "fit", "f.csv", "--target", ""},
      {"model", "fit", "f.csv", "--target", "T", "--terms", ""},
      {"model", "fit", "f.csv", "--target", "T", "--terms", "1,,a"},
      {"model", "fit", "f.csv", "--target", "T", "--terms", "1,a*"},
      {"model", "fit", "f.csv", "--target", "T", "--terms", "sin(a)"},
      {"model", "fit", "f.csv", "--target", "T", "--params", ""},
      {"model", "fit", "f.csv", "--target", "T", "--params", "a,"},
      {"model", "fit", "f.csv", "f.csv", "--target", "T"},
      {"model", "fit", "f.csv", "--target", "T", "--nonsense"},
  };
  for (const auto& words : wrong) {
    const Outcome outcome = foretask(scratch, words);
    INFO(Catch::Detail::stringify(words));
    CHECK(outcome.exit_code == 2);
    CHECK_THAT(outcome.err, StartsWith("foretask: error: "));
    CHECK(outcome.out.empty());
  }
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"model", "--help"}, {"model", "fit", "--help"}}) {
    const Outcome outcome = foretask(scratch, words);
    CHECK(outcome.exit_code == 0);
    CHECK_THAT(outcome.out, ContainsSubstring("fit"));
    CHECK(outcome.err.empty());
  }
}

TEST_CASE("a table that cannot be fitted exits with 1, and file and line are named") {
  const Scratch scratch;
  const auto fails = [&scratch](const std::string& text, const std::vector<std::string>& options,
                                const std::string& reason) {
    write(scratch / "f.csv", text);
    std::vector<std::string> words{"model", "fit", "f.csv"};
    words.insert(words.end(), options.begin(), options.end());
    const Outcome outcome = foretask(scratch, words);
    INFO(text);
    CHECK(outcome.exit_code == 1);
    CHECK_THAT(outcome.err, StartsWith("foretask: error: f.csv") && ContainsSubstring(reason));
    CHECK(outcome.out.empty());
  };
  fails("", {"--target", "T"}, "f.csv:1: the file is empty");
  fails("a,T\n", {"--target", "T"}, "no row");
  fails("a,T\n1,2\n", {"--target", "T"}, "only one row");
  fails("a,T\n1,2\n2,x\n", {"--target", "T"}, "f.csv:3: column 'T': 'x' is no number");
  fails("a,T\n1,2\n2\n", {"--target", "T"}, "f.csv:3: the row has 1 column");
  fails("a,T\n1,2\n2,inf\n", {"--target", "T"}, "not finite");
  fails("a,T\n1,2\n2,3\n", {"--target", "U"}, "there is no column 'U'; there are a, T");
  fails("a,T\n1,2\n2,3\n", {"--target", "T", "--params", "b"}, "there is no column 'b'");
  fails("a,T\n1,2\n2,3\n", {"--target", "T", "--terms", "1,b"}, "there is no column 'b'");
  fails("a,T\n1,2\n2,3\n", {"--target", "T", "--terms", "1,T"}, "'T', which is not a parameter");
  fails("a,T\n1,2\n2,3\n", {"--target", "T", "--terms", "1,a"}, "2 rows cannot carry a model of 2 terms");
  fails("a,T\n-1,2\n2,3\n", {"--target", "T", "--terms", "log(a)"}, "not above 0 in row 0");
  fs::remove(scratch / "f.csv");
  const Outcome outcome = foretask(scratch, {"model", "fit", "f.csv", "--target", "T"});
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.err, ContainsSubstring("f.csv") && ContainsSubstring("No such file"));
}

TEST_CASE("two rows and a target that does not vary are answered") {
  const Scratch scratch;
  write(scratch / "f.csv", "a,T\n1,2\n2,3\n");
  CHECK(foretask(scratch, {"model", "fit", "f.csv", "--target", "T"}).exit_code == 0);
  write(scratch / "f.csv", "a,T\n1,2\n1,2\n1,2\n");
  const Outcome outcome = foretask(scratch, {"model", "fit", "f.csv", "--target", "T", "--json"});
  REQUIRE(outcome.exit_code == 0);
  CHECK(json::parse(outcome.out)["terms"][0]["coef"] == 2.0);
}
