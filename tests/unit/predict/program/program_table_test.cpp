// SPDX-License-Identifier: Apache-2.0
// Tables of a program's runs from files: what is read, and what is refused.
#include "foretask/analysis/program_table.hpp"

#include "catch.hpp"
#include "unit/base/temp_folder.hpp"

using namespace foretask;
using analysis::ProgramTable;
using Catch::Matchers::ContainsSubstring;
using foretask::test::TempFolder;
using foretask::test::write_content;

namespace {

const std::string kNames = "n,p,create_task,wait_tasks,T1prime,work,delay,no_work,time,span\n";

Result<ProgramTable> table_of(const std::string& text, const std::string& size_name = "n") {
  const TempFolder folder;
  write_content(folder / "t.csv", text);
  return analysis::read_program_table(folder / "t.csv", size_name);
}

// From the file's name on.
std::string error_of(const std::string& text, const std::string& size_name = "n") {
  const auto table = table_of(text, size_name);
  REQUIRE_FALSE(table.ok());
  const std::string message = table.error().message();
  return message.substr(message.find("t.csv"));
}

std::string points_error_of(const std::string& text) {
  const TempFolder folder;
  write_content(folder / "t.csv", text);
  const auto points = analysis::read_program_points(folder / "t.csv");
  REQUIRE_FALSE(points.ok());
  const std::string message = points.error().message();
  return message.substr(message.find("t.csv"));
}

}  // namespace

TEST_CASE("a table of runs is read from its columns, in any order, with others beside them") {
  const auto table = table_of(
      "app,span,time,no_work,delay,work,T1prime,wait_tasks,create_task,p,n,note\n"
      "sort,40,100,0,10,90,90,3,5,1,64,x\n"
      "sort,,60,20,5.5,94.5,90,3,5,2,64,\"a, b\"\n");
  REQUIRE(table);
  CHECK(table->size_name == "n");
  CHECK(table->program == "sort");
  CHECK(table->machine.empty());
  CHECK(table->warnings.empty());
  REQUIRE(table->runs.size() == 2);
  const analysis::ProgramRun& run = table->runs[1];
  CHECK(run.n == 64);
  CHECK(run.p == 2);
  CHECK(run.create_task == 5);
  CHECK(run.wait_tasks == 3);
  CHECK(run.serial_work == 90);
  CHECK(run.work == 94.5);
  CHECK(run.delay == 5.5);
  CHECK(run.no_work == 20);
  CHECK(run.time == 60);
  CHECK(run.span == 0);
  CHECK(run.burdened_span == 0);
  CHECK_THAT(run.source, Catch::Matchers::EndsWith("t.csv:3"));
  CHECK(table->runs[0].span == 40);
}

TEST_CASE("rows of published figures are read as they stand") {
  // Two rows of a fast Fourier transform's table, of 1024 elements, and what else stands in it.
  const auto table = table_of(
      "app,n,p,create_task,wait_tasks,T1prime,work,delay,no_work,time,span,work_true\n"
      "fft,1024,1,64,28,62511.9926,63057.4038,21055.4878,0,84112.8916,28860.485,62836\n"
      "fft,1024,2,64,28,62511.9926,63739.176,25007.9737,19537.5113,54142.3305,29329.0033,64281.228\n");
  REQUIRE(table);
  CHECK(table->warnings.empty());
  CHECK(table->runs[1].work == 63739.176);
  CHECK(table->runs[1].span == 29329.0033);
}

TEST_CASE("n may be called otherwise") {
  const auto table = table_of(
      "size,p,create_task,wait_tasks,T1prime,work,delay,no_work,time,span\n"
      "8,1,0,0,1,1,0,0,1,1\n9,1,0,0,2,2,0,0,2,1\n",
      "size");
  REQUIRE(table);
  CHECK(table->size_name == "size");
  CHECK(table->runs[1].n == 9);
}

TEST_CASE("every missing column of a table is named") {
  CHECK(error_of("") == "t.csv:1: the file is empty: a line of column names was expected");
  CHECK(error_of(kNames) == "t.csv:1: there is no row below the column names");
  CHECK(error_of("n,p,create_task,wait_tasks,T1prime,work,delay,no_work,time\n1,1,1,1,1,1,1,1,1\n") ==
        "t.csv:1: column 'span' is missing");
  CHECK(error_of("p,work,time\n1,1,1\n") ==
        "t.csv:1: columns 'n', 'create_task', 'wait_tasks', 'T1prime', 'delay', 'no_work', 'span' are missing");
  CHECK(error_of(kNames + "1,1,0,0,1,1,0,0,1,1\n", "size") == "t.csv:1: column 'size' is missing");
}

TEST_CASE("a cell that is no run's is an error with its line and column") {
  const std::string good = "64,1,5,3,90,90,10,0,100,40\n";
  CHECK(error_of(kNames + good + "many,1,5,3,90,90,10,0,100,40\n") == "t.csv:3: column 'n': 'many' is no number");
  CHECK(error_of(kNames + good + "64,1,5,3,90,90,10,0,-100,40\n") == "t.csv:3: column 'time': '-100' is negative");
  CHECK(error_of(kNames + good + "64,1,5,3,90,90,-10,0,100,40\n") == "t.csv:3: column 'delay': '-10' is negative");
  CHECK(error_of(kNames + good + "64,1,5,3,90,90,10,0,0,40\n") ==
        "t.csv:3: column 'time': 0: the time has to be above 0");
  CHECK(error_of(kNames + good + "0,1,5,3,90,90,10,0,100,40\n") ==
        "t.csv:3: column 'n': '0': the size of an input has to be above 0");
  CHECK(error_of(kNames + good + "64,0,5,3,90,90,10,0,100,40\n") ==
        "t.csv:3: column 'p': '0': the number of workers has to be at least 1");
  CHECK(error_of(kNames + good + "64,-2,5,3,90,90,10,0,100,40\n") ==
        "t.csv:3: column 'p': '-2': the number of workers has to be at least 1");
  CHECK(error_of(kNames + good + "64,1.5,5,3,90,90,10,0,100,40\n") ==
        "t.csv:3: column 'p': '1.5': the number of workers has to be a whole number");
  CHECK(error_of(kNames + good + "64,1,5,3,90,nan,10,0,100,40\n") == "t.csv:3: column 'work': 'nan' is not finite");
  CHECK(error_of(kNames + good + "64,1,5,3,90,inf,10,0,100,40\n") == "t.csv:3: column 'work': 'inf' is not finite");
  CHECK(error_of(kNames + good + "64,1,5,3,90,,10,0,100,40\n") == "t.csv:3: column 'work': is empty");
  CHECK(error_of(kNames + good + "64,1,5,3,90,90,10,0,100\n") ==
        "t.csv:3: the row has 9 columns, the line of names 10");
}

TEST_CASE("the same row twice is an error that names both lines, the same n and p with other times are not") {
  const std::string good = "64,1,5,3,90,90,10,0,100,40\n";
  const std::string again = "64,1,5,3,90,91,10,0,101,40\n";
  CHECK(table_of(kNames + good + again)->runs.size() == 2);
  CHECK_THAT(error_of(kNames + good + again + good), ContainsSubstring("t.csv:4: the same row as line 2"));
}

TEST_CASE("one row, or none on one worker, is no table") {
  CHECK_THAT(error_of(kNames + "64,1,5,3,90,90,10,0,100,40\n"), ContainsSubstring("one run is not enough"));
  CHECK_THAT(error_of(kNames + "64,2,5,3,90,90,10,0,50,40\n64,3,5,3,90,90,10,0,33,40\n"),
             ContainsSubstring("no run has p = 1"));
}

TEST_CASE("rows of several programs or machines, or with dropped events, do not stand in one table") {
  const std::string names = "app,machine,dropped_events," + kNames;
  const std::string rest = "64,1,5,3,90,90,10,0,100,40\n";
  const std::string other = "64,1,5,3,90,90,11,0,101,40\n";
  CHECK(error_of(names + "fft,a,0," + rest + "sort,a,0," + other) ==
        "t.csv:3: column 'app': 'sort', but 'fft' in line 2: all rows have to be of one program");
  CHECK(error_of(names + "fft,a,0," + rest + "fft,b,0," + other) ==
        "t.csv:3: column 'machine': 'b', but 'a' in line 2: all rows have to be of one machine");
  CHECK(error_of(names + "fft,a,0," + rest + "fft,a,7," + other) ==
        "t.csv:3: column 'dropped_events': 7 events of this run were dropped. Its figures lack them: record it again");
  CHECK(table_of(names + "fft,a,0," + rest + "fft,a,," + other)->machine == "a");
}

TEST_CASE("work, delay and no_work that are not p * time are warned of") {
  // 2 * 60 = 120: 121.1 are 0.92 % off, 121.3 more than one; 90 of 100 are 10 % below.
  const std::string first = "64,1,5,3,90,100,0,0,100,40\n";
  CHECK(table_of(kNames + first + "64,2,5,3,90,94.1,7,20,60,40\n")->warnings.empty());
  const auto one = table_of(kNames + first + "64,2,5,3,90,94.3,7,20,60,40\n");
  REQUIRE(one->warnings.size() == 1);
  CHECK_THAT(one->warnings[0], ContainsSubstring("t.csv:3: work + delay + no_work is 1.08 % above p * time"));
  const auto two = table_of(kNames + "64,1,5,3,90,90,0,0,100,40\n64,2,5,3,90,94.3,7,20,60,40\n");
  REQUIRE(two->warnings.size() == 1);
  CHECK_THAT(two->warnings[0],
             ContainsSubstring("t.csv:2: work + delay + no_work is 10 % below p * time; 1 more run differs"));
}

TEST_CASE("a table that was written is read as it was") {
  ProgramTable table{.size_name = "size", .program = "a, b", .machine = "00ff", .runs = {}, .warnings = {}};
  table.runs.push_back({.n = 1e9,
                        .p = 1,
                        .create_task = 12,
                        .wait_tasks = 3,
                        .serial_work = 0.1,
                        .work = 1.0 / 3,
                        .delay = 0,
                        .no_work = 0,
                        .time = 1.0 / 3,
                        .span = 0.25,
                        .burdened_span = 0.3,
                        .kernels = {},
                        .source = "r1"});
  table.runs.push_back(table.runs[0]);
  table.runs[1].p = 2;
  table.runs[1].no_work = 1.0 / 3;
  const std::string text = program_table_text(table);
  CHECK_THAT(text, Catch::Matchers::StartsWith("size,p,create_task,wait_tasks,T1prime,work,delay,no_work,time,span,"
                                               "burdened_span,program,machine,run\n1e+09,1,12,3,0.1,"));
  const auto read = table_of(text, "size");
  REQUIRE(read);
  CHECK(read->program == "a, b");
  CHECK(read->machine == "00ff");
  CHECK(read->runs[0].work == 1.0 / 3);
  CHECK(read->runs[0].burdened_span == 0.3);
  CHECK(read->runs[1].no_work == 1.0 / 3);
  table.runs[1].baseline = 0.5;
  const std::string with_baseline = program_table_text(table);
  CHECK_THAT(with_baseline, Catch::Matchers::ContainsSubstring(",program,machine,run,baseline\n") &&
                                Catch::Matchers::ContainsSubstring(",r1,0\n") &&
                                Catch::Matchers::EndsWith(",r1,0.5\n"));
  CHECK(table_of(with_baseline, "size").ok());
  // A size that is called as another column would not be read again.
  table.size_name = "time";
  CHECK_THAT(program_table_text(table), Catch::Matchers::StartsWith("n,p,"));
}

TEST_CASE("points to be predicted are read from their two columns") {
  const TempFolder folder;
  write_content(folder / "t.csv", "why,p,n\nfirst,36,1e9\nagain,36,1e9\n");
  const auto points = analysis::read_program_points(folder / "t.csv");
  REQUIRE(points);
  REQUIRE(points->size() == 2);
  CHECK((*points)[1].n == 1e9);
  CHECK((*points)[1].p == 36);
  CHECK(points_error_of("p\n1\n") == "t.csv:1: column 'n' is missing");
  CHECK(points_error_of("m\n1\n") == "t.csv:1: columns 'n', 'p' are missing");
  CHECK(points_error_of("n,p\n1,0\n") == "t.csv:2: column 'p': '0': the number of workers has to be at least 1");
  CHECK(points_error_of("n,p\n-1,1\n") == "t.csv:2: column 'n': '-1': the size of an input has to be above 0");
  CHECK(points_error_of("n,p\n1,two\n") == "t.csv:2: column 'p': 'two' is no number");
}

TEST_CASE("a table that cannot be read is named") {
  const auto table = analysis::read_program_table("/nonexistent/t.csv");
  REQUIRE_FALSE(table.ok());
  CHECK_THAT(table.error().message(), ContainsSubstring("/nonexistent/t.csv"));
}
