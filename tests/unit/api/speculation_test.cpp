// SPDX-License-Identifier: Apache-2.0
// What more searches at once give, against laws whose minima are known.
#include "foretask/analysis/speculation.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

using foretask::analysis::SearchGroup;
using foretask::analysis::speculate;
using foretask::analysis::Speculation;
using foretask::analysis::SpeculativeSearches;

namespace {

// Groups of `size` exponential searches with mean 1000 ns times a group's own difficulty, the first of which cuts the
// others short.
void add_groups(std::size_t groups, std::size_t size, bool alike, std::mt19937_64& random,
                SpeculativeSearches& searches) {
  std::exponential_distribution<double> search(1e-3);
  for (std::size_t i = 0; i < groups; ++i) {
    const double difficulty = alike ? 1 : i % 2 == 0 ? 0.2 : 5;
    SearchGroup group;
    for (std::size_t one = 0; one < size; ++one) group.ns.push_back(difficulty * search(random));
    const auto first = std::min_element(group.ns.begin(), group.ns.end());
    const double winner_ns = *first;
    group.winner = first - group.ns.begin();
    group.found.assign(size, 0);
    group.found[static_cast<std::size_t>(group.winner)] = 1;
    for (double& ns : group.ns) ns = winner_ns;
    searches.groups.push_back(std::move(group));
  }
}

bool says(const Speculation& speculation, const std::string& words) {
  return std::any_of(speculation.notes.begin(), speculation.notes.end(),
                     [&words](const std::string& note) { return note.find(words) != std::string::npos; });
}

}  // namespace

TEST_CASE("searches that were cut short tell of fewer and of more searches at once") {
  std::mt19937_64 random(1);
  SpeculativeSearches searches{.section = "search", .workers = 4, .failed = 0, .groups = {}};
  add_groups(500, 4, true, random, searches);
  const auto found = speculate(searches, {4, 8, 32});
  REQUIRE(found.ok());
  CHECK(found->searches == 2000);
  CHECK(found->found == 500);
  CHECK(found->at_once == 4);
  REQUIRE(found->rows.size() == 3);
  // The first of N exponential ones is exponential with a Nth of the mean: standard error of 500 of them 4.5 %.
  for (const auto& row : found->rows) {
    CAPTURE(row.workers);
    const double mean = 1000.0 / row.workers;
    CHECK(row.mean == Approx(mean).epsilon(0.12));
    CHECK(row.low < row.mean);
    CHECK(row.high > row.mean);
    CHECK(row.high < 1.3 * mean);
    CHECK(row.sd == Approx(mean).epsilon(0.15));
    CHECK(row.p90 == Approx(mean * std::log(10)).epsilon(0.15));
    CHECK(row.gain == Approx(row.workers / 4.0).epsilon(0.15));
  }
  CHECK(says(*found, "taken for granted"));
  CHECK_FALSE(says(*found, "never seen"));
}

TEST_CASE("searches that were always cut short early do not tell how long a single one takes") {
  std::mt19937_64 random(4);
  SpeculativeSearches searches{.section = "search", .workers = 16, .failed = 0, .groups = {}};
  add_groups(100, 16, true, random, searches);
  const auto found = speculate(searches, {1, 16});
  REQUIRE(found.ok());
  CHECK(found->rows[0].at_least);
  CHECK_FALSE(found->rows[0].beyond_sample);
  CHECK_FALSE(found->rows[1].at_least);
  CHECK(says(*found, "was never seen"));
}

TEST_CASE("inputs that differ in how hard they are show in recordings with other numbers of searches") {
  std::mt19937_64 random(2);
  const auto notes_of = [&random](bool alike) {
    SpeculativeSearches searches{.section = "search", .workers = 8, .failed = 0, .groups = {}};
    add_groups(200, 1, alike, random, searches);
    add_groups(200, 8, alike, random, searches);
    const auto found = speculate(searches, {8});
    REQUIRE(found.ok());
    return *found;
  };
  CHECK(notes_of(true).notes.empty());
  CHECK(says(notes_of(false), "with 8 searches at once the winner took"));
}

TEST_CASE("nothing is said of searches of which fewer than two found a solution") {
  SpeculativeSearches searches{.section = "search", .workers = 2, .failed = 0, .groups = {}};
  searches.groups.push_back({.ns = {5, 5}, .found = {1, 0}, .winner = 0});
  CHECK_FALSE(speculate(searches, {2}).ok());
}

TEST_CASE("searches without a solution are counted in a note") {
  std::mt19937_64 random(3);
  SpeculativeSearches searches{.section = "search", .workers = 2, .failed = 7, .groups = {}};
  add_groups(30, 2, true, random, searches);
  const auto found = speculate(searches, {2});
  REQUIRE(found.ok());
  CHECK(says(*found, "7 searches came to their end without a solution"));
}
