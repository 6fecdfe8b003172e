// SPDX-License-Identifier: Apache-2.0
// Programs of several processes, such as shell scripts: a recording each, DIR, DIR.2, ..., and one report. Counts of
// tasks are made by hand: fib N makes 2 (F(N + 1) - 1), which is 176 for 10, 286 for 11, 464 for 12 and 1972 for 15.
#include <sys/stat.h>

#include <set>

#include "integration/own_runtimes.hpp"

using namespace record_test;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr const char* kTwoThreads = "export OMP_NUM_THREADS=2;";

bool has_program(const std::string& name) { return cli_test::fs::exists(program(name)); }

// Writes scratch/workflow, which bash runs: it says at its end what was recorded, which dash cannot.
void write_workflow(const Scratch& scratch, const std::string& lines) {
  std::ofstream(scratch / "workflow") << "#!/bin/bash\n" << lines;
  ::chmod((scratch / "workflow").c_str(), 0755);
}

Outcome record_workflow(const Scratch& scratch, const std::string& lines,
                        const std::vector<std::string>& options = {}) {
  write_workflow(scratch, lines);
  std::vector<std::string> words{"record", "--out", "run"};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"--", "./workflow"});
  return cli_test::foretask(scratch, words, kTwoThreads);
}

json report_of_process(const Scratch& scratch, const std::string& process) {
  const Outcome report = cli_test::foretask(scratch, {"report", "run", "--process", process, "--json"});
  INFO(report.err);
  REQUIRE(report.exit_code == 0);
  return json::parse(report.out);
}

std::int64_t tasks_of_process(const Scratch& scratch, const std::string& process) {
  return report_of_process(scratch, process).at("tasks");
}

// The report in words, its lines joined.
std::string words_of(const Scratch& scratch, std::vector<std::string> options = {}) {
  options.insert(options.begin(), {"report", "run"});
  std::string text = cli_test::foretask(scratch, options).out;
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

int folders_of(const Scratch& scratch) {
  int count = 0;
  for (const auto& entry : cli_test::fs::directory_iterator(scratch.path()))
    count += entry.path().filename().string().starts_with("run") ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("a workflow of seven processes is one report") {
  const bool has_gcc = has_program("gcc_fib");
  const bool has_tbb = has_program("tbb_tasks");
  const std::string gcc_fib = quoted(program(has_gcc ? "gcc_fib" : "fib"));
  const std::string fib = quoted(program("fib"));
  const Scratch scratch;
  const Outcome outcome = record_workflow(
      scratch, "set -e\n" + fib + " 10\n" + gcc_fib + " 11\ncat /dev/null\n" + gcc_fib +
                   " 12\ncd /\nexport OMP_NUM_THREADS=1\n" + fib + " 15\n" +
                   (has_tbb ? quoted(program("tbb_tasks")) + " fib 2" : fib + " 15") +
                   "\nenv -u FORETASK_OUT -u FORETASK true\n" + gcc_fib + " 15\nnohup " + fib + " 12\n");
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK_THAT(outcome.out, ContainsSubstring("fib(10) = 55\n") && ContainsSubstring("fib(11) = 89\n"));
  CHECK_THAT(outcome.err, ContainsSubstring("foretask: 7 processes are recorded. ") && !ContainsSubstring("warning"));
  CHECK(folders_of(scratch) == 7);
  const std::vector<std::int64_t> expected{176, 286, 464, 1972, 1972, 1972, 464};
  for (std::size_t i = 0; i < expected.size(); ++i)
    CHECK(tasks_of_process(scratch, std::to_string(i + 1)) == expected[i]);

  const json report = report_of(scratch, "run");
  const json processes = report.at("processes");
  CHECK(processes.at("left_out") == 0);
  REQUIRE(processes.at("list").size() == 7);
  std::int64_t cpu_ns = 0;
  std::int64_t most_ns = 0;
  std::int64_t last_start = 0;
  std::int64_t last_end = 0;
  std::int64_t ran_ns = 0;
  std::string largest;
  for (std::size_t i = 0; i < 7; ++i) {
    const json& one = processes.at("list")[i];
    CHECK(one.at("process") == std::to_string(i + 1));
    CHECK(one.at("ended") == true);
    const auto used = one.at("cpu_ns").get<std::int64_t>();
    const auto start = one.at("start_ns").get<std::int64_t>();
    cpu_ns += used;
    if (used > most_ns) largest = one.at("process");
    most_ns = std::max(most_ns, used);
    // One after the other, to the kernel's tick: it says a process's start up to 10 ms early.
    CHECK(start >= last_start - 1'000'000);
    last_start = start;
    last_end = std::max(last_end, start + one.at("elapsed_ns").get<std::int64_t>());
    ran_ns += one.at("elapsed_ns").get<std::int64_t>();
  }
  CHECK(processes.at("cpu_ns") == cpu_ns);
  CHECK(processes.at("shown") == largest);
  CHECK(report.at("tasks") == expected[static_cast<std::size_t>(std::stoi(largest) - 1)]);
  CHECK(processes.at("elapsed_ns") == last_end);
  CHECK(processes.at("idle_ns") >= last_end - ran_ns);
  CHECK(processes.at("idle_ns") <=
        last_end - ran_ns + 7 * 30'000'000);  // starts that are early, ends that are estimates

  const std::string text = words_of(scratch);
  CHECK(text.starts_with("7 processes were recorded."));
  CHECK_THAT(text, ContainsSubstring("What follows is about process " + largest + " alone"));
  CHECK_THAT(cli_test::foretask(scratch, {"report", "run", "--process", "8"}).err,
             ContainsSubstring("has no process 8"));
  // Other commands take the folder that they are given, and say so.
  const Outcome replay = cli_test::foretask(scratch, {"simulate", "run", "--cores", "2", "--json"});
  CHECK(json::parse(replay.out).at("tasks") == 176);
  CHECK_THAT(replay.err, ContainsSubstring("run is one of 7 processes"));
  CHECK(json::parse(cli_test::foretask(scratch, {"report", "run.3", "--json"}).out).at("processes").is_null());
}

TEST_CASE("processes that run at once have a recording each, and those that use no runtime none") {
  const Scratch scratch;
  const std::string fib = quoted(program("fib"));
  const Outcome outcome = record_workflow(
      scratch, "for n in 10 11 12 15 10 11 12 15; do " + fib + " $n & done\nwait\n" + quoted(program("plain")) + "\n");
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK(folders_of(scratch) == 8);
  std::multiset<std::int64_t> counts;
  for (int i = 1; i <= 8; ++i) counts.insert(tasks_of_process(scratch, std::to_string(i)));
  CHECK(counts == std::multiset<std::int64_t>{176, 176, 286, 286, 464, 464, 1972, 1972});
}

TEST_CASE("a launch records no more processes than wanted, and counts the others") {
  const Scratch scratch;
  const Outcome outcome =
      record_workflow(scratch, "for i in {1..40}; do " + quoted(program("fib")) + " 10; done\n", {"--processes", "3"});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK(folders_of(scratch) == 3);
  CHECK_THAT(outcome.err, ContainsSubstring("foretask: 3 processes are recorded, and 37 more not (--processes 3)"));
  CHECK(report_of(scratch, "run").at("processes").at("left_out") == 37);
  CHECK_THAT(words_of(scratch),
             ContainsSubstring("37 later processes were not recorded: 3 is the most (--processes)."));
}

TEST_CASE("an earlier launch's processes are neither overwritten nor reported") {
  const Scratch scratch;
  const std::string fib = quoted(program("fib"));
  REQUIRE(record_workflow(scratch, fib + " 10\n" + fib + " 11\n").exit_code == 0);
  cli_test::fs::remove_all(scratch / "run");
  const Outcome refused = record_workflow(scratch, fib + " 12\n");
  CHECK(refused.exit_code == 1);
  CHECK_THAT(refused.err, ContainsSubstring("run.2: is there already, of an earlier recording into run"));
  // A recording of its own that has such a name is passed by.
  cli_test::fs::remove_all(scratch / "run.2");
  REQUIRE(cli_test::foretask(scratch, {"record", "--out", "run.2", "--", program("fib"), "10"}).exit_code == 0);
  REQUIRE(record_workflow(scratch, fib + " 11\n" + fib + " 12\n").exit_code == 0);
  const json processes = report_of(scratch, "run").at("processes").at("list");
  REQUIRE(processes.size() == 2);
  CHECK(processes[1].at("process") == "3");
  CHECK(tasks_of_process(scratch, "3") == 464);
  CHECK(report_of(scratch, "run.2").at("tasks") == 176);
}

TEST_CASE("a process that is killed is in the table, with the time to its last event") {
  const Scratch scratch;
  const Outcome outcome =
      record_workflow(scratch, quoted(program("fib")) + " 10\n" + quoted(program("fib")) +
                                   " 40 & until [ -e run.2/run.json ]; do sleep 0.05; done; sleep 0.3; kill -9 $!\n");
  INFO(outcome.err);
  const json list = report_of(scratch, "run").at("processes").at("list");
  REQUIRE(list.size() == 2);
  CHECK(list[0].at("ended") == true);
  CHECK(list[1].at("ended") == false);
  CHECK(list[1].at("cpu_ns").is_null());
  CHECK(list[1].at("elapsed_ns") > 50'000'000);
  CHECK_THAT(words_of(scratch, {"--process", "1"}), ContainsSubstring("The end of 1 process was not seen"));
}

TEST_CASE("foretask within a launch records into it") {
  const Scratch scratch;
  const std::string fib = quoted(program("fib"));
  const Outcome outcome =
      record_workflow(scratch, fib + " 10\n" + cli_test::kForetask + " record -- " + fib + " 11\n" +
                                   cli_test::kForetask + " record --out other -- " + fib + " 12\n" + fib + " 15\n");
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK(report_of(scratch, "run").at("processes").at("list").size() == 3);
  CHECK(tasks_of_process(scratch, "2") == 286);
  CHECK(tasks_of_process(scratch, "3") == 1972);
  CHECK(report_of(scratch, "other").at("tasks") == 464);
  CHECK(report_of(scratch, "other").at("processes").is_null());
}

TEST_CASE("ranks that are several processes each have a recording for each of these") {
  const Scratch scratch;
  const std::string fib = quoted(program("fib"));
  write_workflow(scratch, fib + " 10\n" + fib + " 11\n");
  // As Open MPI's mpirun starts them.
  const auto rank = [](int number) {
    return "OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=" + std::to_string(number) + " ./workflow";
  };
  const Outcome outcome = cli_test::foretask(
      scratch, {"record", "--out", "run", "--", "bash", "-c", rank(0) + " & " + rank(1) + "; wait; " + fib + " 12"},
      kTwoThreads);
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  std::vector<std::string> names;
  const json report = report_of(scratch, "run");
  for (const json& one : report.at("processes").at("list")) names.push_back(one.at("process"));
  CHECK(names == std::vector<std::string>{"1", "rank0", "rank0.2", "rank1", "rank1.2"});
  CHECK(tasks_of_process(scratch, "1") == 464);
  CHECK(tasks_of_process(scratch, "rank1") == 176);
  CHECK(tasks_of_process(scratch, "rank1.2") == 286);
  CHECK(report_of(scratch, "run.rank0").at("processes").at("list").size() == 2);
}
