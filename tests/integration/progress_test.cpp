// SPDX-License-Identifier: Apache-2.0
// How far a run is, said while it runs, from what earlier runs of the program left.
#include <cmath>
#include <sstream>

#include "integration/learning.hpp"

using cli_test::contents;
using cli_test::example;
using cli_test::Outcome;
using cli_test::Scratch;
using cli_test::fs::exists;
using nlohmann::json;

namespace {

const std::string kFollowed =
    "export FORETASK_HOME=home OMP_TOOL_LIBRARIES=" + cli_test::quoted(FORETASK_TEST_HOOK) + ";";

// Sixty tasks of 2 ms that wait for nothing, on two threads, whatever else the machine does.
Outcome sleepers(const Scratch& scratch, const std::string& before, const std::string& n = "60") {
  return cli_test::run(
      scratch, {"timeout", "-k", "5", "60", example("sleepers"), "-s", "flat", "-n", n, "-m", "2000", "-t", "2"},
      kFollowed + before);
}

// The lines of FORETASK_PROGRESS=json.
std::vector<json> lines_of(const Outcome& outcome) {
  std::vector<json> lines;
  std::istringstream in(outcome.err);
  for (std::string line; std::getline(in, line);)
    if (line.rfind("{", 0) == 0) lines.push_back(json::parse(line));
  return lines;
}

std::size_t stored_runs(const Scratch& scratch, const std::string& program) {
  return json::parse(contents(learning_test::path_of(scratch, program + ".json"))).at("rows").size();
}

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("the first run of a program is learned, and the second one is predicted from it") {
  const Scratch scratch;
  const std::string asked = "export FORETASK_PROGRESS=json FORETASK_PARAMS=n=60;";
  const auto first = lines_of(sleepers(scratch, asked));
  REQUIRE(first.size() >= 2);
  for (const json& line : first) CHECK_FALSE(line.contains("remaining_ns"));
  CHECK(first.front().at("foretask_progress") == "learning");
  CHECK(first.back().at("foretask_progress") == "end");
  CHECK(first.back().at("tasks") == 60);
  CHECK(first.back().at("workers") == 2);
  CHECK(stored_runs(scratch, "sleepers") == 1);

  const auto second = lines_of(sleepers(scratch, asked));
  REQUIRE(second.size() >= 5);
  double elapsed = 0;
  for (const json& line : second) {
    if (&line != &second.back()) CHECK(line.at("foretask_progress") == "predicted");
    CHECK(line.at("elapsed_ns").get<double>() > elapsed);
    elapsed = line.at("elapsed_ns");
    CHECK(line.at("low_ns").get<double>() <= line.at("remaining_ns").get<double>());
    CHECK(line.at("remaining_ns").get<double>() <= line.at("high_ns").get<double>());
    CHECK(line.at("done").get<double>() >= 0);
    CHECK(line.at("done").get<double>() <= 1);
  }
  // All tasks are done; how long the serial part is behind them the machine says.
  CHECK(second.back().at("done").get<double>() > 0.7);
  CHECK(second.back().at("tasks") == 60);
  CHECK(stored_runs(scratch, "sleepers") == 2);
}

TEST_CASE("another size is predicted from those that were run, and a size that nobody said is not") {
  const Scratch scratch;
  for (const char* n : {"10", "15", "30"})
    static_cast<void>(sleepers(scratch, std::string("export FORETASK_PROGRESS=quiet FORETASK_PARAMS=n=") + n + ";", n));
  const auto grown = lines_of(sleepers(scratch, "export FORETASK_PROGRESS=json FORETASK_PARAMS=n=60;"));
  REQUIRE(grown.size() >= 3);
  CHECK(grown[grown.size() - 2].at("foretask_progress") == "grown");
  CHECK(grown[grown.size() - 2].at("done").get<double>() > 0);
  const auto unsaid = lines_of(sleepers(scratch, "export FORETASK_PROGRESS=json;"));
  REQUIRE_FALSE(unsaid.empty());
  CHECK(unsaid.front().at("foretask_progress") == "learning");
}

TEST_CASE("in words, a line at each tenth where standard error is no terminal") {
  const Scratch scratch;
  const Outcome first = sleepers(scratch, "export FORETASK_PROGRESS=1;");
  CHECK_THAT(first.err, Catch::Matchers::StartsWith("foretask: no earlier run of sleepers is known: learning"));
  CHECK_THAT(first.err, Catch::Matchers::ContainsSubstring("foretask: done in ") &&
                            Catch::Matchers::ContainsSubstring("2 workers") &&
                            Catch::Matchers::ContainsSubstring("kept for the next run\n"));
  const Outcome second = sleepers(scratch, "export FORETASK_PROGRESS=1;");
  CHECK(count_of(second.err, " % done, ") >= 3);
  CHECK(count_of(second.err, " % done, ") <= 11);
  CHECK(count_of(second.err, " left (") == count_of(second.err, " % done, "));
  CHECK_THAT(second.out, Catch::Matchers::EndsWith(" ok\n"));
}

TEST_CASE("a recording, and learning, are followed as well") {
  const Scratch scratch;
  for (const char* mode : {"record", "learn"}) {
    for (int run = 1; run <= 2; ++run) {
      std::vector<std::string> words{mode};
      if (std::string(mode) == "record")
        words.insert(words.end(), {"--out", "run" + std::to_string(run), "--param", "n=60"});
      words.insert(words.end(), {"--", example("sleepers"), "-s", "flat", "-n", "60", "-m", "2000", "-t", "2"});
      const Outcome outcome = cli_test::foretask(scratch, words, "export FORETASK_HOME=home FORETASK_PROGRESS=json;");
      INFO(outcome.err);
      CHECK(outcome.exit_code == 0);
      const auto lines = lines_of(outcome);
      REQUIRE(lines.size() >= 2);
      CHECK(lines.back().at("tasks") == 60);
      CHECK(lines[lines.size() - 2].at("foretask_progress") == (run == 1 ? "learning" : "predicted"));
      CHECK(count_of(outcome.err, std::string(mode) == "record" ? "recorded into" : "learned 60 samples") == 1);
    }
  }
  const json report = json::parse(cli_test::foretask(scratch, {"report", "run2", "--json"}).out);
  CHECK(report.at("tasks").get<int>() >= 60);
  CHECK(report.at("create_task") == 60);
  CHECK(report.at("dropped_events") == 0);
}

TEST_CASE("off is off, and a word that is none is one warning") {
  for (const char* off : {"FORETASK_PROGRESS=0", "FORETASK_PROGRESS=1 FORETASK=off", "FORETASK_PROGRESS="}) {
    const Scratch scratch;
    const Outcome outcome = sleepers(scratch, std::string("export ") + off + ";", "5");
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.err.empty());
    CHECK_FALSE(exists(scratch / "home"));
  }
  const Scratch scratch;
  const Outcome outcome = sleepers(scratch, "export FORETASK_PROGRESS=yes;", "5");
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err == "foretask: warning: FORETASK_PROGRESS=yes is not one of 0, 1, json, quiet: taken as 0\n");
  CHECK_FALSE(exists(scratch / "home"));
}

TEST_CASE("a program that is killed, or ends in a task, leaves no row, and none waits for the watcher") {
  const Scratch scratch;
  const Outcome killed = cli_test::run(
      scratch, {"timeout", "-s", "KILL", "0.2", example("sleepers"), "-n", "10000", "-m", "2000", "-t", "2"},
      kFollowed + "export FORETASK_PROGRESS=1;");
  CHECK(killed.signal + killed.exit_code >= 9);
  CHECK_THAT(killed.err, !Catch::Matchers::ContainsSubstring("done in"));
  CHECK_FALSE(exists(scratch / "home/programs"));
}

TEST_CASE("a file of the store that is no such file is set aside, and the run goes on") {
  const Scratch scratch;
  static_cast<void>(sleepers(scratch, "export FORETASK_PROGRESS=quiet;"));
  std::ofstream(learning_test::path_of(scratch, "sleepers.json")) << "{";
  const Outcome outcome = sleepers(scratch, "export FORETASK_PROGRESS=json;");
  CHECK(outcome.exit_code == 0);
  CHECK(count_of(outcome.err, "is not used: it is not whole") == 1);
  CHECK(lines_of(outcome).back().at("foretask_progress") == "end");
  CHECK(stored_runs(scratch, "sleepers") == 1);
}

TEST_CASE("a program asks how far it is, in C") {
  const Scratch scratch;
  const std::string quiet = "unset FORETASK;";
  const Outcome first = learning_test::run(scratch, {"progress"}, quiet);
  CHECK(first.err.empty());
  CHECK(first.out ==
        "another version's: bad argument\nstart: ok\ninput: ok\nno size: bad argument\n"
        "half: ok, 1, 20 tasks, nan done, nothing left in its interval\n"
        "end: ok, 1, 40 tasks, nan done, nothing left in its interval\n");
  const Outcome second = learning_test::run(scratch, {"progress"}, quiet);
  CHECK_THAT(second.out, Catch::Matchers::ContainsSubstring("half: ok, 2, 20 tasks, 0.") &&
                             Catch::Matchers::ContainsSubstring("end: ok, 2, 40 tasks, ") &&
                             !Catch::Matchers::ContainsSubstring("nothing left"));
  const Outcome off = learning_test::run(scratch, {"progress", "2"}, "export FORETASK=off;");
  CHECK(off.out ==
        "another version's: bad argument\nstart: off\ninput: off\nno size: bad argument\n"
        "half: off, 0, 0 tasks, nan done, nothing left in its interval\n"
        "end: off, 0, 0 tasks, nan done, nothing left in its interval\n");
}

TEST_CASE("what was foretold for one input is not what is foretold for another") {
  const Scratch scratch;
  static_cast<void>(learning_test::run(scratch, {"progress", "40"}, "unset FORETASK;"));
  const Outcome other = learning_test::run(scratch, {"progress", "40", "2"}, "unset FORETASK;");
  CHECK_THAT(other.out, Catch::Matchers::ContainsSubstring("end: ok, 2, 40 tasks, "));
  CHECK_THAT(other.out, Catch::Matchers::EndsWith("other: ok\nother: ok, 1, 40 tasks, nan done, nothing left in its "
                                                  "interval\n"));
  const Outcome same = learning_test::run(scratch, {"progress", "40", "2"}, "unset FORETASK;");
  CHECK_THAT(same.out, Catch::Matchers::ContainsSubstring("other: ok, 2, 40 tasks, "));
}

TEST_CASE("a size that is none is said, and costs no earlier run") {
  const Scratch scratch;
  static_cast<void>(sleepers(scratch, "export FORETASK_PROGRESS=quiet FORETASK_PARAMS=n=15;", "15"));
  for (const char* n : {"-5", "0", "inf", "nan", "many"}) {
    const Outcome outcome =
        sleepers(scratch, std::string("export FORETASK_PROGRESS=json FORETASK_PARAMS=n=") + n + ";", "15");
    CHECK(outcome.exit_code == 0);
    CHECK(count_of(outcome.err, std::string("foretask: warning: FORETASK_PARAMS: n=") + n +
                                    " is not a number above 0: the size of the input is not known\n") == 1);
  }
  const auto rows = json::parse(contents(learning_test::path_of(scratch, "sleepers.json"))).at("rows");
  CHECK(rows.back().at("n") == 15);
  for (const json& row : rows) CHECK(row.at("n").get<double>() >= 0);
  const auto again = lines_of(sleepers(scratch, "export FORETASK_PROGRESS=json FORETASK_PARAMS=n=15;", "15"));
  REQUIRE(again.size() >= 2);
  CHECK(again[again.size() - 2].at("foretask_progress") == "predicted");
}

TEST_CASE("a run that finds no folder says that it is not kept") {
  const Scratch scratch;
  const Outcome outcome =
      sleepers(scratch, "unset HOME XDG_DATA_HOME FORETASK_HOME; export FORETASK_PROGRESS=1;", "15");
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.err, Catch::Matchers::ContainsSubstring("foretask: done in ") &&
                              Catch::Matchers::EndsWith("; not kept: no folder (FORETASK_HOME)\n"));
}

TEST_CASE("a watched run finds what was saved of recordings with other numbers beside n") {
  const Scratch scratch;
  for (const char* run : {"run1", "run2"}) {
    const Outcome recorded =
        cli_test::foretask(scratch, {"record", "--out", run, "--param", "n=60", "--param", "b=16", "--param",
                                     "input=flat", "--", example("sleepers"), "-s", "flat", "-n", "60", "-m", "500",
                                     "-t", run == std::string("run1") ? "1" : "2"});
    REQUIRE(recorded.exit_code == 0);
  }
  const Outcome saved =
      cli_test::foretask(scratch, {"predict", "--set", "n=60", "--save", "run1", "run2"}, "export FORETASK_HOME=home;");
  INFO(saved.err);
  const auto rows = json::parse(contents(learning_test::path_of(scratch, "sleepers.json"))).at("rows");
  REQUIRE(rows.size() == 2);
  for (const json& row : rows) CHECK(row.at("inputs") == "b=16");
  const auto watched = lines_of(sleepers(scratch, "export FORETASK_PROGRESS=json FORETASK_PARAMS='b=16\nn=60';"));
  REQUIRE(watched.size() >= 2);
  CHECK(watched[watched.size() - 2].at("foretask_progress") == "predicted");
}

TEST_CASE("on a terminal the line is no longer than that is wide, and ends where it began") {
  const Scratch scratch;
  if (std::system("command -v script >/dev/null 2>&1") != 0) FORETASK_SKIP("there is no script(1) to give a terminal");
  static_cast<void>(sleepers(scratch, "export FORETASK_PROGRESS=quiet;"));
  for (const std::size_t width : {40, 80}) {
    const std::string program = "stty cols " + std::to_string(width) + "; exec " +
                                cli_test::quoted(example("sleepers")) + " -s flat -n 60 -m 20000 -t 2";
    const Outcome outcome = cli_test::run(scratch, {"timeout", "-k", "5", "60", "script", "-qec", program, "/dev/null"},
                                          kFollowed + "export FORETASK_PROGRESS=1;");
    INFO(outcome.out);
    std::size_t redrawn = 0;
    std::istringstream in(outcome.out);
    for (std::string part; std::getline(in, part, '\r');) {
      if (part.find(" left") == std::string::npos && part.find(" tasks") == std::string::npos) continue;
      ++redrawn;
      const std::string line = part.substr(0, part.find("\x1b[K"));
      CHECK(line.rfind("foretask: ", 0) == 0);
      CHECK(line.size() < width);
      CHECK(part.ends_with("\x1b[K"));
    }
    CHECK(redrawn >= 1);
  }
}
