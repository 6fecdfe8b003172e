// SPDX-License-Identifier: Apache-2.0
// Loop programs through the command line: what is said of them, and what replays make of them.
#include "integration/recorded.hpp"

using namespace record_test;

namespace {

json simulated(const Scratch& scratch, const Recorded& recorded, const std::string& cores) {
  const Outcome outcome =
      cli_test::foretask(scratch, {"simulate", recorded.folder, "--cores", cores, "--policy", "ready-fifo", "--json"});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  return json::parse(outcome.out);
}

}  // namespace

TEST_CASE("loops that one thread ran are divided among more") {
  // Static loops as well, which GCC divides without a word.
  for_each_libomp({1}, [](const Settings& settings) {
    const Scratch scratch;
    const Recorded recorded = record(scratch, "worksharing", {}, settings);
    const json replay = simulated(scratch, recorded, "1,2,8");
    const auto at = [&replay](std::size_t i) { return replay.at("runs")[i].at("makespan_ns").get<double>(); };
    // 28 ms: three loops of eight iterations of 1 ms, sections of twice 1 ms, and twice 1 ms of one thread. On two
    // threads that is 12 and 1 and 2 ms at best, on eight 3 and 1 and 1.
    CHECK(at(1) <= at(0) - 10e6);
    CHECK(at(2) <= at(0) - 18e6);
    CHECK(at(2) >= 3e6);
    const Outcome text = cli_test::foretask(scratch, {"report", recorded.folder});
    CHECK_THAT(text.out, !Catch::Matchers::ContainsSubstring("cannot make the run faster"));
    CHECK_THAT(text.out, Catch::Matchers::ContainsSubstring("evenly"));
  });
}

TEST_CASE("an exported replay of loops is as long as the simulated one") {
  for_each_runtime({2}, [](const Settings& settings) {
    const Scratch scratch;
    const Recorded recorded = record(scratch, "worksharing", {}, settings);
    const json replay = simulated(scratch, recorded, "4");
    const Outcome outcome = cli_test::foretask(
        scratch, {"export", recorded.folder, "--format", "csv", "--cores", "4", "--policy", "ready-fifo"});
    INFO(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    std::istringstream lines(outcome.out);
    std::string line;
    std::getline(lines, line);
    REQUIRE(line == "task,kernel,worker,begin_ns,end_ns,duration_ns");
    std::int64_t last_ns = 0;
    while (std::getline(lines, line)) {
      // The kernel's name has commas in none of the programs.
      std::istringstream fields(line);
      std::string field;
      for (int i = 0; i < 5; ++i) std::getline(fields, field, ',');
      if (!field.empty()) last_ns = std::max<std::int64_t>(last_ns, std::stoll(field));
    }
    CHECK(last_ns == replay.at("runs")[0].at("makespan_ns").get<std::int64_t>());
  });
}

TEST_CASE("a recording's task-graph file divides its loops as the recording does") {
  for_each_runtime({2}, [](const Settings& settings) {
    const Scratch scratch;
    const Recorded recorded = record(scratch, "worksharing", {}, settings);
    const Outcome outcome =
        cli_test::foretask(scratch, {"export", recorded.folder, "--format", "graph", "-o", scratch / "graph.jsonl"});
    INFO(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    const auto replayed = [&scratch](const std::string& input) {
      const Outcome replay =
          cli_test::foretask(scratch, {"simulate", input, "--cores", "1-8", "--policy", "critical-path", "--json"});
      INFO(replay.err);
      REQUIRE(replay.exit_code == 0);
      return json::parse(replay.out);
    };
    const json run = replayed(recorded.folder);
    const json file = replayed(scratch / "graph.jsonl");
    CHECK(file.at("runs") == run.at("runs"));
    CHECK(file.at("span_ns") == run.at("span_ns"));
  });
}

TEST_CASE("the pieces of a recorded loop are exported") {
  // GCC's sections are handed out as dynamic,1 as well.
  for_each_libomp({2}, [](const Settings& settings) {
    const Scratch scratch;
    const Recorded recorded = record(scratch, "worksharing", {}, settings);
    const auto exported = [&](const std::string& format) {
      const Outcome outcome = cli_test::foretask(scratch, {"export", recorded.folder, "--format", format});
      INFO(outcome.err);
      REQUIRE(outcome.exit_code == 0);
      return outcome.out;
    };
    // The program's dynamic loop: eight iterations, whichever thread took them.
    std::istringstream rows(exported("loops-csv"));
    std::string row;
    std::getline(rows, row);
    CHECK(row == "loop,name,schedule,iterations,thread,worker,first,last,piece_iterations,begin_ns,end_ns");
    int iterations = 0;
    while (std::getline(rows, row)) {
      const std::size_t at = row.find("\"dynamic,1\"");
      if (at == std::string::npos) continue;
      std::vector<std::int64_t> numbers;  // iterations, thread, worker, first, last, iterations, begin, end
      std::istringstream fields(row.substr(row.find(',', at + 10) + 1));
      for (std::string field; std::getline(fields, field, ',');) numbers.push_back(std::stoll(field));
      REQUIRE(numbers.size() == 8);
      CHECK(numbers[0] == 8);
      CHECK(numbers[3] <= numbers[4]);
      CHECK(numbers[5] <= numbers[4] - numbers[3] + 1);  // also where a thread took chunks of another's half
      CHECK(numbers[6] <= numbers[7]);
      iterations += static_cast<int>(numbers[5]);
    }
    CHECK(iterations == 8);

    // Pieces lie within the slice of their share.
    double end = 0;
    const json trace = json::parse(exported("perfetto"));
    for (const json& event : trace.at("traceEvents")) {
      if (event.at("ph") != "X") continue;
      const double begin = event.at("ts").get<double>();
      const bool is_piece = event.at("name").get<std::string>().rfind("iteration", 0) == 0;
      if (is_piece) CHECK(begin + event.at("dur").get<double>() <= end + 0.0005);
      if (!is_piece) end = begin + event.at("dur").get<double>();
    }
  });
}

TEST_CASE("loops-csv of what was not recorded says why not") {
  const Scratch scratch;
  std::ofstream(scratch / "graph.jsonl") << "{\"foretask_graph\": 1, \"time_unit\": \"us\"}\n"
                                            "{\"id\": 0, \"duration\": 800, \"loop\": {\"iterations\": 1000}}\n";
  const std::string file = scratch / "graph.jsonl";
  Outcome outcome = cli_test::foretask(scratch, {"export", file, "--format", "loops-csv"});
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.err, Catch::Matchers::ContainsSubstring("loops-csv needs a recorded run"));
  outcome = cli_test::foretask(scratch, {"export", file, "--format", "loops-csv", "--cores", "2"});
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.err, Catch::Matchers::ContainsSubstring("leave out --cores"));
  // 200 us each.
  outcome = cli_test::foretask(scratch, {"simulate", file, "--cores", "4", "--json"});
  CHECK(json::parse(outcome.out).at("runs")[0].at("makespan_ns") == 200'000);
}

TEST_CASE("whatif --schedules names the schedule that deals a loop out best") {
  for_each_runtime({2}, [](const Settings& settings) {
    const Scratch scratch;
    const Recorded recorded = record(scratch, "worksharing", {}, settings);
    const Outcome outcome = cli_test::foretask(
        scratch, {"whatif", recorded.folder, "--schedules", "--cores", "2,4", "--policy", "ready-fifo", "--json"});
    INFO(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    const json answer = json::parse(outcome.out);
    REQUIRE(answer.at("loops").size() >= 2);  // of GCC's the static one is not seen
    REQUIRE(answer.at("schedules").size() == 2 * answer.at("loops").size());
    CHECK(answer.at("together").size() == 2);
    for (const json& row : answer.at("schedules")) {
      // Its time is what simulate --schedule says.
      const Outcome simulated = cli_test::foretask(
          scratch, {"simulate", recorded.folder, "--cores", row.at("cores").dump(), "--policy", "ready-fifo", "--json",
                    "--schedule", row.at("loop").get<std::string>() + "=" + row.at("best").get<std::string>()});
      REQUIRE(simulated.exit_code == 0);
      if (row.at("best") != row.at("schedule"))
        CHECK(row.at("makespan_ns") == json::parse(simulated.out).at("runs")[0].at("makespan_ns"));
      // No other schedule is 1 % faster.
      std::int64_t best_ns = 0;
      std::int64_t fastest_ns = row.at("tried")[0].at("loop_ns").get<std::int64_t>();
      for (const json& one : row.at("tried")) {
        fastest_ns = std::min(fastest_ns, one.at("loop_ns").get<std::int64_t>());
        if (one.at("schedule") == row.at("best")) best_ns = one.at("loop_ns").get<std::int64_t>();
      }
      CHECK(static_cast<double>(best_ns) <= 1.01 * static_cast<double>(fastest_ns));
    }
    const Outcome text = cli_test::foretask(
        scratch, {"whatif", recorded.folder, "--schedules", "--cores", "2,4", "--policy", "ready-fifo"});
    CHECK_THAT(text.out, Catch::Matchers::ContainsSubstring("Handing out chunks costs nothing here"));
  });
}
