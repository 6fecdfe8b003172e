// SPDX-License-Identifier: Apache-2.0
// The documented output of model evaluate on traces of tasks with independently found figures.
#include <nlohmann/json.hpp>

#include "integration/cli_command.hpp"

using namespace cli_test;
using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

namespace {

const std::string kModels = std::string(FORETASK_TESTS_DIR) + "/golden/models/";

Outcome evaluate(const Scratch& scratch, const std::string& file, const std::vector<std::string>& more,
                 const std::string& target = "cycles", const std::string& parameter = "instr") {
  std::vector<std::string> words{"model", "evaluate", file, "--target", target, "--params", parameter};
  words.insert(words.end(), more.begin(), more.end());
  return foretask(scratch, words);
}

std::vector<std::string> keys(const json& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items()) names.push_back(name);
  return names;
}

}  // namespace

TEST_CASE("model evaluate --json agrees with the independent figures") {
  const Scratch scratch;
  const json expected = json::parse(contents(kModels + "expected.json"));
  int compared = 0;
  for (const auto& [name, trace] : expected.items()) {
    const std::string file = kModels + name + ".csv";
    if (!fs::exists(file)) continue;  // fluid_asc and fluid_desc are fluid_random in other orders: a unit test has them
    const Outcome outcome = evaluate(scratch, file, {"--methods", "first,second,support-points,kmeans,best", "--json"});
    INFO(name << " " << outcome.err);
    REQUIRE(outcome.exit_code == 0);
    const json found = json::parse(outcome.out);
    CHECK(keys(found) == std::vector<std::string>{"methods", "n"});
    CHECK(found["n"] == trace["n"]);
    REQUIRE(found["methods"].size() == 5);
    for (const json& method : found["methods"]) {
      CHECK(keys(method) ==
            std::vector<std::string>{"actual_total", "chosen_ids", "error_pct", "mape_pct", "name", "predicted_total"});
      CHECK(method["actual_total"].get<double>() == trace["actual_total"].get<double>());
      if (method["name"] == "best") continue;
      const json& figures = trace[method["name"].get<std::string>()];
      CHECK(method["chosen_ids"] == figures["chosen_ids"]);
      CHECK(method["predicted_total"].get<double>() == Approx(figures["predicted_total"].get<double>()).epsilon(1e-11));
      CHECK(method["error_pct"].get<double>() == Approx(figures["error_pct"].get<double>()).epsilon(1e-9));
      ++compared;
    }
    CHECK(found["methods"][4]["name"] == "best");
    CHECK(found["methods"][4]["error_pct"].get<double>() <=
          1 + std::min(trace["support-points"]["error_pct"].get<double>(), trace["kmeans"]["error_pct"].get<double>()));
  }
  CHECK(compared == 6 * 4);
}

TEST_CASE("methods come in the order asked for, each once, and all of them by default") {
  const Scratch scratch;
  const auto names = [&scratch](const std::vector<std::string>& more) {
    std::vector<std::string> words = more;
    words.emplace_back("--json");
    std::vector<std::string> found;
    const Outcome outcome = evaluate(scratch, kModels + "hand_kmeans.csv", words);
    REQUIRE(outcome.exit_code == 0);
    const json printed = json::parse(outcome.out);
    for (const json& method : printed["methods"]) found.push_back(method["name"]);
    return found;
  };
  CHECK(names({"--methods", "kmeans,first,kmeans"}) == std::vector<std::string>{"kmeans", "first"});
  CHECK(names({}) == std::vector<std::string>{"first", "second", "support-points", "kmeans", "best"});
}

TEST_CASE("the text leads with the method that comes closest and says what each one knew") {
  const Scratch scratch;
  const Outcome outcome = evaluate(scratch, kModels + "hand_kmeans.csv", {"--methods", "first,kmeans"});
  REQUIRE(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, ContainsSubstring("8 rows") && ContainsSubstring("499 in all"));
  CHECK(outcome.out.find("\nkmeans ") < outcome.out.find("\nfirst "));
  CHECK_THAT(outcome.out, ContainsSubstring("all parameters beforehand"));
  CHECK_THAT(outcome.out, ContainsSubstring("kmeans comes closest: its error is 1.4 % of the total"));
}

TEST_CASE("an unknown method is wrong usage and the message names those that there are") {
  const Scratch scratch;
  for (const std::string list : {"median", "first,", "first,,best", ""}) {
    const Outcome outcome = evaluate(scratch, kModels + "hand_kmeans.csv", {"--methods", list});
    CAPTURE(list);
    CHECK(outcome.exit_code == 2);
    CHECK(outcome.out.empty());
    CHECK_THAT(outcome.err,
               ContainsSubstring("foretask: error:") && ContainsSubstring("first,second,support-points,kmeans,best"));
  }
}

TEST_CASE("a table that cannot be evaluated is an error that names the file and the reason") {
  const Scratch scratch;
  const auto error_of = [&scratch](const std::string& text, const std::string& parameter = "x") {
    std::ofstream(scratch / "t.csv") << text;
    const Outcome outcome = evaluate(scratch, "t.csv", {}, "t", parameter);
    CHECK(outcome.exit_code == 1);
    CHECK(outcome.out.empty());
    CHECK_THAT(outcome.err, Catch::Matchers::StartsWith("foretask: error: ") && ContainsSubstring("t.csv"));
    return outcome.err;
  };
  CHECK_THAT(error_of("x,t\n1,2\n2,3\n", "y"), ContainsSubstring("no column 'y'; there are x, t"));
  CHECK_THAT(error_of("x,t\n1,2\n2,3\n", "x,t"), ContainsSubstring("no column 'x,t'"));
  CHECK_THAT(error_of("x,t\n1,2\n"), ContainsSubstring("one row"));
  CHECK_THAT(error_of("x,t\n5,2\n5,3\n"), ContainsSubstring("the same in every row"));
  CHECK_THAT(error_of("x,t\n5,2\n6,-3\n"), ContainsSubstring("negative"));
  error_of("x,t\n5,two\n6,3\n");
  error_of("");
  CHECK(evaluate(scratch, "missing.csv", {}).exit_code == 1);
}
