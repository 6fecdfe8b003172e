// SPDX-License-Identifier: Apache-2.0
// A table's runs, kept and given back; the store's file itself is model/store/program_store_test.cpp's.
#include "foretask/analysis/program_store.hpp"

#include <sys/resource.h>

#include <filesystem>
#include <limits>

#include "catch.hpp"
#include "unit/base/temp_folder.hpp"

using namespace foretask;
using analysis::load_program_table;
using analysis::ProgramRun;
using analysis::ProgramTable;
using analysis::save_program_table;
using Catch::Matchers::ContainsSubstring;
using foretask::test::content_of;
using foretask::test::TempFolder;
using foretask::test::write_content;

namespace {

// Of two workers for 60 ns: a serial part of 10, 70 and 20 in two kernels, 5 in one without code: 10 + 70 + 20 + 5 +
// delay 9 + no_work 6 = 2 * 60.
ProgramRun a_run(double n, double time = 60) {
  ProgramRun run;
  run.n = n;
  run.p = 2;
  run.create_task = 7;
  run.work = 105;
  run.delay = 9;
  run.no_work = 6;
  run.time = time;
  run.span = 33;
  run.kernels = {{.name = "sort", .tasks = 7, .work = 70, .code = "app+0x10"},
                 {.name = "loop", .tasks = 2, .work = 20, .code = "app+0x20 [parallel]"},
                 {.name = "(serial part)", .tasks = 0, .work = 10},
                 {.name = "inlined", .tasks = 3, .work = 5}};
  return run;
}

ProgramTable a_table(std::vector<ProgramRun> runs, const std::string& build = "abc") {
  ProgramTable table;
  table.program = "/opt/tools/app";
  table.build_id = build;
  table.runs = std::move(runs);
  return table;
}

ProgramTable kept(const TempFolder& home) {
  auto table = load_program_table(home.path(), "app");
  REQUIRE(table);
  return std::move(*table);
}

std::vector<double> times_of(const ProgramTable& table, double n) {
  std::vector<double> times;
  for (const ProgramRun& run : table.runs)
    if (run.n == n) times.push_back(run.time);
  return times;
}

// The process may write no file of more than so many bytes.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;
  ~FileLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

}  // namespace

TEST_CASE("a kept run has its kernels by their code, and those without one in its work") {
  const TempFolder home;
  const auto path = save_program_table(home.path(), a_table({a_run(1e6)}));
  REQUIRE(path);
  CHECK(std::filesystem::is_regular_file(*path));
  CHECK_THAT(*path, ContainsSubstring(home.path()) && ContainsSubstring("app"));

  const ProgramTable table = kept(home);
  CHECK(table.program == "app");
  CHECK(table.build_id == "abc");
  CHECK_FALSE(table.machine.empty());
  REQUIRE(table.runs.size() == 1);
  const ProgramRun& run = table.runs[0];
  CHECK(run.n == 1e6);
  CHECK(run.p == 2);
  CHECK(run.create_task == 7);  // a region's threads are none that were created
  CHECK(run.work == 105);
  CHECK(run.delay == 9);
  CHECK(run.no_work == 6);
  CHECK(run.time == 60);
  CHECK(run.span == 33);
  CHECK(run.serial_work == 0);
  REQUIRE(run.kernels.size() == 3);
  CHECK(run.kernels[0].name == "app+0x10");
  CHECK(run.kernels[0].code == "app+0x10");
  CHECK(run.kernels[0].tasks == 7);
  CHECK(run.kernels[0].work == 70);
  CHECK(run.kernels[1].code == "app+0x20 [parallel]");
  CHECK(run.kernels[1].tasks == 2);
  CHECK(run.kernels[1].work == 20);
  CHECK(run.kernels[2].name == "(serial part)");
  CHECK(run.kernels[2].code.empty());
  CHECK(run.kernels[2].work == 10);
}

TEST_CASE("what was read from the store can be kept again, and is the same") {
  const TempFolder home, other;
  REQUIRE(save_program_table(home.path(), a_table({a_run(100), a_run(0.1 + 0.2)})));
  const ProgramTable once = kept(home);
  REQUIRE(save_program_table(other.path(), once));
  const ProgramTable twice = kept(other);
  REQUIRE(twice.runs.size() == 2);
  CHECK(twice.machine == once.machine);
  CHECK(twice.runs[1].n == 0.1 + 0.2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(twice.runs[i].work == 105);
    CHECK(twice.runs[i].create_task == 7);
    REQUIRE(twice.runs[i].kernels.size() == 3);
    CHECK(twice.runs[i].kernels[2].work == 10);
  }
}

TEST_CASE("a table's other parameters are kept, and what it calls n") {
  const TempFolder home;
  ProgramTable table = a_table({a_run(100)});
  table.inputs = "b=16";
  table.size_name = "m";
  REQUIRE(save_program_table(home.path(), table));
  CHECK(kept(home).inputs == "b=16");
  CHECK(kept(home).size_name == "m");
  // Of another b they are of another table, and another case: four of each stay.
  table.inputs = "b=32";
  table.runs = {a_run(100), a_run(100, 61), a_run(100, 62), a_run(100, 63)};
  REQUIRE(save_program_table(home.path(), table));
  CHECK(kept(home).inputs == "b=32");
  CHECK(kept(home).runs.size() == 4);
  table.inputs = "b=16";
  table.runs = {a_run(200)};
  REQUIRE(save_program_table(home.path(), table));
  CHECK(kept(home).inputs == "b=16");
  CHECK(kept(home).runs.size() == 2);
}

TEST_CASE("a table that is kept again adds nothing") {
  const TempFolder home;
  const ProgramTable table = a_table({a_run(100), a_run(200), a_run(200, 61)});
  for (int i = 0; i < 3; ++i) REQUIRE(save_program_table(home.path(), table));
  CHECK(times_of(kept(home), 100) == std::vector<double>{60});
  CHECK(times_of(kept(home), 200) == std::vector<double>{60, 61});
}

TEST_CASE("of one size, workers and build the newest four are kept, whichever table they came in") {
  const TempFolder home;
  REQUIRE(save_program_table(home.path(), a_table({a_run(100, 61), a_run(100, 62), a_run(100, 63)})));
  REQUIRE(save_program_table(home.path(), a_table({a_run(100, 71), a_run(200, 72), a_run(100, 73)})));
  CHECK(times_of(kept(home), 100) == std::vector<double>{71, 73, 61, 62});
  CHECK(times_of(kept(home), 200) == std::vector<double>{72});

  ProgramRun alone = a_run(100, 80);
  alone.p = 1;
  REQUIRE(save_program_table(home.path(), a_table({alone})));
  REQUIRE(save_program_table(home.path(), a_table({a_run(100, 90)}, "def")));
  CHECK(times_of(kept(home), 100) == std::vector<double>{90});
  CHECK(kept(home).build_id == "def");
  // The other build's are still there.
  REQUIRE(save_program_table(home.path(), a_table({a_run(200, 91)})));
  CHECK(times_of(kept(home), 100) == std::vector<double>{80, 71, 73, 61, 62});
}

TEST_CASE("a program whose name is no UTF-8 finds its runs again") {
  const TempFolder home;
  ProgramTable table = a_table({a_run(100)});
  table.program = "/opt/tools/caf\xe9";
  REQUIRE(save_program_table(home.path(), table));
  table.runs = {a_run(200)};
  REQUIRE(save_program_table(home.path(), table));
  const auto found = load_program_table(home.path(), "caf\xe9");
  REQUIRE(found);
  CHECK(found->runs.size() == 2);
}

TEST_CASE("of more than 64 runs the older ones of their size go first") {
  const TempFolder home;
  std::vector<ProgramRun> before, after;
  for (int n = 1; n <= 40; ++n) {
    before.push_back(a_run(n, 70));
    after.push_back(a_run(n, 80));
  }
  before.push_back(a_run(50, 70));  // the oldest, but alone of its size
  REQUIRE(save_program_table(home.path(), a_table(before)));
  REQUIRE(save_program_table(home.path(), a_table(after)));
  const ProgramTable table = kept(home);
  CHECK(table.runs.size() == 64);
  // 81 - 64 are too many: the last 17 of those that have a newer one.
  CHECK(times_of(table, 1) == std::vector<double>{80, 70});
  CHECK(times_of(table, 23) == std::vector<double>{80, 70});
  CHECK(times_of(table, 24) == std::vector<double>{80});
  CHECK(times_of(table, 40) == std::vector<double>{80});
  CHECK(times_of(table, 50) == std::vector<double>{70});
}

TEST_CASE("what cannot be kept is refused, and says why") {
  const TempFolder home;
  ProgramTable nameless = a_table({a_run(100)});
  for (const char* name : {"", "folder/"}) {
    nameless.program = name;
    const auto saved = save_program_table(home.path(), nameless);
    REQUIRE_FALSE(saved);
    CHECK_THAT(saved.error().message(), ContainsSubstring("which program"));
  }
  const auto nothing = save_program_table(home.path(), a_table({}));
  REQUIRE_FALSE(nothing);
  CHECK_THAT(nothing.error().message(), ContainsSubstring("no runs"));

  write_content(home / "file", "in the way");
  const auto no_folder = save_program_table(home / "file", a_table({a_run(100)}));
  REQUIRE_FALSE(no_folder);
  CHECK_THAT(no_folder.error().message(), ContainsSubstring(home / "file"));
  CHECK(content_of(home / "file") == "in the way");
}

TEST_CASE("a run that is no run does not cost those that are kept") {
  const TempFolder home;
  REQUIRE(save_program_table(home.path(), a_table({a_run(100)})));
  for (const double wrong : {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    ProgramRun run = a_run(200);
    run.no_work = wrong;
    CHECK_FALSE(save_program_table(home.path(), a_table({a_run(300), run})));
    run = a_run(200);
    run.kernels[0].tasks = wrong;
    CHECK_FALSE(save_program_table(home.path(), a_table({run})));
  }
  CHECK(times_of(kept(home), 100).size() == 1);
  CHECK(kept(home).runs.size() == 1);
}

TEST_CASE("nothing is known of a program or a machine that left no run here") {
  const TempFolder home;
  CHECK_FALSE(load_program_table(home.path(), "app"));
  ProgramTable elsewhere = a_table({a_run(100)});
  elsewhere.machine = "of another kind";
  REQUIRE(save_program_table(home.path(), elsewhere));
  REQUIRE(save_program_table(home.path(), a_table({a_run(100)})));
  CHECK(kept(home).runs.size() == 1);
  const auto other = load_program_table(home.path(), "apple");
  REQUIRE_FALSE(other);
  CHECK_THAT(other.error().message(), ContainsSubstring("no run of apple"));
}

TEST_CASE("a file of something else gives no runs, and makes room for new ones") {
  const TempFolder home;
  const auto path = save_program_table(home.path(), a_table({a_run(100)}));
  REQUIRE(path);
  write_content(*path, "{\"kernel\": \"app\"}");
  CHECK_FALSE(load_program_table(home.path(), "app"));
  CHECK(content_of(*path + ".refused-1") == "{\"kernel\": \"app\"}");
  REQUIRE(save_program_table(home.path(), a_table({a_run(200)})));
  REQUIRE(kept(home).runs.size() == 1);
  CHECK(kept(home).runs[0].n == 200);
}

TEST_CASE("a file that the system does not open is neither read nor written over") {
  const TempFolder home;
  const auto path = save_program_table(home.path(), a_table({a_run(100)}));
  REQUIRE(path);
  std::filesystem::remove(*path);
  std::filesystem::create_symlink(*path, *path);  // it leads to itself
  CHECK_FALSE(load_program_table(home.path(), "app"));
  const auto saved = save_program_table(home.path(), a_table({a_run(200)}));
  REQUIRE_FALSE(saved);
  CHECK_THAT(saved.error().message(), ContainsSubstring(*path));
  CHECK(std::filesystem::is_symlink(*path));
}

TEST_CASE("where there is no room for the new file the old one stays") {
  const TempFolder home;
  const auto path = save_program_table(home.path(), a_table({a_run(100)}));
  REQUIRE(path);
  const std::string before = content_of(*path);
  {
    const FileLimit full(before.size());
    CHECK_FALSE(save_program_table(home.path(), a_table({a_run(200)})));
  }
  CHECK(content_of(*path) == before);
  CHECK(kept(home).runs.size() == 1);
  CHECK(foretask::test::names_in(std::filesystem::path(*path).parent_path()).size() == 2);  // the lock beside it
}

TEST_CASE("the workers that are enough are the fewest that no stored run with more was faster than") {
  const auto enough = [](const std::vector<std::vector<double>>& runs) {
    const TempFolder home;
    std::vector<ProgramRun> all;
    for (const auto& one : runs) {
      all.push_back(a_run(one[0], one[2]));
      all.back().p = one[1];
    }
    if (!all.empty()) REQUIRE(save_program_table(home.path(), a_table(all)));
    return analysis::enough_workers(home.path(), "app");
  };
  CHECK(enough({}) == 0);
  CHECK(enough({{10, 1, 50}, {10, 2, 60}}) == 1);
  CHECK(enough({{10, 1, 50}, {10, 2, 30}, {10, 4, 29.6}}) == 2);
  // More may help more.
  CHECK(enough({{10, 1, 50}, {10, 2, 30}}) == 0);
  CHECK(enough({{10, 1, 50}, {20, 2, 60}}) == 0);
  // Another input gains by more.
  CHECK(enough({{10, 1, 50}, {10, 2, 60}, {20, 1, 50}, {20, 2, 30}, {20, 3, 40}}) == 2);
}
