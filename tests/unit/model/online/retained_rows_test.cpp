// SPDX-License-Identifier: Apache-2.0
#include "model/online/retained_rows.hpp"

#include <array>
#include <cmath>
#include <set>

#include "catch.hpp"

using namespace foretask::model;

namespace {

void add(RetainedRows& rows, int from, int to) {
  for (int i = from; i < to; ++i) rows.add({.parameters = {static_cast<double>(i)}, .time = static_cast<double>(i)}, 0);
}

}  // namespace

TEST_CASE("as long as there is room every row is kept, in order") {
  RetainedRows rows;
  add(rows, 0, 384);
  REQUIRE(rows.size() == 384);
  const auto all = rows.all();
  for (std::size_t i = 0; i < 384; ++i) CHECK(all[i].observation.time == static_cast<double>(i));
}

TEST_CASE("the latest are all there, and the others are chosen evenly") {
  RetainedRows rows;
  add(rows, 0, 100'000);
  CHECK(rows.size() == RetainedRows::kLatest + RetainedRows::kChosen);
  const auto latest = rows.latest(1000);
  REQUIRE(latest.size() == RetainedRows::kLatest);
  for (std::size_t i = 0; i < latest.size(); ++i)
    CHECK(latest[i].observation.time == static_cast<double>(100'000 - 64 + i));
  CHECK(rows.latest(3)[0].observation.time == 99'997);
  const auto all = rows.all();
  std::set<double> chosen;
  double mean = 0;
  int first_half = 0;
  for (std::size_t i = 0; i < RetainedRows::kChosen; ++i) {
    chosen.insert(all[i].observation.time);
    mean += all[i].observation.time / static_cast<double>(RetainedRows::kChosen);
    first_half += all[i].observation.time < 50'000 ? 1 : 0;
  }
  CHECK(chosen.size() == RetainedRows::kChosen);
  // Binomial, 320 times one half: 160 +- 9, four deviations of it.
  CHECK(first_half > 124);
  CHECK(first_half < 196);
}

TEST_CASE("rows before a change are rescaled, those since are not") {
  RetainedRows rows;
  add(rows, 0, 100);
  rows.rescale(2, 10);
  const auto all = rows.all();
  for (std::size_t i = 0; i < 100; ++i) CHECK(all[i].observation.time == (i < 90 ? 2.0 : 1.0) * static_cast<double>(i));
  rows.rescale(3, 1000);  // more than the latest: none of those
  CHECK(rows.all().back().observation.time == 99);
}

TEST_CASE("rows that were stored are told from those that came since") {
  RetainedRows rows;
  add(rows, 0, 200);
  rows.mark_stored();
  add(rows, 200, 210);
  int fresh = 0;
  for (const RetainedRow& row : rows.all()) {
    CHECK(row.stored == (row.observation.time < 200));
    fresh += row.stored ? 0 : 1;
  }
  CHECK(fresh == 10);
}

TEST_CASE("regions have even shares of the chosen rows, as far as they have rows") {
  RetainedRows rows;
  const auto add_of = [&rows](std::uint32_t region, int count) {
    for (int i = 0; i < count; ++i) rows.add({.parameters = {}, .time = static_cast<double>(i)}, region);
  };
  add_of(0, 20);
  add_of(1, 10'000);
  add_of(2, 10'000);
  add_of(3, 100'000);
  std::array<int, 4> kept{};
  for (const RetainedRow& row : rows.all()) ++kept[row.region];
  CHECK(kept[0] == 20);
  CHECK(kept[1] == 100);
  CHECK(kept[2] == 100);
  CHECK(kept[3] == 100 + 64);
  // Of a region's rows any is as likely: 100 of 10,000 have a mean of 5,000 +- 289, four deviations of it.
  double sum = 0;
  for (const RetainedRow& row : rows.all())
    if (row.region == 2) sum += row.observation.time;
  CHECK(std::abs(sum / 100 - 5'000) < 1'160);
}
