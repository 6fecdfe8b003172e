// SPDX-License-Identifier: Apache-2.0
#include "analysis/search_independence.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

using foretask::analysis::SearchGroup;
using foretask::wiring::check_independence;
using foretask::wiring::compare_solutions;
using foretask::wiring::ComparedSearch;

namespace {

// `count` groups of as many searches at once, all of which take so long: the first one has the solution.
void add_groups(int count, std::uint32_t at_once, double ns, std::vector<SearchGroup>& groups) {
  for (int i = 0; i < count; ++i) {
    SearchGroup group{.ns = std::vector<double>(at_once, ns + i), .found = {}, .winner = 0, .at_once = at_once};
    group.found.assign(at_once, 0);
    group.found[0] = 1;
    groups.push_back(group);
  }
}

}  // namespace

TEST_CASE("the log-rank test is that of the literature") {
  // Weeks of remission (Freireich et al. 1963, in Cox and Oakes 1984): 21 patients with 6-MP, 21 without. R's
  // survdiff(): 9 observed and 19.3 expected with it, chi-square 16.8.
  std::vector<ComparedSearch> weeks;
  for (const double one : {6, 6, 6, 7, 10, 13, 16, 22, 23}) weeks.push_back({one, true, true});
  for (const double one : {6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35}) weeks.push_back({one, false, true});
  for (const double one : {1, 1, 2, 2, 3, 4, 4, 5, 5, 8, 8, 8, 8, 11, 11, 12, 12, 15, 17, 22, 23})
    weeks.push_back({one, true, false});
  std::sort(weeks.begin(), weeks.end(), [](const auto& a, const auto& b) { return a.ns < b.ns; });
  const auto count = compare_solutions(weeks);
  CHECK(count.found == 9);
  CHECK(count.expected == Approx(19.25).margin(0.01));
  CHECK((count.found - count.expected) * (count.found - count.expected) / count.variance == Approx(16.79).margin(0.01));
}

TEST_CASE("nothing is compared once the searches of one kind have ended") {
  // One of each at 1: 1/2 expected of the first kind, variance 1/2 x 1/2.
  const auto count = compare_solutions({{1, true, true}, {2, true, false}, {3, true, false}});
  CHECK(count.found == 1);
  CHECK(count.expected == Approx(1.0 / 3));
  CHECK(count.variance == Approx(2.0 / 9));
}

TEST_CASE("searches that find less or more with many at once are told apart") {
  std::vector<SearchGroup> groups;
  std::vector<std::string> notes;
  add_groups(100, 1, 100, groups);
  check_independence(groups, notes);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].find("assumed, not tested") == 0);
  // As slow as a single one, though there are eight: they would have found some 500 solutions by then.
  std::vector<SearchGroup> slow = groups;
  add_groups(100, 8, 100, slow);
  notes.clear();
  check_independence(slow, notes);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].find("with 8 searches at once 100 solutions were found. Expected were ") == 0);
  CHECK(notes[0].find("hinder each other") != std::string::npos);
  // All of them before any of the single ones is through.
  std::vector<SearchGroup> quick = groups;
  add_groups(90, 2, 1, quick);
  notes.clear();
  check_independence(quick, notes);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].find("help each other") != std::string::npos);
}

TEST_CASE("too few solutions of either kind are not compared") {
  std::vector<SearchGroup> groups;
  add_groups(100, 1, 100, groups);
  add_groups(19, 8, 100, groups);
  std::vector<std::string> notes;
  check_independence(groups, notes);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].find("assumed, not tested") == 0);
}
