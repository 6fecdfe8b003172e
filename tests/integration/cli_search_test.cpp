// SPDX-License-Identifier: Apache-2.0
// A speculative program from its recording to what more searches at once would give.
#include <nlohmann/json.hpp>

#include "integration/cli_command.hpp"

using namespace cli_test;
using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

namespace {

constexpr int kInputs = 50;
constexpr int kSearches = 4;

json answer(const Scratch& scratch, const std::vector<std::string>& words) {
  const Outcome outcome = foretask(scratch, words);
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  return json::parse(outcome.out);
}

void record_search(const Scratch& scratch) {
  const Outcome recorded =
      foretask(scratch,
               {"record", "--param", "n=100", "--out", "run", "--", example("search"), "-n", "100", "--inputs",
                std::to_string(kInputs), "--searches", std::to_string(kSearches), "--sleep", "10000"},
               "OMP_NUM_THREADS=4 OMP_CANCELLATION=true; export OMP_NUM_THREADS OMP_CANCELLATION;");
  INFO(recorded.err);
  REQUIRE(recorded.exit_code == 0);
}

}  // namespace

TEST_CASE("a recorded search is an or-parallel section in report, predict and compose") {
  const Scratch scratch;
  if (!fs::exists(example("search"))) FORETASK_SKIP("the examples are not built");
  record_search(scratch);

  const json report = answer(scratch, {"report", "run", "--json"});
  REQUIRE(report.at("speculative").size() == 1);
  const json& section = report["speculative"][0];
  const std::string name = section.at("name");
  CHECK_THAT(name, ContainsSubstring("search (search.cpp:"));
  CHECK(section.at("groups") == kInputs);
  CHECK(section.at("cancelled") == kInputs);
  CHECK(section.at("members").get<int>() <= kInputs * kSearches);
  CHECK(section.at("winner_ns").at("mean").get<double>() > 0);

  const json predicted = answer(scratch, {"predict", "run", "--cores", "1,4,16", "--json"});
  CHECK(predicted.at("rows").empty());
  CHECK_THAT(predicted.at("warnings").back().get<std::string>(), ContainsSubstring("one run is not enough"));
  REQUIRE(predicted.at("speculative").size() == 1);
  const json& speculation = predicted["speculative"][0];
  CHECK(speculation.at("section") == name);
  CHECK(speculation.at("found").get<int>() >= kInputs);
  CHECK(speculation.at("at_once") == kSearches);
  const json& rows = speculation.at("rows");
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].at("at_least").is_boolean());
  CHECK(rows[1].at("gain").get<double>() == Approx(1));
  CHECK(rows[1].at("low").get<double>() < rows[1].at("mean").get<double>());
  CHECK(rows[1].at("high").get<double>() > rows[1].at("mean").get<double>());
  CHECK(rows[0].at("mean").get<double>() > rows[1].at("mean").get<double>());
  CHECK(rows[1].at("mean").get<double>() > rows[2].at("mean").get<double>());
  CHECK(speculation.at("winner_ns").get<double>() < rows[0].at("mean").get<double>());
  CHECK(speculation.at("winner_ns").get<double>() > rows[2].at("mean").get<double>());

  const json first = answer(scratch, {"compose", "or(4, kernel:run/search)", "--json"});
  CHECK(first.at("mean").get<double>() == Approx(rows[1].at("mean").get<double>() * 1e-9).epsilon(1e-9));
  CHECK(first.at("copies").at("ends") == "first");
}
