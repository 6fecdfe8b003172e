// SPDX-License-Identifier: Apache-2.0
// Tables of a program's runs from recordings whose figures are counted by hand.
#include "foretask/analysis/program_table.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include "catch.hpp"
#include "foretask/analysis/program_recordings.hpp"
#include "trace/run_file.hpp"
#include "unit/analysis/described_run.hpp"
#include "unit/base/temp_folder.hpp"
#include "unit/graph/reconstruction/search_trace.hpp"
#include "unit/graph/reconstruction/trace_builder.hpp"

using namespace foretask;
using analysis::program_table_of_runs;
using Catch::Matchers::ContainsSubstring;
using foretask::test::described;
using foretask::test::Name;
using foretask::test::Parameters;
using foretask::test::TempFolder;
using foretask::test::TraceBuilder;
using foretask::test::write_content;
using foretask::test::write_run;

namespace {

// The team of two of run_test.cpp: work 125, span 75, delay 15, no_work 100 in 120 ns.
TraceBuilder two_workers() {
  TraceBuilder trace(2);
  const Name initial = trace.initial(0, 0);
  const Name region = trace.fork(0, 10);
  const Name first = trace.member(0, 20, region, 2, 0);
  trace.member(1, 25, region, 2, 1);
  const Name a = trace.create(0, 30);
  trace.barrier(1, 35);
  const Name b = trace.create(0, 40);
  trace.run(1, 45, a);
  trace.barrier(0, 50);
  trace.run(0, 55, b);
  trace.end(1, 65);
  trace.end(0, 75);
  trace.barrier_end(0, 80);
  trace.barrier_end(1, 82);
  trace.barrier(0, 90);
  trace.barrier(1, 92);
  trace.barrier_end(0, 100);
  trace.member_end(0, 105, first);
  trace.join(0, 110, region);
  trace.member_end(0, 120, initial);
  return trace;
}

// A program that runs alone for so long.
TraceBuilder one_worker(std::int64_t ns) {
  TraceBuilder trace(1);
  const Name initial = trace.initial(0, 0);
  trace.member_end(0, ns, initial);
  return trace;
}

// A campaign's folder, of runs on one worker and on two.
struct Runs {
  void alone(const std::string& name, const Parameters& parameters, std::int64_t ns) const {
    write_run(folder / name, one_worker(ns), described(parameters, 1));
  }
  void pair(const std::string& name, const Parameters& parameters) const {
    write_run(folder / name, two_workers(), described(parameters, 2));
  }
  void found(const std::string& name, const Parameters& parameters) const {
    write_run(folder / name, foretask::test::search(true), described(parameters, 2));
  }
  // Writes `name`, a run on two workers, with its description changed.
  template <typename Change>
  void changed(const std::string& name, const Parameters& parameters, Change&& change) const {
    trace::RunFile run = described(parameters, 2);
    change(run);
    write_run(folder / name, two_workers(), run);
  }
  [[nodiscard]] Result<analysis::ProgramTable> table(const std::string& size_name = "") const {
    return program_table_of_runs({folder.path()}, size_name);
  }
  [[nodiscard]] Result<analysis::ProgramRecordings> recordings(const std::string& size_name = "") const {
    return analysis::read_program_recordings({folder.path()}, size_name);
  }
  [[nodiscard]] std::string error(const std::string& size_name = "") const {
    const auto result = table(size_name);
    REQUIRE_FALSE(result.ok());
    return result.error().message();
  }

  TempFolder folder;
};

bool warns_of(const analysis::ProgramTable& table, const std::string& words) {
  return std::any_of(table.warnings.begin(), table.warnings.end(),
                     [&](const std::string& warning) { return warning.find(words) != std::string::npos; });
}

}  // namespace

TEST_CASE("a table of recordings has a row a run, with what each report says") {
  const Runs runs;
  runs.pair("c", {{"n", "8"}});
  runs.alone("a", {{"n", "8"}}, 130);
  runs.alone("b", {{"n", "8"}}, 104);
  runs.alone("d", {{"n", "8"}}, 100);
  runs.alone("e", {{"n", "4"}}, 50);
  runs.alone("f", {{"n", "4"}}, 53);
  std::filesystem::create_directory(runs.folder / "output");
  write_content(runs.folder / "table.csv", "n\n");
  const auto table = runs.table();
  REQUIRE(table);
  CHECK(table->size_name == "n");
  CHECK(table->program == "app");
  CHECK(table->machine == "00ff");
  REQUIRE(table->runs.size() == 6);
  CHECK(table->runs[0].n == 4);
  CHECK(table->runs[0].serial_work == 51.5);  // the median of two
  CHECK(table->runs[2].source == runs.folder / "a");
  const analysis::ProgramRun& run = table->runs[5];
  CHECK(run.n == 8);
  CHECK(run.p == 2);
  CHECK(run.create_task == 2);
  CHECK(run.wait_tasks == 0);
  CHECK(run.serial_work == 104);  // of 100, 104, 130
  CHECK(run.work == 125);
  CHECK(run.delay == 15);
  CHECK(run.no_work == 100);
  CHECK(run.time == 120);
  CHECK(run.span == 75);
  CHECK(run.burdened_span == 65 + 5 * 1'000);
  CHECK(run.source == runs.folder / "c");
  REQUIRE(run.kernels.size() == 3);
  CHECK(run.kernels[0].tasks == 2);
  CHECK(run.kernels[0].work == 65);
  CHECK(run.kernels[0].critical_path == 35);
}

TEST_CASE("one recording is a row without serial work") {
  const Runs runs;
  runs.pair("c", {{"n", "8"}});
  const auto run = analysis::program_run(runs.folder / "c", "n");
  REQUIRE(run);
  CHECK(run->p == 2);
  CHECK(run->work == 125);
  CHECK(run->serial_work == 0);
  CHECK_THAT(analysis::program_run(runs.folder / "c", "m").error().message(),
             ContainsSubstring("has no parameter 'm'"));
}

TEST_CASE("a recording that is named twice counts once") {
  const Runs runs;
  runs.alone("a", {{"n", "8"}}, 100);
  runs.pair("b", {{"n", "8"}});
  const auto table = program_table_of_runs({runs.folder / "b", runs.folder.path(), runs.folder / "./a"}, "n");
  REQUIRE(table);
  CHECK(table->runs.size() == 2);
}

TEST_CASE("n is the one number that varies, or the one that is asked for") {
  const Runs runs;
  runs.alone("a", {{"b", "16"}, {"size", "8"}, {"input", "x"}}, 100);
  runs.alone("b", {{"b", "16"}, {"size", "9"}, {"input", "x"}}, 110);
  CHECK(runs.table()->size_name == "size");
  CHECK(runs.table()->runs[1].n == 9);
  CHECK(runs.table("size")->size_name == "size");
  CHECK(runs.table()->inputs == "b=16");
  CHECK_THAT(runs.error("n"), ContainsSubstring("has no parameter 'n'"));
  CHECK_THAT(runs.error("input"), ContainsSubstring("parameter 'input' is no number: 'x'"));
  CHECK_THAT(runs.error("b"),
             ContainsSubstring(runs.folder / "b") && ContainsSubstring("parameter 'size' is '9', but '8' in"));
  runs.alone("c", {{"b", "17"}, {"size", "9"}, {"input", "x"}}, 110);
  CHECK_THAT(runs.error(), ContainsSubstring("several parameters vary (b, size)"));
  CHECK_THAT(runs.error("size"),
             ContainsSubstring(runs.folder / "c") && ContainsSubstring("parameter 'b' is '17', but '16' in"));
}

TEST_CASE("of numbers that do not vary the only one is n") {
  const Runs runs;
  runs.alone("a", {{"b", "16"}}, 100);
  runs.alone("b", {{"b", "16"}}, 110);
  CHECK(runs.table()->size_name == "b");
  CHECK(runs.table()->inputs.empty());
  const Runs two;
  two.alone("a", {{"b", "16"}, {"n", "1"}}, 100);
  two.alone("b", {{"b", "16"}, {"n", "1"}}, 100);
  CHECK_THAT(two.error(), ContainsSubstring("which parameter is the size of the input?") && ContainsSubstring("b, n"));
  const Runs none;
  none.alone("a", {}, 100);
  CHECK_THAT(none.error(), ContainsSubstring("has no parameter that is a number"));
  CHECK_THAT(none.error("n"), ContainsSubstring("record it with --param n=1024"));
  const Runs zero;
  zero.alone("a", {{"n", "0"}}, 100);
  CHECK_THAT(zero.error(), ContainsSubstring("parameter 'n' is 0: the size of an input has to be above 0"));
}

TEST_CASE("a varying text beside n is another parameter") {
  const Runs runs;
  runs.alone("a", {{"n", "8"}, {"input", "x"}}, 100);
  runs.alone("b", {{"n", "9"}}, 110);
  CHECK_THAT(runs.error(), ContainsSubstring("parameter 'input' is '', but 'x' in " + (runs.folder / "a")));
}

TEST_CASE("runs of several programs or machines are refused by name") {
  const Runs runs;
  runs.alone("a", {{"n", "8"}}, 100);
  SECTION("another program") {
    runs.changed("b", {{"n", "9"}}, [](trace::RunFile& run) { run.program = "/opt/other"; });
    CHECK(runs.error() ==
          (runs.folder / "b") + ": is of another program than " + (runs.folder / "a") + ": /opt/other, not /opt/app");
  }
  SECTION("the same program elsewhere") {
    runs.changed("b", {{"n", "9"}}, [](trace::RunFile& run) {
      run.program = "/home/app";
      run.modules = {{.path = "/home/app", .build_id = "aa"}};
    });
    CHECK(runs.table()->runs.size() == 2);
    CHECK_FALSE(warns_of(*runs.table(), "another version"));
  }
  SECTION("another version of it") {
    runs.changed("b", {{"n", "9"}}, [](trace::RunFile& run) { run.modules[0].build_id = "bb"; });
    CHECK(warns_of(*runs.table(), "b: of another version of app (build id) than " + (runs.folder / "a")));
  }
  SECTION("another machine") {
    runs.changed("b", {{"n", "9"}}, [](trace::RunFile& run) {
      run.machine.host = "there";
      run.machine.fingerprint = "ff00";
    });
    CHECK_THAT(runs.error(), ContainsSubstring((runs.folder / "b") + ": is of another machine") &&
                                 ContainsSubstring("there (") && ContainsSubstring("fingerprint ff00") &&
                                 ContainsSubstring("not here ("));
  }
  SECTION("a rank of several") {
    runs.changed("b", {{"n", "9"}}, [](trace::RunFile& run) { run.ranks = 4; });
    CHECK_THAT(runs.error(), ContainsSubstring("b: is one of 4 processes"));
  }
}

TEST_CASE("a recording that lacks something is refused") {
  const Runs runs;
  runs.alone("a", {{"n", "8"}}, 100);
  const std::string other = runs.folder / "b";
  SECTION("events") {
    runs.changed("b", {{"n", "9"}}, [](trace::RunFile& run) { run.dropped_events = 7; });
    CHECK_THAT(runs.error(), ContainsSubstring(other + ": 7 events were dropped"));
  }
  SECTION("a thread") {
    runs.changed("b", {{"n", "9"}}, [](trace::RunFile& run) { run.streams_refused = 1; });
    CHECK_THAT(runs.error(), ContainsSubstring(other + ": 1 thread is not in it"));
  }
  SECTION("the end of a stream") {
    runs.pair("b", {{"n", "9"}});
    std::filesystem::resize_file(other + "/stream_0", std::filesystem::file_size(other + "/stream_0") - 21);
    CHECK_THAT(runs.error(), ContainsSubstring(other + ": stream_0 is cut short or damaged"));
  }
  SECTION("a stream") {
    runs.pair("b", {{"n", "9"}});
    std::filesystem::remove(other + "/stream_1");
    CHECK_THAT(runs.error(), ContainsSubstring(other + ": stream_1 is cut short or damaged"));
  }
  SECTION("the program's end") {
    runs.changed("b", {{"n", "9"}}, [](trace::RunFile& run) { run.state = "recording"; });
    CHECK_THAT(runs.error(), ContainsSubstring(other + ": the program was killed, ended by _exit(), exec(), or exit() "
                                                       "in several threads at once, or is still running"));
  }
}

TEST_CASE("runs that say nothing of each other are no table") {
  const Runs one;
  one.alone("a", {{"n", "8"}}, 100);
  CHECK_THAT(one.error(), ContainsSubstring("one run is not enough"));
  const Runs none_alone;
  none_alone.pair("a", {{"n", "8"}});
  none_alone.pair("b", {{"n", "9"}});
  CHECK_THAT(none_alone.error(), ContainsSubstring("no run has p = 1"));
  const TempFolder empty;
  CHECK_THAT(program_table_of_runs({empty.path()}, "").error().message(),
             ContainsSubstring("is no recording, and holds none"));
  CHECK_THAT(program_table_of_runs({empty / "x"}, "").error().message(),
             ContainsSubstring("is no folder of recordings"));
}

TEST_CASE("an n without a run on one worker has no serial work, and that is said") {
  const Runs runs;
  runs.alone("a", {{"n", "8"}}, 100);
  runs.pair("b", {{"n", "9"}});
  runs.pair("c", {{"n", "9"}});
  const auto table = runs.table();
  REQUIRE(table);
  CHECK(table->runs[0].serial_work == 100);
  CHECK(table->runs[1].serial_work == 0);
  CHECK(std::count_if(table->warnings.begin(), table->warnings.end(), [](const std::string& text) {
          return text.find("(T1prime) is not known") != std::string::npos;
        }) == 1);
}

TEST_CASE("what several recordings are warned of stands once, and a program that failed is warned of") {
  const Runs runs;
  runs.alone("a", {{"n", "8"}}, 100);
  runs.alone("b", {{"n", "9"}}, 100);
  runs.changed("c", {{"n", "9"}}, [](trace::RunFile& run) { run.exit_code = 3; });
  const auto table = runs.table();
  REQUIRE(table);
  CHECK(warns_of(*table, (runs.folder / "a") + " and 1 more: no explicit task was recorded"));
  CHECK(warns_of(*table, (runs.folder / "c") + ": the program ended with exit code 3"));
  CHECK(table->warnings.size() == 2);
}

TEST_CASE("the share that is read does not go back") {
  const Runs runs;
  runs.alone("a", {{"n", "8"}}, 100);
  runs.pair("b", {{"n", "9"}});
  std::vector<double> shares;
  REQUIRE(program_table_of_runs({runs.folder.path()}, "n", [&](double done, const char* what) {
    CHECK_THAT(what, ContainsSubstring(runs.folder.path()));
    shares.push_back(done);
  }));
  REQUIRE(shares.size() > 2);
  CHECK(std::is_sorted(shares.begin(), shares.end()));
  CHECK(shares.back() == 1);
}

TEST_CASE("recordings of a search are opened once for the table and for their or-parallel sections") {
  const Runs runs;
  runs.alone("a", {{"n", "8"}}, 100);
  runs.found("b", {{"n", "8"}});
  runs.found("c", {{"n", "9"}});
  std::map<std::string, int> opened;
  double last = 0;
  const auto recordings =
      analysis::read_program_recordings({runs.folder.path()}, "", [&](double done, const char* what) {
        CHECK(done >= last);
        last = done;
        opened[what] = 1;
      });
  REQUIRE(recordings.ok());
  CHECK(opened.size() == 3);
  REQUIRE(recordings->table.ok());
  CHECK(recordings->table->runs.size() == 3);
  CHECK(recordings->size_name == "n");
  REQUIRE(recordings->searches.size() == 2);
  CHECK(recordings->searches[0].source == runs.folder / "b");
  CHECK(recordings->searches[0].n == 8);
  CHECK(recordings->searches[1].n == 9);
  REQUIRE(recordings->searches[1].sections.size() == 1);
  CHECK(recordings->searches[1].sections[0].groups.size() == 1);
}

TEST_CASE("recordings that are no table still say what their searches took, but nothing of different programs") {
  SECTION("one run") {
    const Runs runs;
    runs.found("a", {{"n", "8"}});
    const auto recordings = runs.recordings();
    REQUIRE(recordings.ok());
    CHECK_THAT(recordings->table.error().message(), ContainsSubstring("one run is not enough"));
    REQUIRE(recordings->searches.size() == 1);
    CHECK(recordings->searches[0].n == 8);
  }
  SECTION("no parameter, or several that do not vary") {
    for (const Parameters& parameters : {Parameters{}, Parameters{{"n", "8"}, {"m", "9"}}}) {
      const Runs runs;
      runs.found("a", parameters);
      runs.found("b", parameters);
      const auto recordings = runs.recordings();
      REQUIRE(recordings.ok());
      CHECK_FALSE(recordings->table.ok());
      CHECK(recordings->size_name.empty());
      REQUIRE(recordings->searches.size() == 2);
      CHECK(recordings->searches[0].n == recordings->searches[1].n);
      CHECK_THAT(runs.recordings("q").error().message(), ContainsSubstring("has no parameter 'q'"));
    }
  }
  SECTION("inputs that differ in what is no number") {
    const Runs runs;
    runs.found("a", {{"input", "easy"}});
    runs.found("b", {{"input", "hard"}});
    CHECK_THAT(runs.recordings().error().message(), ContainsSubstring("has no parameter that is a number"));
  }
  SECTION("another program") {
    const Runs runs;
    runs.found("a", {{"n", "8"}});
    runs.changed("b", {{"n", "8"}}, [](trace::RunFile& run) { run.program = "/opt/other"; });
    CHECK_THAT(runs.recordings().error().message(), ContainsSubstring("is of another program than"));
  }
  SECTION("a recording that lacks something") {
    const Runs runs;
    runs.found("a", {{"n", "8"}});
    runs.changed("b", {{"n", "8"}}, [](trace::RunFile& run) { run.state = "recording"; });
    CHECK_THAT(runs.recordings().error().message(),
               ContainsSubstring("the program was killed, ended by _exit(), exec(), or exit() in several threads at "
                                 "once, or is still running"));
  }
}
