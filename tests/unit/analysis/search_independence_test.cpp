// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "catch.hpp"
#include "foretask/analysis/speculation.hpp"

using foretask::analysis::SearchGroup;

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

// Of speculate()'s notes those on the searches' being independent.
std::vector<std::string> notes_on(const std::vector<SearchGroup>& groups) {
  const auto result = foretask::analysis::speculate({.section = "search", .workers = 8, .groups = groups}, {1});
  REQUIRE(result);
  std::vector<std::string> notes;
  for (const std::string& note : result->notes)
    if (note.starts_with("with ") || note.starts_with("assumed, not tested")) notes.push_back(note);
  return notes;
}

}  // namespace

TEST_CASE("searches that find less or more with many at once are told apart") {
  std::vector<SearchGroup> groups;
  add_groups(100, 1, 100, groups);
  std::vector<std::string> notes = notes_on(groups);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].find("assumed, not tested") == 0);
  // As slow as a single one, though there are eight: they would have found some 500 solutions by then.
  std::vector<SearchGroup> slow = groups;
  add_groups(100, 8, 100, slow);
  notes = notes_on(slow);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].find("with 8 searches at once 100 solutions were found. Expected were ") == 0);
  CHECK(notes[0].find("hinder each other") != std::string::npos);
  // All of them before any of the single ones is through.
  std::vector<SearchGroup> quick = groups;
  add_groups(90, 2, 1, quick);
  notes = notes_on(quick);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].find("help each other") != std::string::npos);
}

TEST_CASE("too few solutions of either kind are not compared") {
  std::vector<SearchGroup> groups;
  add_groups(100, 1, 100, groups);
  add_groups(19, 8, 100, groups);
  const std::vector<std::string> notes = notes_on(groups);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].find("assumed, not tested") == 0);
}
