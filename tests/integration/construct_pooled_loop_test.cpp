// SPDX-License-Identifier: Apache-2.0
// Recordings of a loop on several numbers of threads: together they know what none knows alone.
#include "integration/recorded.hpp"

using namespace record_test;
using Catch::Matchers::ContainsSubstring;

namespace {

void record_uneven(const Scratch& scratch, Settings settings, const std::string& folder, int threads,
                   const std::string& schedule = "static", const std::vector<std::string>& arguments = {}) {
  settings.folder = folder;
  settings.threads = threads;
  settings.environment = "OMP_SCHEDULE=" + schedule + " OMP_WAIT_POLICY=passive";
  const Outcome outcome = run_recorder(scratch, "uneven", arguments, settings);
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
}

Outcome asked(const Scratch& scratch, std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return cli_test::foretask(scratch, words);
}

Outcome simulated(const Scratch& scratch, const std::vector<std::string>& more) {
  return asked(scratch, {"simulate", "run", "--cores", "6", "--policy", "ready-fifo"}, more);
}

double makespan_ms(const Outcome& outcome) {
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  return 1e-6 * json::parse(outcome.out).at("runs")[0].at("makespan_ns").get<double>();
}

}  // namespace

TEST_CASE("a recording on three threads shows costly iterations that one on two does not") {
  for_each_runtime({2}, [](const Settings& settings) {
    const Scratch scratch;
    record_uneven(scratch, settings, "run", 2);
    record_uneven(scratch, settings, "run3", 3);
    // The costly sixth takes 40 ms; by the halves' slope no sixth takes 20.
    const double alone_ms = makespan_ms(simulated(scratch, {"--json"}));
    const Outcome pooled = simulated(scratch, {"--json", "--with", "run3"});
    CHECK(makespan_ms(pooled) > alone_ms + 15);
    CHECK(json::parse(pooled.out).at("with") ==
          json::parse(R"([{"run": "run3", "loops": 1, "matched": 1, "refined": 1}])"));
    CHECK_THAT(simulated(scratch, {"--with", "run3"}).out,
               ContainsSubstring("Costs of iterations also come from run3: 1 of 1 loop executions are in it too."));
    // On the recorded number of threads, and with the recording itself, nothing changes.
    CHECK(makespan_ms(simulated(scratch, {"--json", "--with", "run"})) == Approx(alone_ms));
    CHECK_THAT(simulated(scratch, {"--with", "run"}).out,
               ContainsSubstring("run shows nothing new of what iterations cost."));
    CHECK_FALSE(json::parse(simulated(scratch, {"--json"}).out).contains("with"));
  });
}

TEST_CASE("the report says that threads waited for costly iterations") {
  for_each_runtime({2}, [](const Settings& settings) {
    const Scratch scratch;
    record_uneven(scratch, settings, "run", 2);
    const json report = json::parse(asked(scratch, {"report", "run", "--json"}, {}).out);
    const json& loop = report.at("loops")[0];
    // 48 and 24 ms.
    const json& waits = loop.at("waits");
    CHECK(waits.at("costs_ns").get<double>() > 0.9 * loop.at("waited_ns").get<double>());
    CHECK(waits.at("numbers_ns") == 0);
    CHECK_THAT(asked(scratch, {"report", "run"}, {}).out, ContainsSubstring("Why threads waited for the slowest:"));
    // Its iterations sleep, which comes first; then, on idle cores, the wait of the quicker thread: 24 ms of some 100.
    const json& causes = report.at("causes");
    CHECK(causes[0].at("name") == "blocked");
    const auto imbalance =
        std::ranges::find_if(causes, [](const json& cause) { return cause.at("name") == "imbalance"; });
    REQUIRE(imbalance != causes.end());
    CHECK(imbalance->at("kernel") == loop.at("name"));
    CHECK_THAT(imbalance->at("text").get<std::string>(), ContainsSubstring("The loop's iterations cost unequally"));
  });
}

TEST_CASE("whatif --schedules is certain with a recording of iterations one by one") {
  for_each_runtime({2}, [](const Settings& settings) {
    const Scratch scratch;
    record_uneven(scratch, settings, "run", 2);
    record_uneven(scratch, settings, "run3", 3);
    record_uneven(scratch, settings, "chunks", 2, "dynamic,1");
    const std::vector<std::string> words{"whatif", "run", "--schedules", "--cores", "3", "--policy", "ready-fifo"};
    CHECK_THAT(asked(scratch, words, {}).out, ContainsSubstring("Not certain"));
    CHECK_THAT(asked(scratch, words, {"--with", "run3,chunks"}).out,
               !ContainsSubstring("Not certain") && ContainsSubstring("also come from run3: 1 of 1") &&
                   ContainsSubstring("also come from chunks: 1 of 1"));
    const json answer = json::parse(asked(scratch, words, {"--with", "run3", "--with", "chunks", "--json"}).out);
    CHECK(answer.at("with").size() == 2);
    CHECK(answer.at("schedules")[0].at("unseen") == 0);
    CHECK(answer.at("schedules")[0].at("schedule") == "static");
  });
}

TEST_CASE("recordings that do not go together are warned of or refused") {
  const Scratch scratch;
  record_uneven(scratch, {}, "run", 2);
  record_uneven(scratch, {}, "longer", 3, "static", {"more"});
  const Outcome longer = simulated(scratch, {"--json", "--with", "longer"});
  CHECK(makespan_ms(longer) == makespan_ms(simulated(scratch, {"--json"})));
  CHECK(json::parse(longer.out).at("with")[0].at("matched") == 0);
  CHECK_THAT(longer.err, ContainsSubstring("longer changes nothing"));
  CHECK_THAT(simulated(scratch, {"--with", "longer"}).out,
             ContainsSubstring("No costs of iterations come from longer"));

  CHECK_THAT(simulated(scratch, {"--with", "nowhere"}).err, ContainsSubstring("nowhere"));
  CHECK(simulated(scratch, {"--with", "nowhere"}).exit_code == 1);
  const Outcome heft = asked(scratch, {"simulate", "run", "--cores", "6", "--policy", "heft"}, {"--with", "run"});
  CHECK(heft.exit_code == 1);
  CHECK_THAT(heft.err, ContainsSubstring("--with needs identical cores"));
  std::ofstream(scratch / "g.jsonl") << "{\"foretask_graph\": 1, \"time_unit\": \"us\"}\n"
                                        "{\"id\": 0, \"kernel\": \"a\", \"duration\": 5}\n";
  const Outcome file = asked(scratch, {"simulate", "g.jsonl", "--cores", "1"}, {"--with", "run"});
  CHECK(file.exit_code == 1);
  CHECK_THAT(file.err, ContainsSubstring("--with needs a recorded run as INPUT"));
  CHECK(asked(scratch, {"whatif", "run", "--cores", "2"}, {"--with", "longer"}).exit_code == 2);
}
