// SPDX-License-Identifier: Apache-2.0
#include "analysis/search_independence.hpp"

#include <vector>

#include "catch.hpp"

using foretask::analysis::SearchGroup;
using foretask::wiring::check_independence;

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
