// SPDX-License-Identifier: Apache-2.0
// whatif --grain and --depth: recorded programs as they would be with fewer tasks.
#include <map>

#include "integration/recorded.hpp"

using namespace record_test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

namespace {

json answer_of(const Scratch& scratch, std::vector<std::string> words) {
  words.insert(words.begin(), "whatif");
  words.emplace_back("--json");
  const Outcome outcome = cli_test::foretask(scratch, words);
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  return json::parse(outcome.out);
}

}  // namespace

TEST_CASE("fib(20) has as many tasks as its tree has calls down to a depth") {
  for_each_runtime({1, 2}, [](const Settings& settings) {
    const Scratch scratch;
    const Recorded recorded = record(scratch, "fib", {"20"}, settings);
    const json answer = answer_of(scratch, {recorded.folder, "--depth", "0-3,10,20", "--cores", "1,2"});
    CHECK(answer.at("tasks") == 2 * 10945);
    std::map<int, std::int64_t> tasks;
    for (const json& row : answer.at("rows")) tasks[row.at("depth")] = row.at("tasks");
    // Each of a level's calls makes two, as long as the smallest argument allows: 20 - 2 * 9 is 2.
    CHECK(tasks == std::map<int, std::int64_t>{{0, 0}, {1, 2}, {2, 6}, {3, 14}, {10, 2046}, {20, 2 * 10945}});
    CHECK(answer.at("rows").size() == 6 * 2);
    CHECK(answer.at("best").size() == 2);
    CHECK(answer.at("as_it_is").size() == 2);
    // Nothing became a call: the same replay.
    for (const json& row : answer.at("rows"))
      if (row.at("depth") == 20) CHECK(row.at("makespan_ns") == row.at("base_ns"));
  });
}

TEST_CASE("fewer tasks make fib(20) faster, and whatif says which") {
  const Scratch scratch;
  const Recorded recorded = record(scratch, "fib", {"20"});
  const json answer = answer_of(scratch, {recorded.folder, "--grain", "auto", "--cores", "2"});
  REQUIRE(answer.at("rows").size() > 2);
  std::int64_t fastest = answer.at("as_it_is")[0].at("makespan_ns");
  std::int64_t before = answer.at("tasks");
  for (const json& row : answer.at("rows")) {
    CHECK(row.at("tasks") < before);
    before = row.at("tasks");
    fastest = std::min(fastest, row.at("makespan_ns").get<std::int64_t>());
  }
  CHECK(answer.at("best")[0].at("makespan_ns") == fastest);
  CHECK(fastest < answer.at("as_it_is")[0].at("makespan_ns"));
  const Outcome text = cli_test::foretask(scratch, {"whatif", recorded.folder, "--grain", "auto", "--cores", "2"});
  CHECK_THAT(text.out, StartsWith("On 2 cores create no task below ") && ContainsSubstring("as it is"));
}

TEST_CASE("only tasks of the kernel named become calls") {
  const Scratch scratch;
  const Recorded recorded = record(scratch, "fib", {"12"});
  const std::string left = "fib.c:" + std::to_string(line_of("fib.c", "left"));
  const json answer = answer_of(scratch, {recorded.folder, "--depth", "0", "--cores", "2", "--kernel", left});
  // The right ones that no left one is above: 12, 10, 8, 6, 4, 2, each of which makes one.
  CHECK(answer.at("rows")[0].at("tasks") == 6);
}

TEST_CASE("a task that depends on one that is left waits for it as a task") {
  for_each_runtime({2}, [](const Settings& settings) {
    const Scratch scratch;
    const Recorded recorded = record(scratch, "depend", {}, settings);
    const Outcome text = cli_test::foretask(
        scratch, {"whatif", recorded.folder, "--grain", "1us,10us,100us,1ms,10ms,100ms", "--cores", "2"});
    CHECK(text.exit_code == 0);
    CHECK_THAT(text.out, ContainsSubstring("as it is"));
  });
}

TEST_CASE("a detached task is left, and the answer says why") {
  for_each_runtime({2}, [](const Settings& settings) {
    const Scratch scratch;
    const Recorded recorded = record(scratch, "detach", {"late"}, settings);
    const json answer = answer_of(scratch, {recorded.folder, "--depth", "0", "--cores", "2"});
    CHECK(answer.at("rows")[0].at("whole") == 1);
    CHECK(answer.at("rows")[0].at("waiting") == 1);  // its successor
    CHECK(answer.at("rows")[0].at("tasks") == 2);
    const Outcome text = cli_test::foretask(scratch, {"whatif", recorded.folder, "--depth", "0", "--cores", "2"});
    CHECK_THAT(text.out, ContainsSubstring("up to 1 stays a task: they detach"));
  });
}
