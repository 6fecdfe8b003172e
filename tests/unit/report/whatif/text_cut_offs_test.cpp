// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "report/sentences.hpp"
#include "report/whatif/cut_offs.hpp"

using namespace foretask;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using nlohmann::json;
using report::CutOffs;

namespace {

analysis::CutOffTrial trial_of(const analysis::CutOff& cut_off, std::uint64_t tasks,
                               const std::vector<std::int64_t>& makespans_ns) {
  analysis::CutOffTrial trial{.cut_off = cut_off, .tasks = tasks, .replays = {}};
  for (const std::int64_t ns : makespans_ns) trial.replays.push_back({.makespan_ns = ns, .schedule = {}});
  return trial;
}

analysis::CutOffTrial grain(std::int64_t ns, std::uint64_t tasks, const std::vector<std::int64_t>& makespans_ns) {
  return trial_of({.grain_ns = ns, .kernels = {}}, tasks, makespans_ns);
}

// On 2 cores 20 us is best, on 16 as it is.
CutOffs some_cut_offs() {
  CutOffs found;
  found.input = "run";
  found.contents = "1,000 tasks, 3,000 edges";
  found.cores = {2, 16};
  found.as_it_is = trial_of({}, 1000, {160'000, 20'000});
  found.trials = {grain(1'000, 500, {100'000, 21'000}), grain(10'000, 60, {41'000, 30'000}),
                  grain(20'000, 30, {40'000, 35'000}), grain(50'000, 9, {40'000, 40'000})};
  return found;
}

}  // namespace

TEST_CASE("the best cut-off leads, with its neighbours that are as good") {
  const std::string text = cut_offs_text(some_cut_offs());
  CHECK_THAT(text,
             StartsWith("On 2 cores create no task below 20 us: the program takes 40.0 us instead of 160 us (4.00 "
                        "times as fast). Cut-offs from 10 us to 50 us do nearly as well.\n"
                        "On 16 cores no cut-off gains 1 %.\n\nrun: 1,000 tasks, 3,000 edges; work"));
  CHECK_THAT(text, ContainsSubstring("\n     cut-off          tasks      2 cores     16 cores\n"
                                     "    as it is          1,000       160 us     *20.0 us\n"
                                     "        1 us            500       100 us      21.0 us\n"
                                     "       10 us             60      41.0 us      30.0 us\n"
                                     "       20 us             30     *40.0 us      35.0 us\n"
                                     "       50 us              9      40.0 us      40.0 us\n"));
  CHECK_THAT(text, !ContainsSubstring("stay"));
}

TEST_CASE("numbers of cores with one answer share a sentence") {
  CutOffs found = some_cut_offs();
  found.as_it_is.replays[1].makespan_ns = 70'000;
  found.trials = {grain(20'000, 30, {40'000, 35'000})};
  CHECK_THAT(
      cut_offs_text(found),
      StartsWith("On 2 and 16 cores create no task below 20 us: the program is 2.00 to 4.00 times as fast.\n\n"));
}

TEST_CASE("depths are said as such") {
  CutOffs found = some_cut_offs();
  found.is_depth = true;
  found.trials = {trial_of({.depth = 3, .kernels = {}}, 14, {50'000, 30'000})};
  const std::string text = cut_offs_text(found);
  CHECK_THAT(text, StartsWith("On 2 cores create no task below depth 3: "));
  CHECK_THAT(text, ContainsSubstring("     depth 3             14"));
  CHECK(json::parse(cut_offs_json(found))["rows"][0]["depth"] == 3);
}

TEST_CASE("tasks below a cut-off that stay are counted, with the reason") {
  CutOffs found = some_cut_offs();
  found.trials[1].waiting = 12;
  found.trials[2].waiting = 3;
  found.trials[3].whole = 1;
  CHECK_THAT(cut_offs_text(found), ContainsSubstring("up to 12 stay tasks: they depend on") &&
                                       ContainsSubstring("up to 1 stays a task: they detach"));
}

TEST_CASE("many numbers of cores are parted into several tables") {
  CutOffs found = some_cut_offs();
  found.cores = {1, 2, 3, 4, 5, 6, 7, 8};
  found.as_it_is = trial_of({}, 10, std::vector<std::int64_t>(8, 100));
  found.trials = {grain(1'000, 5, std::vector<std::int64_t>(8, 50))};
  CHECK_THAT(cut_offs_text(found), ContainsSubstring("  7 cores\n") && ContainsSubstring("tasks      8 cores\n"));
}

TEST_CASE("a program without a small task has no cut-off") {
  CutOffs found = some_cut_offs();
  found.trials.clear();
  CHECK_THAT(cut_offs_text(found), StartsWith("No cut-off is worth a try"));
  CHECK(json::parse(cut_offs_json(found))["rows"].empty());
}

TEST_CASE("the JSON has a row a cut-off and number of cores, and the best of each number") {
  const json answer = json::parse(cut_offs_json(some_cut_offs()));
  CHECK(answer["rows"].size() == 4 * 2);
  CHECK(answer["rows"][4]["grain_ns"] == 20'000);
  CHECK(answer["rows"][4]["cores"] == 2);
  CHECK(answer["rows"][4]["tasks"] == 30);
  CHECK(answer["rows"][4]["makespan_ns"] == 40'000);
  CHECK(answer["rows"][4]["base_ns"] == 160'000);
  CHECK(answer["rows"][4]["speedup"] == 4.0);
  CHECK(answer["best"][0]["grain_ns"] == 20'000);  // of two that are as fast the one with more tasks
  CHECK(answer["best"][1]["grain_ns"].is_null());
  CHECK(answer["best"][1]["makespan_ns"] == 20'000);
  CHECK(answer["best"][1]["tasks"] == 1000);
  CHECK(answer["as_it_is"][1]["makespan_ns"] == 20'000);
  CHECK(answer["tasks"] == 1000);
}

TEST_CASE("the CSV begins with the program as it is") {
  CHECK_THAT(cut_offs_csv(some_cut_offs()), StartsWith("grain_ns,cores,tasks,makespan_ns,base_ns,speedup\n"
                                                       ",2,1000,160000,160000,1\n"
                                                       ",16,1000,20000,20000,1\n"
                                                       "1000,2,500,100000,160000,1.6\n"));
}

TEST_CASE("a cut-off reads as it was given") {
  const auto words = [](std::int64_t ns) { return report::cut_off_words({.grain_ns = ns, .kernels = {}}); };
  CHECK(words(250) == "250 ns");
  CHECK(words(1'500) == "1.5 us");
  CHECK(words(20'000'000) == "20 ms");
  CHECK(words(3'000'000'000) == "3 s");
  CHECK(report::cut_off_words({.depth = 9, .kernels = {}}) == "depth 9");
}

TEST_CASE("the advice of a report names a depth where there is one") {
  analysis::CutOffAdvice advice{.grain_ns = 20'000,
                                .depth = 9,
                                .workers = 2,
                                .tasks = 700,
                                .unrecorded = {160'000'000, 160'000'000},
                                .predicted_ns = 31'200'000};
  CHECK_THAT(report::advice_words(advice),
             StartsWith("With a cut-off at 20 us (or at depth 9) this run would take 31.2 ms on 2 workers instead of "
                        "160 ms."));
  advice.unrecorded = {120'000'000, 200'000'000};
  CHECK_THAT(report::advice_words(advice), ContainsSubstring("31.2 ms on 2 workers instead of 120 ms to 200 ms."));
  advice.depth.reset();
  CHECK_THAT(report::advice_words(advice), StartsWith("With a cut-off at 20 us this run would take"));
}
