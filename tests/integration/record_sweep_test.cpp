// SPDX-License-Identifier: Apache-2.0
// foretask sweep: every combination is recorded once, whatever comes between, and one table says what they took.
#include <signal.h>

#include <chrono>
#include <map>
#include <set>
#include <thread>

#include "integration/recorded.hpp"

using namespace record_test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;
using Row = std::map<std::string, std::string>;

Outcome sweep(const Scratch& scratch, Words words, const std::string& before = "") {
  words.insert(words.begin(), {"timeout", "-k", "5", "120", cli_test::kForetask, "sweep"});
  return run(scratch, words, before);
}

Words words_of(const std::string& line, char parted_by) {
  Words cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, parted_by);) cells.push_back(cell);
  return cells;
}

// The rows of a table by the names of its columns; the run's name, which has commas in quotes, is left out.
std::vector<Row> rows_of(const std::string& path) {
  std::vector<Row> rows;
  const Words lines = words_of(contents(path), '\n');
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const Words names = words_of(lines[0], ',');
    const Words cells = words_of(lines[i].substr(0, lines[i].find(",\"")), ',');
    rows.emplace_back();
    for (std::size_t at = 0; at < cells.size(); ++at) rows.back()[names[at]] = cells[at];
  }
  return rows;
}

// Visible folders of finished runs, without the folder of the programs' outputs.
std::set<std::string> runs_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_directory() && entry.path().filename() != "output") names.insert(entry.path().filename());
  return names;
}

// A script that runs fib, but waits for a file `go` at n = 12, and then says its process in `waits`.
std::string waiting_script() {
  return "if [ $1 = 12 ] && [ ! -e go ]; then echo $$ >pid; mv pid waits; exec sleep 60; fi; exec " +
         quoted(program("fib")) + " $1";
}

Words waiting_sweep() {
  return {"--set", "n=10,11,12", "--cores", "1,2", "--repeat",       "1",  "--out",
          "camp",  "--",         "sh",      "-c",  waiting_script(), "sh", "{n}"};
}

// Starts the sweep that waits, and sends it `number` when it does.
Outcome stopped(const Scratch& scratch, int number) {
  Words words = waiting_sweep();
  words.insert(words.begin(), {cli_test::kForetask, "sweep"});
  const pid_t child = ::fork();
  if (child == 0) {
    if (::chdir(scratch.path().c_str()) != 0) ::_exit(126);
    (void)!std::freopen("stdout", "w", stdout);
    (void)!std::freopen("stderr", "w", stderr);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  for (int i = 0; i < 2000 && !fs::exists(scratch / "waits"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ::kill(child, number);
  int status = 0;
  ::waitpid(child, &status, 0);
  return cli_test::outcome_of(status, scratch);
}

// False once the process is gone, or is nobody's but its parent's to fetch.
bool runs(const std::string& pid) {
  const std::string status = contents("/proc/" + pid + "/stat");
  const std::size_t state = status.rfind(')');
  return state != std::string::npos && status.at(state + 2) != 'Z';
}

}  // namespace

TEST_CASE("a campaign records every combination, and its table has a row a run") {
  const Scratch scratch;
  const Outcome outcome = sweep(
      scratch, {"--set", "n=10,12", "--cores", "2,1", "--repeat", "2", "--out", "camp", "--", program("fib"), "{n}"});
  INFO(outcome.out << outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK(runs_in(scratch / "camp") == std::set<std::string>{"n=10,p=1,1", "n=10,p=1,2", "n=10,p=2,1", "n=10,p=2,2",
                                                           "n=12,p=1,1", "n=12,p=1,2", "n=12,p=2,1", "n=12,p=2,2"});
  CHECK(contents(scratch / "camp/output/n=12,p=2,1") == "fib(12) = 144\n");
  CHECK_THAT(contents(scratch / "camp/table.csv"),
             StartsWith("n,p,create_task,wait_tasks,T1prime,work,delay,no_work,time,span,"));
  const std::vector<Row> rows = rows_of(scratch / "camp/table.csv");
  REQUIRE(rows.size() == 8);
  std::map<std::string, std::set<std::string>> serial_work;
  for (const Row& row : rows) {
    // Every call of fib above the leaves creates two tasks and waits once; there are fib(n + 1) - 1 of them.
    CHECK(row.at("create_task") == (row.at("n") == "10" ? "176" : "464"));
    CHECK(row.at("wait_tasks") == (row.at("n") == "10" ? "88" : "232"));
    const double whole = std::stod(row.at("p")) * std::stod(row.at("time"));
    CHECK(std::stod(row.at("work")) + std::stod(row.at("delay")) + std::stod(row.at("no_work")) ==
          Approx(whole).epsilon(1e-6));
    serial_work[row.at("n")].insert(row.at("T1prime"));
  }
  CHECK(serial_work["10"].size() == 1);
  CHECK(serial_work["12"].size() == 1);
  CHECK_THAT(outcome.out, StartsWith("camp/table.csv: 8 runs of fib\n") &&
                              ContainsSubstring("\nNext: foretask predict camp --set n=14 --cores 1,2,8\n"));
  // Interleaved, one worker first.
  const Words said = words_of(outcome.err, '\n');
  const Words order{"n=10,p=1,1", "n=12,p=1,1", "n=10,p=2,1", "n=12,p=2,1",
                    "n=10,p=1,2", "n=12,p=1,2", "n=10,p=2,2", "n=12,p=2,2"};
  REQUIRE(said.size() == order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    CHECK_THAT(said[i], StartsWith("foretask: " + std::to_string(i + 1) + " of 8: " + order[i] + ": recorded"));
}

TEST_CASE("a finished run is a recording like any other, and knows its parameters") {
  const Scratch scratch;
  REQUIRE(sweep(scratch, {"--set", "n=10", "--set", "b=x", "--cores", "1", "--repeat", "2", "--out", "camp",
                          program("fib"), "{n}"})
              .exit_code == 0);
  const std::string folder = scratch / "camp/n=10,b=x,p=1,1";
  CHECK(report_of(scratch, folder).at("create_task") == 176);
  const json description = json::parse(contents(folder + "/run.json"));
  CHECK(description.at("params").at("n") == "10");
  CHECK(description.at("params").at("b") == "x");
  CHECK(description.at("exit").at("code") == 0);
  if (has_referee()) CHECK(read_by_referee(folder).creations() == 176);
}

TEST_CASE("{p} and OMP_NUM_THREADS are the number of workers, for what the program starts as well") {
  const Scratch scratch;
  const Outcome outcome =
      sweep(scratch, {"--set", "n=10", "--cores", "1,2", "--repeat", "1", "--out", "camp", "--", "sh", "-c",
                      "echo $OMP_NUM_THREADS $1; exec " + quoted(program("fib")) + " $2", "sh", "{p}", "{n}"});
  INFO(outcome.err);
  CHECK(outcome.exit_code == 0);
  CHECK(contents(scratch / "camp/output/n=10,p=1,1") == "1 1\nfib(10) = 55\n");
  CHECK(contents(scratch / "camp/output/n=10,p=2,1") == "2 2\nfib(10) = 55\n");
}

TEST_CASE("every run of a program finds the same input: none") {
  const Scratch scratch;
  const std::string script = "cat; exec " + quoted(program("fib")) + " {n}";
  const Outcome outcome =
      run(scratch, {"sh", "-c",
                    "echo word | " + quoted(cli_test::kForetask) +
                        " sweep --set n=10 --cores 1 --repeat 2 --out camp -- sh -c " + quoted(script)});
  CHECK(outcome.exit_code == 0);
  CHECK(contents(scratch / "camp/output/n=10,p=1,1") == "fib(10) = 55\n");
}

TEST_CASE("a program that never works is not tried again and again") {
  const Scratch scratch;
  const Outcome outcome = sweep(
      scratch, {"--set", "n=1,2", "--cores", "1", "--repeat", "5", "--out", "camp", "--", "sh", "-c", "exit {n}"});
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.err, ContainsSubstring("foretask: error: camp: the first run of every combination failed"));
  CHECK_THAT(outcome.out, ContainsSubstring("2 runs failed"));
}

TEST_CASE("without --out the campaign's folder has a name made of program and time") {
  const Scratch scratch;
  REQUIRE(sweep(scratch, {"--set", "n=10", "--cores", "1", "--repeat", "2", program("fib"), "{n}"}).exit_code == 0);
  const std::set<std::string> folders = runs_in(scratch.path());
  REQUIRE(folders.size() == 1);
  CHECK_THAT(*folders.begin(), StartsWith("foretask-sweep-fib-2"));
  CHECK(runs_in(scratch / *folders.begin()).size() == 2);
}

TEST_CASE("Ctrl-C ends the program and keeps what is finished, and the same command goes on from there") {
  const Scratch scratch;
  const Outcome outcome = stopped(scratch, SIGINT);
  INFO(outcome.err);
  CHECK(outcome.signal == SIGINT);
  CHECK_FALSE(runs(words_of(contents(scratch / "waits"), '\n').at(0)));
  CHECK_THAT(outcome.err, ContainsSubstring("Interrupt: to go on from here, run the same command with --out camp\n"));
  CHECK(runs_in(scratch / "camp") == std::set<std::string>{"n=10,p=1,1", "n=11,p=1,1"});
  CHECK(rows_of(scratch / "camp/table.csv").size() == 2);
  const auto finished = fs::last_write_time(scratch / "camp/n=11,p=1,1/run.json");

  std::ofstream(scratch / "go") << "\n";
  const Outcome resumed = sweep(scratch, waiting_sweep());
  INFO(resumed.err);
  CHECK(resumed.exit_code == 0);
  CHECK_THAT(resumed.err, StartsWith("foretask: camp: 2 of 6 runs are there already\nforetask: 3 of 6: n=12,p=1,1"));
  CHECK(fs::last_write_time(scratch / "camp/n=11,p=1,1/run.json") == finished);
  CHECK(rows_of(scratch / "camp/table.csv").size() == 6);
}

TEST_CASE("a sweep that is killed takes its program with it and loses no finished run") {
  const Scratch scratch;
  CHECK(stopped(scratch, SIGKILL).signal == SIGKILL);
  const std::string pid = words_of(contents(scratch / "waits"), '\n').at(0);
  for (int i = 0; i < 500 && runs(pid); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK_FALSE(runs(pid));
  CHECK_FALSE(fs::exists(scratch / "camp/table.csv"));
  std::ofstream(scratch / "go") << "\n";
  const Outcome resumed = sweep(scratch, waiting_sweep());
  INFO(resumed.err);
  CHECK(resumed.exit_code == 0);
  CHECK_THAT(resumed.err, ContainsSubstring("2 of 6 runs are there already"));
  CHECK(rows_of(scratch / "camp/table.csv").size() == 6);
  CHECK_FALSE(fs::exists(scratch / "camp/.unfinished"));
}

TEST_CASE("a program that ends in order when it is asked to has no finished run") {
  const Scratch scratch;
  const Words words{"--set", "n=10",     "--cores",
                    "1",     "--repeat", "2",
                    "--out", "camp",     "--",
                    "sh",    "-c",       "kill -TERM $PPID; sleep 0.2; exec " + quoted(program("fib")) + " {n}"};
  const Outcome outcome = run(scratch, [&] {
    Words all{cli_test::kForetask, "sweep"};
    all.insert(all.end(), words.begin(), words.end());
    return all;
  }());
  INFO(outcome.err);
  CHECK(outcome.signal == SIGTERM);
  CHECK(runs_in(scratch / "camp").empty());
}

TEST_CASE("runs that fail are listed with the reason, are in no table, and are tried again") {
  const Scratch scratch;
  const Words words{"--set",
                    "n=9,10,11,12",
                    "--cores",
                    "1",
                    "--repeat",
                    "1",
                    "--out",
                    "camp",
                    "--",
                    "sh",
                    "-c",
                    "if [ ! -e go ]; then [ $1 = 9 ] && exit 3; [ $1 = 10 ] && kill -SEGV $$; [ $1 = 11 ] && exit 0; "
                    "fi; exec " +
                        quoted(program("fib")) + " $1",
                    "sh",
                    "{n}"};
  const Outcome failed = sweep(scratch, words, "ulimit -c 0;");
  INFO(failed.out << failed.err);
  CHECK(failed.exit_code == 1);
  CHECK_THAT(failed.out, ContainsSubstring("3 runs failed") &&
                             ContainsSubstring("  n=9,p=1,1: exit code 3\n    its output: camp/output/n=9,p=1,1\n") &&
                             ContainsSubstring("  n=10,p=1,1: killed by signal 11 (Segmentation fault)\n") &&
                             ContainsSubstring("  n=11,p=1,1: nothing was recorded"));
  CHECK_THAT(failed.err, ContainsSubstring("one run is not enough"));
  CHECK(runs_in(scratch / "camp") == std::set<std::string>{"n=12,p=1,1"});
  const json campaign = json::parse(contents(scratch / "camp/campaign.json"));
  REQUIRE(campaign.at("failed").size() == 3);
  CHECK(campaign.at("failed")[0] == json{{"run", "n=9,p=1,1"}, {"why", "exit code 3"}});

  std::ofstream(scratch / "go") << "\n";
  const Outcome again = sweep(scratch, words);
  CHECK(again.exit_code == 0);
  CHECK(rows_of(scratch / "camp/table.csv").size() == 4);
  CHECK(json::parse(contents(scratch / "camp/campaign.json")).at("failed").empty());
}

TEST_CASE("dropped events and another number of workers are failures of the run") {
  const Scratch scratch;
  const Outcome full = sweep(
      scratch,
      {"--set", "n=5,20", "--cores", "1", "--repeat", "2", "--out", "full", "--json", "--", program("fib"), "{n}"},
      "export FORETASK_MAX_BYTES=400k;");
  INFO(full.err);
  CHECK(full.exit_code == 1);
  const json result = json::parse(full.out);
  CHECK(result.at("runs") == 2);
  REQUIRE(result.at("failed").size() == 2);
  CHECK(result.at("failed")[1].at("run") == "n=20,p=1,2");
  CHECK_THAT(result.at("failed")[1].at("why").get<std::string>(), ContainsSubstring("events were dropped"));
  CHECK(result.at("table") == "full/table.csv");
  CHECK(result.at("tables")[0].at("rows")[0].at("runs") == 2);

  const Outcome own = sweep(scratch, {"--set", "n=10", "--cores", "1,2", "--repeat", "1", "--out", "own", "--", "sh",
                                      "-c", "OMP_NUM_THREADS=1 exec " + quoted(program("fib")) + " {n}"});
  CHECK(own.exit_code == 1);
  CHECK_THAT(own.err, ContainsSubstring("n=10,p=2,1: failed: it ran on 1 worker, not 2"));
}

TEST_CASE("parameters besides n have tables of their own") {
  const Scratch scratch;
  const Outcome outcome = sweep(scratch, {"--set", "n=10,12", "--set", "b=x,y", "--cores", "1", "--repeat", "1",
                                          "--out", "camp", "--", program("fib"), "{n}", "{b}"});
  INFO(outcome.err);
  CHECK(outcome.exit_code == 0);
  CHECK(rows_of(scratch / "camp/table,b=x.csv").size() == 2);
  CHECK(rows_of(scratch / "camp/table,b=y.csv").size() == 2);
  CHECK_FALSE(fs::exists(scratch / "camp/table.csv"));
  CHECK_THAT(outcome.out, ContainsSubstring("foretask predict camp/*,b=x,p=* --set n=14 "));
  const Outcome both = cli_test::foretask(scratch, {"predict", "camp"});
  CHECK_THAT(both.err, ContainsSubstring("predict one of them: predict camp/*,b="));

  // When the runs of one are gone, so is its table, and the other is the only one.
  for (const char* name : {"n=10,b=y,p=1,1", "n=12,b=y,p=1,1"}) fs::remove_all(scratch / ("camp/" + std::string(name)));
  std::ofstream(scratch / "camp/table,mine.csv") << "\n";
  const Outcome left = sweep(scratch, {"--set", "n=10,12", "--set", "b=x", "--cores", "1", "--repeat", "1", "--out",
                                       "camp", "--", program("fib"), "{n}", "{b}"});
  INFO(left.err);
  CHECK(left.exit_code == 0);
  CHECK(rows_of(scratch / "camp/table.csv").size() == 2);
  CHECK_FALSE(fs::exists(scratch / "camp/table,b=x.csv"));
  CHECK_FALSE(fs::exists(scratch / "camp/table,b=y.csv"));
  CHECK(fs::exists(scratch / "camp/table,mine.csv"));
}

TEST_CASE("an empty folder is no run, and a recording that cannot be read does not take the table of the others") {
  const Scratch scratch;
  const Words words{"--set", "n=10,11,12", "--cores",      "1",  "--repeat", "1", "--out",
                    "camp",  "--",         program("fib"), "{n}"};
  REQUIRE(sweep(scratch, words).exit_code == 0);
  fs::remove_all(scratch / "camp/n=10,p=1,1");
  fs::create_directory(scratch / "camp/n=10,p=1,1");
  std::ofstream(scratch / "camp/n=12,p=1,1/run.json") << "garbage";
  const Outcome outcome = sweep(scratch, words);
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.err, StartsWith("foretask: camp: 2 of 3 runs are there already\nforetask: 3 of 3: n=10,p=1,1"));
  CHECK(rows_of(scratch / "camp/table.csv").size() == 2);
  CHECK_THAT(outcome.out, ContainsSubstring("1 recording cannot be read and is in no table:\n  n=12,p=1,1: ") &&
                              ContainsSubstring(": remove camp/n=12,p=1,1 to record it again\n"));
  fs::remove_all(scratch / "camp/n=12,p=1,1");
  CHECK(sweep(scratch, words).exit_code == 0);
  CHECK(rows_of(scratch / "camp/table.csv").size() == 3);
}

TEST_CASE("a campaign's folder takes no other campaign, and the same one grows") {
  const Scratch scratch;
  const Words first{"--set", "n=10", "--cores", "1", "--repeat", "2", "--out", "camp", "--", program("fib"), "{n}"};
  REQUIRE(sweep(scratch, first).exit_code == 0);
  const Outcome other =
      sweep(scratch, {"--set", "n=10", "--cores", "1", "--out", "camp", "--", program("fib"), "{n}", "-v"});
  CHECK(other.exit_code == 1);
  CHECK_THAT(other.err, StartsWith("foretask: error: camp: is of another command: "));
  const Outcome grown = sweep(
      scratch, {"--set", "n=10,11", "--cores", "1", "--repeat", "2", "--out", "camp", "--", program("fib"), "{n}"});
  CHECK(grown.exit_code == 0);
  CHECK_THAT(grown.err, StartsWith("foretask: camp: 2 of 4 runs are there already\n"));
  CHECK(rows_of(scratch / "camp/table.csv").size() == 4);
}

TEST_CASE("what stands in the way of a campaign is said before the first run") {
  const Scratch scratch;
  const auto refused = [&](const Words& words, int code, const std::string& what) {
    const Outcome outcome = sweep(scratch, words);
    INFO(outcome.err);
    CHECK(outcome.exit_code == code);
    CHECK_THAT(outcome.err, StartsWith("foretask: error: ") && ContainsSubstring(what));
    CHECK_FALSE(fs::exists(scratch / "camp"));
  };
  const std::string fib = program("fib");
  refused({"--set", "n=10", "--out", "/proc/camp", "--", fib, "{n}"}, 1, "/proc/camp");
  refused({"--set", "n=10", "--out", "camp", "--", "no-such-program", "{n}"}, 127, "no-such-program");
  refused({"--set", "n=10,11", "--out", "camp", "--", fib, "{N}"}, 2, "{N} is no parameter, but {n} is");
  refused({"--set", "n=10,11", "--out", "camp", "--", fib}, 2, "no argument of the program holds {n}");
  refused({"--set", "n=10", "--cores", "2", "--out", "camp", "--", fib, "{n}"}, 2, "--cores has no 1");
  refused({"--set", "n=10,x", "--out", "camp", "--", fib, "{n}"}, 2, "--set n=x");
  refused({"--set", "n=10", "--out", "camp"}, 2, "sweep needs a program");
  refused({"--set", "n=2-1", "--out", "camp", "--", fib, "{n}"}, 2, "the range runs backwards");
  refused({"--out", "camp", "--", fib, "{n}"}, 2, "--set");
  std::ofstream(scratch / "letter") << "dear\n";
  refused({"--set", "n=10", "--out", "letter", "--", fib, "{n}"}, 1, "letter: is no folder");
}

TEST_CASE("two sweeps do not work in one folder") {
  const Scratch scratch;
  const Words words{"--set", "n=10", "--cores", "1", "--repeat", "2", "--out", "camp", "--", "sh", "again.sh", "{n}"};
  std::string line = quoted(cli_test::kForetask) + " sweep";
  for (const std::string& word : words) line += " " + quoted(word);
  std::ofstream(scratch / "again.sh") << line << " 2>inner\nexec " << quoted(program("fib")) << " $1\n";
  const Outcome outcome = sweep(scratch, words);
  INFO(outcome.err);
  CHECK(outcome.exit_code == 0);
  CHECK(contents(scratch / "inner") == "foretask: error: camp: another foretask sweep is at work here\n");
}
