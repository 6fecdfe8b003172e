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
  for_each_runtime({1}, [](const Settings& settings) {
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
    CHECK_THAT(text.out, !Catch::Matchers::Contains("cannot make the run faster"));
    CHECK_THAT(text.out, Catch::Matchers::Contains("to divide evenly"));
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
    const Outcome text = cli_test::foretask(scratch, {"whatif", recorded.folder, "--schedules", "--cores", "2,4"});
    CHECK_THAT(text.out, Catch::Matchers::Contains("Handing out chunks costs nothing here"));
  });
}
