// SPDX-License-Identifier: Apache-2.0
// What tuned runs have found, from one process to the next.
#include "model/store/tuned_program.hpp"

#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "unit/base/temp_folder.hpp"

namespace {

using foretask::model::TunedProgram;
using foretask::model::TunedStore;
using foretask::test::TempFolder;
using foretask::test::write_content;

TunedProgram program_with(const std::string& place) {
  TunedProgram program;
  program.places = {{place, "abc", 12, {{3, 400}, {7, 0xffff'ffff'ffff'ffff}}}};
  program.regions = {{"app+0x10 [parallel]", "abc", 900, {{2, 4}}}};
  program.order = {1, 0xffff'ffff'ffff'ff05};
  program.gives_up = true;
  return program;
}

struct Home {
  TempFolder folder;
  std::vector<std::string> warnings;
  TunedStore store(const std::string& program) {
    return {folder.path(), program, [this](const std::string& line) { warnings.push_back(line); }};
  }
};

}  // namespace

TEST_CASE("what was found is read back as it was") {
  Home home;
  CHECK(home.store("app").load().places.empty());
  REQUIRE(home.store("app").save(program_with("app+0x1 subtrees")));
  const TunedProgram read = home.store("app").load();
  REQUIRE(read.places.size() == 1);
  CHECK(read.places[0].name == "app+0x1 subtrees");
  CHECK(read.places[0].version == "abc");
  CHECK(read.places[0].took == 12);
  CHECK(read.places[0].cells == program_with("").places[0].cells);
  REQUIRE(read.regions.size() == 1);
  CHECK(read.regions[0].took == 900);
  CHECK(read.regions[0].cells == program_with("").regions[0].cells);
  CHECK(read.order == program_with("").order);
  CHECK(read.gives_up);
  CHECK(home.store("other").load().places.empty());
  CHECK(home.warnings.empty());
}

TEST_CASE("places that a run does not have stay, those that it has are its own") {
  Home home;
  REQUIRE(home.store("app").save(program_with("one")));
  TunedProgram second = program_with("two");
  second.regions[0].took = 4;
  second.order.clear();
  second.gives_up = false;
  REQUIRE(home.store("app").save(second));
  const TunedProgram read = home.store("app").load();
  REQUIRE(read.places.size() == 2);
  CHECK(read.places[0].name == "two");
  CHECK(read.places[1].name == "one");
  CHECK(read.regions.size() == 1);
  CHECK(read.regions[0].took == 4);
  CHECK(read.order.size() == 2);
  CHECK(!read.gives_up);
}

TEST_CASE("files are bounded, and processes that write at once lose nothing") {
  Home home;
  TunedProgram large;
  for (int i = 0; i < 300; ++i) large.places.push_back({"place " + std::to_string(i), "", 1, {}});
  large.order.resize(100'000, 9);
  REQUIRE(home.store("large").save(large));
  CHECK(home.store("large").load().places.size() == TunedProgram::kMostPlaces);
  CHECK(home.store("large").load().order.size() == TunedProgram::kMostTasks);
  std::vector<std::thread> writers;
  for (int i = 0; i < 8; ++i)
    writers.emplace_back([&home, i] {
      TunedStore store(home.folder.path(), "app", [](const std::string&) {});
      static_cast<void>(store.save(program_with("place " + std::to_string(i))));
    });
  for (std::thread& writer : writers) writer.join();
  CHECK(home.store("app").load().places.size() == 8);
}

TEST_CASE("a file that is damaged or of another format is set aside, once") {
  for (const std::string content :
       {"", "{", "[]", R"({"foretask_tuned": 2})", R"({"foretask_tuned": 1, "places": [{"name": 3}]})"}) {
    Home home;
    REQUIRE(home.store("app").save(program_with("one")));
    write_content(home.store("app").path(), content);
    CAPTURE(content);
    CHECK(home.store("app").load().places.empty());
    CHECK(home.warnings.size() == 1);
    CHECK(home.store("app").load().places.empty());
    CHECK(home.warnings.size() == 1);
    CHECK(home.store("app").save(program_with("two")));
    CHECK(home.store("app").load().places.size() == 1);
  }
}

TEST_CASE("one program is forgotten, or all") {
  Home home;
  CHECK(*home.store("").forget_all() == 0);
  for (const char* name : {"a", "b", "c"}) REQUIRE(home.store(name).save(program_with(name)));
  CHECK(*home.store("b").forget() == 1);
  CHECK(*home.store("b").forget() == 0);
  CHECK(home.store("a").load().places.size() == 1);
  CHECK(*home.store("").forget_all() == 2);
  CHECK(home.store("a").load().places.empty());
}
