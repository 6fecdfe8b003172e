// SPDX-License-Identifier: Apache-2.0
// --baseline: the program runs again without the recorder, on its own runtime, and the report says both times.
#include <signal.h>
#include <algorithm>

#include <chrono>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "integration/cli_command.hpp"

using namespace cli_test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using nlohmann::json;

namespace {

const std::string kGcc = FORETASK_GCC;
const std::string kClang = FORETASK_CLANG;

// Each run adds a line to the file `runs`: the runtime that the program found itself on, FORETASK, the number of
// threads, its arguments and what it read.
const char* const kProgram = R"(#include <dlfcn.h>
#include <omp.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <string>
int main(int argc, char** argv) {
  const char* const found = std::getenv("FORETASK");
  const std::string mode = found ? found : "-";  // the recorder gives the user's back
  int tasks = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 10; ++i) {
#pragma omp task shared(tasks)
    {
#pragma omp atomic
      ++tasks;
    }
  }
  usleep(50000);
  std::FILE* const runs = std::fopen("runs", "a");
  std::fprintf(runs, "%s %s %d", dlsym(RTLD_DEFAULT, "__kmpc_fork_call") ? "libomp" : "libgomp", mode.c_str(),
               omp_get_max_threads());
  for (int i = 1; i < argc; ++i) std::fprintf(runs, " [%s]", argv[i]);
  for (int c = std::getchar(); c > ' '; c = std::getchar()) std::fputc(c, runs);
  std::fputc('\n', runs);
  std::fclose(runs);
  std::printf("%d tasks\n", tasks);
  return argc > 1 ? std::atoi(argv[1]) : 0;
})";

bool build(const Scratch& scratch, const std::string& compiler) {
  return !compiler.empty() && compile(scratch, compiler, "app", kProgram, {"-fopenmp", "-ldl"});
}

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  std::istringstream in(contents(path));
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string report_text(const Scratch& scratch) { return foretask(scratch, {"report", "run"}).out; }

json baseline_of(const Scratch& scratch, const std::string& run = "run") {
  const Outcome outcome = foretask(scratch, {"report", run, "--json"});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  return json::parse(outcome.out).at("baseline");
}

// The program sleeps for 50 ms.
void check_run(const json& run, const std::string& runtime, int exit_code) {
  INFO(run.dump());
  CHECK(run.at("runtime") == runtime);
  CHECK(run.at("exit_code") == exit_code);
  CHECK(run.at("signal") == 0);
  CHECK(run.at("elapsed_ns").get<std::int64_t>() >= 50'000'000);
  CHECK(run.at("elapsed_ns").get<std::int64_t>() < 20'000'000'000);
}

// A shell that runs the program, and in its unrecorded run does something else.
std::vector<std::string> record_script(const std::string& when_unrecorded) {
  return {"record", "--out", "run", "--baseline",
          "--",     "sh",    "-c",  "if [ -e seen ]; then " + when_unrecorded + "; fi; touch seen; ./app"};
}

}  // namespace

TEST_CASE("a recorded program runs unrecorded once, directly after") {
  const auto& [compiler, runtime] = GENERATE(table<std::string, std::string>({{kClang, "libomp"}, {kGcc, "libgomp"}}));
  const Scratch scratch;
  if (!build(scratch, compiler)) FORETASK_SKIP("no such compiler with OpenMP");
  const Outcome outcome =
      foretask(scratch, {"record", "--out", "run", "--baseline", "./app", "7", "a b"}, "export OMP_NUM_THREADS=2;");
  INFO(outcome.err);
  CHECK(outcome.exit_code == 7);
  CHECK(outcome.out == "10 tasks\n");
  CHECK(lines_of(scratch / "runs") ==
        std::vector<std::string>{runtime + " record 2 [7] [a b]", runtime + " - 2 [7] [a b]"});
  const json baseline = baseline_of(scratch);
  check_run(baseline, runtime, 7);
  check_run(baseline.at("recorded"), runtime, 7);
  std::string text = report_text(scratch);
  std::ranges::replace(text, '\n', ' ');  // where a line ends depends on the times in it
  CHECK_THAT(text, ContainsSubstring(" Unrecorded, the program took ") && ContainsSubstring("; recorded, ") &&
                       ContainsSubstring("The figures here are of the recorded run."));
  CHECK_THAT(outcome.err, ContainsSubstring("foretask: Unrecorded, the program took "));
}

TEST_CASE("without --baseline the program runs once, and there is none") {
  const Scratch scratch;
  if (!build(scratch, kClang)) FORETASK_SKIP("no Clang with OpenMP");
  REQUIRE(foretask(scratch, {"record", "--out", "run", "./app"}).exit_code == 0);
  CHECK(lines_of(scratch / "runs").size() == 1);
  CHECK(baseline_of(scratch).is_null());
  CHECK(report_text(scratch).find("nrecorded") == std::string::npos);
}

TEST_CASE("an unrecorded run that fails is said, and the recording stays as it is") {
  const Scratch scratch;
  if (!build(scratch, kClang)) FORETASK_SKIP("no Clang with OpenMP");
  const Outcome exits = foretask(scratch, record_script("exit 4"));
  INFO(exits.err);
  CHECK(exits.exit_code == 0);
  const char* const said =
      "Unrecorded, the program ended with exit code 4; recorded, it ended with exit code 0. So their times cannot be "
      "compared.";
  CHECK_THAT(exits.err, ContainsSubstring(said));
  CHECK(baseline_of(scratch).at("exit_code") == 4);
  CHECK_THAT(report_text(scratch), ContainsSubstring("Unrecorded, the program ended with exit code 4"));

  fs::remove_all(scratch / "run");
  fs::remove(scratch / "seen");
  const Outcome killed = foretask(scratch, record_script("kill -SEGV $$"), "ulimit -c 0;");
  CHECK(killed.exit_code == 0);
  CHECK(baseline_of(scratch).at("signal") == SIGSEGV);
  CHECK_THAT(killed.err, ContainsSubstring("was killed by signal 11"));
}

TEST_CASE("a program that leaves no recording runs once") {
  const Scratch scratch;
  const Outcome outcome = foretask(scratch, {"record", "--baseline", "--", "sh", "-c", "echo >>runs; exit 5"});
  CHECK(outcome.exit_code == 5);
  CHECK(lines_of(scratch / "runs").size() == 1);
  const Outcome killed = foretask(scratch, {"record", "--baseline", "--", "sh", "-c", "echo >>runs; kill -TERM $$"});
  CHECK(killed.signal == SIGTERM);
  CHECK(lines_of(scratch / "runs").size() == 2);
}

TEST_CASE("every run reads standard input from the same place, where it is a file") {
  const Scratch scratch;
  if (!build(scratch, kClang)) FORETASK_SKIP("no Clang with OpenMP");
  std::ofstream(scratch / "input") << "first\nword\n";
  REQUIRE(
      run(scratch, {"sh", "-c", "(read line; exec " + quoted(kForetask) + " record --out run --baseline ./app) <input"})
          .exit_code == 0);
  const auto runs = lines_of(scratch / "runs");
  REQUIRE(runs.size() == 2);
  for (const std::string& one : runs) CHECK_THAT(one, Catch::Matchers::EndsWith("word"));
  fs::remove_all(scratch / "run");
  const Outcome piped =
      run(scratch, {"sh", "-c", "echo word | " + quoted(kForetask) + " record --out run --baseline ./app"});
  CHECK(piped.exit_code == 0);
  CHECK_THAT(piped.err, ContainsSubstring("warning: standard input is a pipe"));
  CHECK_THAT(lines_of(scratch / "runs").at(2), Catch::Matchers::EndsWith("word"));  // the recorded one
}

TEST_CASE("Ctrl-C in the unrecorded run ends foretask by that signal, and leaves the recording without a baseline") {
  const Scratch scratch;
  if (!build(scratch, kClang)) FORETASK_SKIP("no Clang with OpenMP");
  std::vector<std::string> words = record_script("touch waits; exec sleep 60");
  words.insert(words.begin(), kForetask);
  const pid_t child = ::fork();
  if (child == 0) {
    ::setpgid(0, 0);
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
  ::kill(child, SIGINT);
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(outcome_of(status, scratch).signal == SIGINT);
  CHECK(baseline_of(scratch).is_null());
}

TEST_CASE("a rank that mpirun started refuses to run twice") {
  const Scratch scratch;
  const Outcome outcome = foretask(scratch, {"record", "--baseline", "--", "touch", "ran"},
                                   "export OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2;");
  CHECK(outcome.exit_code == 2);
  CHECK_THAT(outcome.err, ContainsSubstring("foretask record --baseline -- mpirun"));
  CHECK_FALSE(fs::exists(scratch / "ran"));
}

TEST_CASE("with groups of counters the unrecorded runs come last, and belong to the first recording") {
  const Scratch scratch;
  if (!build(scratch, kClang)) FORETASK_SKIP("no Clang with OpenMP");
  const Outcome outcome =
      foretask(scratch, {"record", "--out", "run", "--baseline", "--counters", "PAPI_TOT_INS;PAPI_TOT_CYC", "./app"},
               "export OMP_NUM_THREADS=1;");
  INFO(outcome.err);
  CHECK(outcome.exit_code == 0);
  CHECK(lines_of(scratch / "runs") == std::vector<std::string>{"libomp record 1", "libomp record 1", "libomp - 1"});
  check_run(baseline_of(scratch), "libomp", 0);
  CHECK(baseline_of(scratch, "run.2").is_null());
}

TEST_CASE("each run of a campaign has its unrecorded run") {
  const Scratch scratch;
  if (!build(scratch, kGcc)) FORETASK_SKIP("no GCC with OpenMP");
  const std::vector<std::string> words{"sweep", "--set",    "n=10,20", "--set", "code=0", "--cores",
                                       "1,2",   "--repeat", "1",       "--out", "camp",   "--baseline",
                                       "--",    "./app",    "{code}",  "{n}"};
  const Outcome outcome = foretask(scratch, words);
  INFO(outcome.out << outcome.err);
  REQUIRE(outcome.exit_code == 0);
  const auto runs = lines_of(scratch / "runs");
  CHECK(runs == std::vector<std::string>{"libgomp record 1 [0] [10]", "libgomp - 1 [0] [10]",
                                         "libgomp record 1 [0] [20]", "libgomp - 1 [0] [20]",
                                         "libgomp record 2 [0] [10]", "libgomp - 2 [0] [10]",
                                         "libgomp record 2 [0] [20]", "libgomp - 2 [0] [20]"});
  const auto table = lines_of(scratch / "camp/table.csv");
  REQUIRE(table.size() == 5);
  CHECK_THAT(table[0], StartsWith("n,p,create_task,") && Catch::Matchers::EndsWith(",program,machine,run,baseline"));
  const json first = baseline_of(scratch, "camp/n=10,code=0,p=1,1");
  check_run(first, "libgomp", 0);
  CHECK(table[1].substr(table[1].rfind(',') + 1) == first.at("elapsed_ns").dump());
  CHECK_THAT(outcome.out, ContainsSubstring("no work  unrecorded\n"));
  // All are there, and none runs again.
  std::vector<std::string> as_json = words;
  as_json.insert(as_json.begin() + 1, "--json");
  const Outcome again = foretask(scratch, as_json);
  REQUIRE(again.exit_code == 0);
  CHECK(lines_of(scratch / "runs").size() == 8);
  for (const json& row : json::parse(again.out).at("tables").at(0).at("rows"))
    CHECK(row.at("baseline_ns").get<double>() >= 50e6);
}

TEST_CASE("a campaign keeps a run whose unrecorded run fails, and says so") {
  const Scratch scratch;
  if (!build(scratch, kClang)) FORETASK_SKIP("no Clang with OpenMP");
  const Outcome outcome =
      foretask(scratch, {"sweep", "--set", "n=10", "--cores", "1,2", "--repeat", "1", "--out", "camp", "--baseline",
                         "--", "sh", "-c", "if [ -e seen ]; then rm seen; exit 4; fi; touch seen; exec ./app 0 {n}"});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.exit_code == 0);
  CHECK_THAT(outcome.err, ContainsSubstring("n=10,p=1,1: Unrecorded, the program ended with exit code 4"));
  CHECK(lines_of(scratch / "camp/table.csv").at(0).find("baseline") == std::string::npos);
}
