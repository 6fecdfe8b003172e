// SPDX-License-Identifier: Apache-2.0
// What more searches at once give, against laws whose minima are known.
#include "foretask/analysis/speculation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "catch.hpp"

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
    group.at_once = static_cast<std::uint32_t>(size);
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

// Groups of any number of such searches in a queue before two workers. Each gives up after an exponential time of its
// own with mean 900 ns; then the next one begins.
void add_queued_groups(std::size_t groups, std::mt19937_64& random, SpeculativeSearches& searches) {
  std::exponential_distribution<double> search(1e-3), gives_up(1 / 900.0);
  for (std::size_t i = 0; i < groups; ++i) {
    SearchGroup group;
    group.at_once = 2;
    std::array<double, 2> begin_ns{}, end_ns{};
    std::array<std::size_t, 2> running{};
    std::array<bool, 2> finds{};
    const auto start = [&](std::size_t worker, double now_ns) {
      const double solution_ns = search(random), patience_ns = gives_up(random);
      begin_ns[worker] = now_ns;
      end_ns[worker] = now_ns + std::min(solution_ns, patience_ns);
      finds[worker] = solution_ns < patience_ns;
      running[worker] = group.ns.size();
      group.ns.push_back(end_ns[worker] - now_ns);
      group.found.push_back(0);
    };
    start(0, 0);
    start(1, 0);
    std::size_t first = end_ns[0] < end_ns[1] ? 0 : 1;
    for (; !finds[first]; first = end_ns[0] < end_ns[1] ? 0 : 1) {
      start(first, end_ns[first]);
      ++searches.failed;
    }
    group.winner = static_cast<std::int64_t>(running[first]);
    group.found[running[first]] = 1;
    group.ns[running[1 - first]] = end_ns[first] - begin_ns[1 - first];
    searches.groups.push_back(std::move(group));
  }
}

bool says(const Speculation& speculation, const std::string& words) {
  return std::any_of(speculation.notes.begin(), speculation.notes.end(),
                     [&words](const std::string& note) { return note.find(words) != std::string::npos; });
}

// The first of N exponential searches with mean 1000 is exponential with an N-th of that. Of n searches that stop, for
// whatever reason, `rate` times as often as each alone finds its solution, the product-limit estimate of log S(t) has
// the variance (e^(rate t) - 1) / (rate n), t in means (Greenwood); integrated over S^N that is, of the mean of the
// first of N, the relative variance N^2 / (n (2 N - rate)).
void check_row(const foretask::analysis::SpeculationPoint& row, double n, double rate) {
  CAPTURE(row.workers);
  const double mean = 1000.0 / row.workers;
  const double error = row.workers / std::sqrt(n * (2 * row.workers - rate));
  CHECK(row.mean == Approx(mean).epsilon(3 * error));
  CHECK(row.high - row.low == Approx(4 * error * mean).epsilon(0.25));
  CHECK(row.low < row.mean);
  CHECK(row.high > row.mean);
  CHECK(row.sd == Approx(mean).epsilon(4 * error));
  CHECK(row.p90 == Approx(mean * std::log(10)).epsilon(4 * error));
  CHECK_FALSE(row.at_least);
}

}  // namespace

TEST_CASE("searches that were cut short tell of fewer and of more searches at once") {
  std::mt19937_64 random(1);
  SpeculativeSearches searches{.section = "search", .workers = 4, .failed = 0, .groups = {}};
  add_groups(1500, 4, true, random, searches);
  const auto found = speculate(searches, {4, 32});
  REQUIRE(found.ok());
  CHECK(found->searches == 6000);
  CHECK(found->found == 1500);
  CHECK(found->at_once == 4);
  CHECK(found->winner_ns == Approx(250).epsilon(3 / std::sqrt(1500.0)));
  REQUIRE(found->rows.size() == 2);
  for (const auto& row : found->rows) {
    check_row(row, 6000, 4);
    CHECK(row.gain == Approx(row.workers / 4.0).epsilon(0.14));  // three errors of the first of 32
  }
  CHECK(says(*found, "assumed, not tested"));
  CHECK_FALSE(says(*found, "never seen"));
}

TEST_CASE("searches that waited in a queue did not run at once with those before them") {
  std::mt19937_64 random(5);
  SpeculativeSearches searches{.section = "search", .workers = 2, .failed = 0, .groups = {}};
  add_queued_groups(2000, random, searches);
  const auto found = speculate(searches, {2, 4});
  REQUIRE(found.ok());
  // Three in most groups: two, and 1000 / 900 that gave up.
  CHECK(static_cast<double>(found->searches) == Approx(2000 * (2 + 1000 / 900.0)).epsilon(0.05));
  CHECK(found->found == 2000);
  CHECK(found->at_once == 2);
  for (const auto& row : found->rows) check_row(row, static_cast<double>(found->searches), 2 + 1000 / 900.0);
  CHECK(found->rows[0].gain == Approx(1));
  CHECK(found->rows[1].gain == Approx(2).epsilon(0.1));
  CHECK(says(*found, "ended without a solution"));
}

TEST_CASE("searches that all give up early do not tell how long it takes to find a solution") {
  std::mt19937_64 random(6);
  SpeculativeSearches searches{.section = "search", .workers = 2, .failed = 0, .groups = {}};
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int i = 0; i < 1000; ++i) {
    // One in ten has its solution within 100 ns, the others give up then.
    const bool finds = uniform(random) < 0.1;
    searches.groups.push_back({.ns = {finds ? 100 * uniform(random) : 100},
                               .found = {static_cast<std::uint8_t>(finds)},
                               .winner = finds ? 0 : -1,
                               .at_once = 1});
  }
  const auto found = speculate(searches, {1, 64});
  REQUIRE(found.ok());
  CHECK(found->rows[0].at_least);
  CHECK_FALSE(found->rows[1].at_least);
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
  CHECK(says(*found, "were never seen"));
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
  CHECK(says(notes_of(false), "with 8 searches at once 200 solutions were found. Expected were "));
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
  CHECK(says(*found, "7 searches ended without a solution"));
}

TEST_CASE("tasks that wait for others of their group are no searches of their own") {
  SpeculativeSearches searches{.section = "search", .workers = 2, .failed = 0, .is_divided = true, .groups = {}};
  for (int i = 0; i < 10; ++i)
    searches.groups.push_back({.ns = {100.0 + i, 100.0}, .found = {1, 0}, .winner = 0, .at_once = 2});
  const auto answer = speculate(searches, {2});
  REQUIRE_FALSE(answer.ok());
  CHECK(answer.error().message().find("parts of one search") != std::string::npos);
  SpeculativeSearches others{.section = "search", .workers = 2, .failed = 0, .groups = {}};
  others.merge(searches);
  CHECK(others.is_divided);
}
