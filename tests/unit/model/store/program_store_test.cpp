// SPDX-License-Identifier: Apache-2.0
// Earlier runs of programs, from one process to the next.
#include "model/store/program_store.hpp"

#include <thread>

#include "catch.hpp"
#include "unit/base/temp_folder.hpp"

using foretask::model::ProgramRow;
using foretask::model::ProgramStore;
using foretask::test::content_of;
using foretask::test::TempFolder;
using foretask::test::write_content;

namespace {

ProgramRow row(double n, double time) {
  ProgramRow row;
  row.inputs = "m=80";
  row.n = n;
  row.p = 2;
  row.time = time;
  row.head = 1;
  row.serial = 2;
  row.work = 3.5;
  row.delay = 4;
  row.no_work = 5;
  row.span = 6;
  row.kernels = {{"app+0x10", 7, 8}};
  row.curve = {{0.25, 0.5}};
  row.build_id = "abc";
  return row;
}

struct Place {
  TempFolder folder;
  std::vector<std::string> warnings;
  ProgramStore store{folder.path(), "machine", [this](const std::string& line) { warnings.push_back(line); }};
};

}  // namespace

TEST_CASE("a run is read back as it was, the newest first") {
  Place place;
  CHECK(place.store.load("app").empty());
  REQUIRE(place.store.add("app", {row(100, 10)}));
  REQUIRE(place.store.add("app", {row(200, 20)}));
  const auto rows = place.store.load("app");
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].n == 200);
  const ProgramRow& old = rows[1];
  CHECK(old.inputs == "m=80");
  CHECK(old.n == 100);
  CHECK(old.p == 2);
  CHECK(old.time == 10);
  CHECK(old.head == 1);
  CHECK(old.serial == 2);
  CHECK(old.work == 3.5);
  CHECK(old.delay == 4);
  CHECK(old.no_work == 5);
  CHECK(old.span == 6);
  CHECK(old.build_id == "abc");
  REQUIRE(old.kernels.size() == 1);
  CHECK(old.kernels[0].kernel == "app+0x10");
  CHECK(old.kernels[0].tasks == 7);
  CHECK(old.kernels[0].work == 8);
  REQUIRE(old.curve.size() == 1);
  CHECK(old.curve[0].done == 0.25);
  CHECK(old.curve[0].time == 0.5);
  CHECK(old.saved.size() == 20);
  CHECK(place.warnings.empty());
}

TEST_CASE("of one input four runs are kept, and of all inputs no more than the store holds, one of each first") {
  Place place;
  for (int i = 0; i < 9; ++i) REQUIRE(place.store.add("app", {row(100, i)}));
  REQUIRE(place.store.load("app").size() == ProgramStore::kRowsOfOne);
  CHECK(place.store.load("app").back().time == 5);
  for (int n = 1; n <= 63; ++n) REQUIRE(place.store.add("app", {row(1000 + n, 1)}));
  const auto rows = place.store.load("app");
  CHECK(rows.size() == ProgramStore::kMostRows);
  CHECK(rows.back().n == 100);
  CHECK(rows.back().time == 8);
}

TEST_CASE("a file that is none of ours is set aside, and said") {
  for (const char* content :
       {"", "{", "[]", R"({"foretask_program": 2, "program": "app", "machine": "machine", "rows": []})",
        R"({"foretask_program": 1, "program": "other", "machine": "machine", "rows": []})",
        R"({"foretask_program": 1, "program": "app", "machine": "machine", "rows": {"n": -1}})"}) {
    Place place;
    REQUIRE(place.store.add("app", {row(100, 10)}));
    write_content(place.store.path_of("app"), content);
    INFO(content);
    CHECK(place.store.load("app").empty());
    REQUIRE(place.warnings.size() == 1);
    CHECK(place.warnings[0].find(".refused-1") != std::string::npos);
    REQUIRE(place.store.add("app", {row(100, 10)}));
    CHECK(place.store.load("app").size() == 1);
  }
}

TEST_CASE("a row that is none costs no other") {
  Place place;
  REQUIRE(place.store.add("app", {row(100, 10), row(200, 20)}));
  std::string text = content_of(place.store.path_of("app"));
  const std::string good = "\"n\":100.0";
  REQUIRE(text.find(good) != std::string::npos);
  write_content(place.store.path_of("app"), text.replace(text.find(good), good.size(), "\"n\":-5.0"));
  const auto rows = place.store.load("app");
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].n == 200);
  CHECK(place.warnings.empty());
  REQUIRE(place.store.add("app", {row(300, 30)}));
  CHECK(place.store.load("app").size() == 2);
}

TEST_CASE("a run that is there already is not there twice") {
  Place place;
  REQUIRE(place.store.add("app", {row(100, 10), row(100, 10), row(100, 11)}));
  REQUIRE(place.store.add("app", {row(100, 11), row(100, 12)}));
  const auto rows = place.store.load("app");
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].time == 12);
  CHECK(rows[1].time == 10);
  CHECK(rows[2].time == 11);
}

TEST_CASE("runs with a course stay before those without, the newest of each kind") {
  Place place;
  const auto bare = [](double time) {
    ProgramRow without = row(100, time);
    without.curve.clear();
    return without;
  };
  const auto times = [&place] {
    std::vector<double> result;
    for (const ProgramRow& one : place.store.load("app")) result.push_back(one.time);
    return result;
  };
  REQUIRE(place.store.add("app", {row(100, 2), row(100, 1)}));
  REQUIRE(place.store.add("app", {bare(13), bare(12), bare(11)}));
  CHECK(times() == std::vector<double>{13, 12, 2, 1});
  REQUIRE(place.store.add("app", {row(100, 3)}));
  CHECK(times() == std::vector<double>{3, 13, 2, 1});
  REQUIRE(place.store.add("app", {row(100, 4)}));
  REQUIRE(place.store.add("app", {bare(14), bare(15)}));
  CHECK(times() == std::vector<double>{4, 3, 2, 1});
  REQUIRE(place.store.add("app", {row(100, 5)}));
  CHECK(times() == std::vector<double>{5, 4, 3, 2});
}

TEST_CASE("processes that end at once lose no run") {
  Place place;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&place, i] { static_cast<void>(place.store.add("app", {row(100 + i, 1)})); });
  for (std::thread& thread : threads) thread.join();
  CHECK(place.store.load("app").size() == 8);
}
