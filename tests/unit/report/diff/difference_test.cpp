// SPDX-License-Identifier: Apache-2.0
#include "report/diff/difference.hpp"

#include "catch.hpp"
#include "scratch.hpp"

using namespace foretask::report;
using Catch::Matchers::ContainsSubstring;
using foretask::analysis::change_of;
using foretask::analysis::Comparison;
using foretask::analysis::RunDifference;
using foretask_test::contents;
using foretask_test::Scratch;

namespace {

// 2 x 1 s, then 2 x 0.8 s.
RunDifference faster() {
  RunDifference difference;
  difference.before = {
      .folders = {"run1"}, .program = "app", .workers = 2, .created_tasks = 4, .held_up_share = 0, .warnings = {}};
  difference.after = {
      .folders = {"run2"}, .program = "app", .workers = 2, .created_tasks = 4, .held_up_share = 0, .warnings = {}};
  difference.facts = {{"program", "app", "app"}, {"command", "./app 1", "./app 2"}};
  difference.elapsed_ns = change_of({1e9}, {8e8});
  difference.worker_ns = change_of({2e9}, {1.6e9});
  difference.work_ns = change_of({1.5e9}, {1.2e9});
  difference.delay_ns = change_of({0}, {1e8});
  difference.no_work_ns = change_of({5e8}, {3e8});
  difference.span_ns = change_of({7e8}, {6e8});
  difference.kernels = {
      {"f (a.c:3)", "f (a.c:5)", change_of({1.5e9}, {1.0e9}), change_of({4}, {4}), change_of({3.75e8}, {2.5e8})},
      {"", "<script>", change_of({0}, {2e8}), change_of({0}, {2}), change_of({0}, {1e8})}};
  return difference;
}

std::string page_of(const RunDifference& difference, bool is_anonymous) {
  const Scratch scratch;
  auto output = Output::open(scratch / "page.html");
  REQUIRE(output);
  write_difference_page(difference, is_anonymous, *output);
  REQUIRE(output->finish());
  return contents(scratch / "page.html");
}

}  // namespace

TEST_CASE("a comparison of single runs says its gain, and that there is no evidence") {
  const std::string text = difference_text(faster());
  CHECK_THAT(text, ContainsSubstring("Before and after: app\n"));
  CHECK_THAT(text, ContainsSubstring("The recordings differ in: command (./app 1, then ./app 2)."));
  CHECK_THAT(text, ContainsSubstring("It took 800 ms, and 1.00 s before: 1.25 times as fast, a gain of 25.0 %."));
  CHECK_THAT(text,
             ContainsSubstring("No evidence: one run of each. Record 2 more of each, and name them by --runs1 and "
                               "--runs2."));
  CHECK_THAT(text,
             ContainsSubstring("from 2.00 s to 1.60 s: -400 ms. That is work -300 ms, scheduler delay +100 ms, no work "
                               "-200 ms."));
  CHECK_THAT(text, ContainsSubstring("f (a.c:5) (was a.c:3)"));
  CHECK_THAT(text, ContainsSubstring("new"));
  CHECK_THAT(text, !ContainsSubstring("with 95 % confidence"));
}

TEST_CASE("replicates have an interval, which says whether it is chance") {
  RunDifference difference = faster();
  difference.before.folders = {"a1", "a2", "a3"};
  difference.after.folders = {"b1", "b2", "b3", "b4"};
  // 1 / 0.8575309873997728 - 1 and 1 / 0.7597120400105113 - 1: see run_difference_test.cpp.
  difference.elapsed_ns = change_of({100, 104, 98}, {80, 79, 84, 82});
  CHECK_THAT(difference_text(difference),
             ContainsSubstring("3 runs before, 4 runs after: with 95 % confidence the gain is "
                               "between +16.6 % and +31.6 %. That is more than"));
  difference.elapsed_ns = change_of({1, 2}, {2, 4});
  CHECK_THAT(difference_text(difference), ContainsSubstring("they do not show that the time changed"));
  CHECK_THAT(difference_text(difference), !ContainsSubstring("had no core"));
  difference.after.held_up_share = 0.25;
  CHECK_THAT(difference_text(difference),
             ContainsSubstring("had no core for up to 0.0 % of their time before, and 25.0 % after"));
  // One more recording is needed of one side alone.
  difference.before.folders = {"a1"};
  CHECK_THAT(difference_text(difference),
             ContainsSubstring("No evidence: one run before. Record 2 more, and name them by "
                               "--runs1."));
}

TEST_CASE("two numbers of workers: the speed-up, and the kernels whose work grew") {
  RunDifference difference = faster();
  difference.comparison = Comparison::kWorkers;
  difference.before.workers = 1;
  difference.elapsed_ns = change_of({2e9}, {1.25e9});
  difference.worker_ns = change_of({2e9}, {2.5e9});
  difference.work_ns = change_of({2e9}, {2.4e9});
  difference.kernels = {{"spin", "spin", change_of({1e9}, {1.89e9}), change_of({4}, {4}), change_of({1}, {1})},
                        {"even", "even", change_of({5e8}, {5.1e8}), change_of({4}, {4}), change_of({1}, {1})}};
  const std::string text = difference_text(difference);
  CHECK_THAT(text, ContainsSubstring("One program on 1 worker and on 2: app\n"));
  CHECK_THAT(text, ContainsSubstring("On 2 workers it took 1.25 s, on 1 worker 2.00 s: 1.60 times as fast on 2."));
  CHECK_THAT(text, ContainsSubstring("Perfect would be 2.00 times as fast."));
  CHECK_THAT(text, ContainsSubstring("On 2 workers spin takes 1.89 times the work."));
  CHECK_THAT(text, !ContainsSubstring("even takes"));
  // The other way around the answer is the same.
  std::swap(difference.before, difference.after);
  difference.elapsed_ns = change_of({1.25e9}, {2e9});
  difference.kernels[0].work_ns = change_of({1.89e9}, {1e9});
  const std::string reverse = difference_text(difference);
  CHECK_THAT(reverse, ContainsSubstring("On 2 workers it took 1.25 s, on 1 worker 2.00 s: 1.60 times as fast on 2."));
  CHECK_THAT(reverse, ContainsSubstring("On 2 workers spin takes 1.89 times the work."));
  difference.may_be_other_work = true;
  CHECK_THAT(difference_text(difference), ContainsSubstring("the runs may not have done the same"));
}

TEST_CASE("two programs are called so") {
  RunDifference difference = faster();
  difference.after.program = "other";
  CHECK_THAT(difference_text(difference), ContainsSubstring("Two programs: app and other\n"));
}

TEST_CASE("the page has names as text, and no path where none is wanted") {
  const std::string page = page_of(faster(), false);
  CHECK_THAT(page, ContainsSubstring("&lt;script&gt;"));
  CHECK_THAT(page, ContainsSubstring("run1") && ContainsSubstring("./app 1"));
  CHECK_THAT(page, ContainsSubstring("1.25 times as fast"));
  const std::string anonymous = page_of(faster(), true);
  CHECK_THAT(anonymous, !ContainsSubstring("run1") && !ContainsSubstring("./app 1"));
  CHECK_THAT(anonymous, ContainsSubstring("The recordings differ in: command."));
}

TEST_CASE("JSON has null where a kernel is not, and no interval without replicates") {
  const std::string json = difference_json(faster());
  CHECK_THAT(json, ContainsSubstring("\"comparison\": \"before_after\""));
  CHECK_THAT(json, ContainsSubstring("\"before\": null"));
  CHECK_THAT(json, ContainsSubstring("\"low\": null"));
  CHECK_THAT(json, ContainsSubstring("\"what\": \"command\""));
}
