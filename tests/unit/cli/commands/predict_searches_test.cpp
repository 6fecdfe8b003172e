// SPDX-License-Identifier: Apache-2.0
// Which recordings count for the or-parallel sections that predict answers.
#include "cli/commands/predict_searches.hpp"

#include "catch.hpp"

using Catch::Matchers::ContainsSubstring;
using foretask::analysis::ProgramRecordings;
using foretask::analysis::SpeculativeSearches;
using foretask::cli::predict_searches;
using Sizes = std::vector<double>;
using Warnings = std::vector<std::string>;

namespace {

// Two groups of two searches that all took so long.
SpeculativeSearches section(const std::string& name, double ns) {
  SpeculativeSearches searches{.section = name, .workers = 2, .failed = 0, .groups = {}};
  for (int i = 0; i < 2; ++i) searches.groups.push_back({.ns = {ns, ns}, .found = {1, 0}, .winner = 0, .at_once = 2});
  return searches;
}

ProgramRecordings recordings() {
  ProgramRecordings all;
  all.size_name = "n";
  all.searches = {{"a", 100, {section("search", 1000)}},
                  {"b", 200, {section("search", 2000)}},
                  {"c", 200, {section("search", 2000), section("other", 50)}}};
  return all;
}

}  // namespace

TEST_CASE("searches of the largest input count, those of all its runs together") {
  Warnings warnings;
  const auto answers = predict_searches(recordings(), {}, {2}, warnings);
  REQUIRE(answers.ok());
  REQUIRE(answers->size() == 2);
  CHECK((*answers)[0].section == "search");
  CHECK((*answers)[0].searches == 8);
  CHECK((*answers)[0].winner_ns == 2000);
  CHECK((*answers)[1].section == "other");
  CHECK((*answers)[1].searches == 4);
  CHECK_THAT((*answers)[0].notes.back(), ContainsSubstring("of the runs with n = 200"));
  CHECK(warnings.empty());
}

TEST_CASE("searches of the input that is asked for count") {
  Warnings warnings;
  for (const Sizes& sizes : {Sizes{100}, Sizes{50, 100}}) {
    const auto answers = predict_searches(recordings(), sizes, {2}, warnings);
    REQUIRE(answers.ok());
    REQUIRE(answers->size() == 1);
    CHECK((*answers)[0].searches == 4);
    CHECK((*answers)[0].winner_ns == 1000);
  }
  const auto none = predict_searches(recordings(), {300}, {2}, warnings);
  REQUIRE_FALSE(none.ok());
  CHECK_THAT(none.error().message(), ContainsSubstring("n = 100, 200"));
}

TEST_CASE("recordings without or-parallel sections are no error, whatever size is asked for") {
  Warnings warnings;
  const auto answers = predict_searches({}, {300}, {2}, warnings);
  REQUIRE(answers.ok());
  CHECK(answers->empty());
}

TEST_CASE("searches are asked of one to sixty-four times the recorded workers where nothing is said") {
  Warnings warnings;
  const auto answers = predict_searches(recordings(), {100}, {}, warnings);
  REQUIRE(answers.ok());
  REQUIRE(answers->at(0).rows.size() == 7);
  CHECK(answers->at(0).rows.front().workers == 2);
  CHECK(answers->at(0).rows.back().workers == 128);
}

TEST_CASE("a section without solutions is a warning") {
  Warnings warnings;
  ProgramRecordings all = recordings();
  all.searches[0].sections[0].groups[0] = {.ns = {5}, .found = {0}, .winner = -1, .at_once = 2};
  const auto answers = predict_searches(all, {100}, {2}, warnings);
  REQUIRE(answers.ok());
  CHECK(answers->empty());
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings[0], ContainsSubstring("fewer than two recorded searches found a solution"));
}
