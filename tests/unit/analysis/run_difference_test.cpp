// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/run_difference.hpp"

#include <cmath>

#include "catch.hpp"

using namespace foretask::analysis;

namespace {

ComparedRun run_of(std::uint32_t workers, std::int64_t elapsed_ns,
                   const std::vector<std::pair<std::string, std::int64_t>>& work) {
  ComparedRun run;
  run.folder = "run";
  run.facts = {{"program", "app"}};
  run.report.program = "/bin/app";
  run.report.workers = workers;
  run.report.elapsed_ns = elapsed_ns;
  for (const auto& [name, ns] : work) {
    KernelSummary kernel;
    kernel.name = name;
    kernel.count = 10;
    kernel.work_ns = ns;
    kernel.mean_ns = static_cast<double>(ns) / 10;
    run.report.kernels.push_back(kernel);
    run.report.work_ns += ns;
  }
  run.report.no_work_ns = workers * elapsed_ns - run.report.work_ns;
  return run;
}

}  // namespace

// Expected values: Python's statistics module on the logarithms, Student's t by numerical integration of its density.
TEST_CASE("replicates give the ratio of the geometric means an interval") {
  const Change change = change_of({100, 104, 98}, {80, 79, 84, 82});
  CHECK(change.before == Approx(100.63594713918444));
  CHECK(change.after == Approx(81.22740037692604));
  CHECK(change.ratio.value() == Approx(0.8071410135841874));
  CHECK(change.low.value() == Approx(0.7597120400105113));
  CHECK(change.high.value() == Approx(0.8575309873997728));
  CHECK(change.is_shown());
  // Two of each: 2 degrees of freedom, t = 4.303.
  const Change wide = change_of({1, 2}, {2, 4});
  CHECK(wide.ratio.value() == Approx(2));
  CHECK(wide.low.value() == Approx(0.2427536810752149));
  CHECK(wide.high.value() == Approx(16.477608011063026));
  CHECK_FALSE(wide.is_shown());
}

TEST_CASE("a single run of a side has a ratio and no interval") {
  const Change change = change_of({100}, {80, 90});
  CHECK(change.before == 100);
  CHECK(change.ratio.value() == Approx(std::sqrt(80.0 * 90.0) / 100));
  CHECK_FALSE(change.low);
  CHECK_FALSE(change.high);
  CHECK_FALSE(change.is_shown());
}

TEST_CASE("counts that are the same in all runs stay what they are") {
  const Change change = change_of({10, 10, 10}, {30, 30, 30});
  CHECK(change.before == 10);
  CHECK(change.after == 30);
  CHECK_FALSE(change.low);
}

TEST_CASE("of runs with 0 there are means and no interval") {
  const Change change = change_of({0, 4}, {3, 5});
  CHECK(change.before == 2);
  CHECK(change.after == 4);
  CHECK(change.ratio.value() == Approx(2));
  CHECK_FALSE(change.low);
  CHECK_FALSE(change_of({0, 0}, {3, 5}).ratio);
}

TEST_CASE("the largest difference of work comes first, and kernels of one side are new or gone") {
  const auto difference = compare_runs({run_of(2, 1000, {{"a", 900}, {"b", 500}, {"old", 20}})},
                                       {run_of(2, 900, {{"a", 910}, {"b", 300}, {"new", 50}})});
  REQUIRE(difference);
  CHECK(difference->comparison == Comparison::kBeforeAfter);
  REQUIRE(difference->kernels.size() == 4);
  CHECK(difference->kernels[0].before == "b");
  CHECK(difference->kernels[0].work_ns.ratio.value() == Approx(0.6));
  CHECK(difference->kernels[0].mean_ns.after == Approx(30));
  CHECK(difference->kernels[1].before.empty());
  CHECK(difference->kernels[1].after == "new");
  CHECK(difference->kernels[2].after.empty());
  CHECK(difference->kernels[3].before == "a");
  CHECK(difference->worker_ns.before == 2000);
  CHECK(difference->worker_ns.after == 1800);
  CHECK(difference->no_work_ns.before == 2000 - 1420);
}

TEST_CASE("one program on two numbers of workers is asked another question") {
  const ComparedRun one = run_of(1, 1000, {{"a", 1000}});
  const ComparedRun two = run_of(2, 700, {{"a", 1200}});
  const auto difference = compare_runs({one}, {two});
  REQUIRE(difference);
  CHECK(difference->comparison == Comparison::kWorkers);
  CHECK_FALSE(difference->may_be_other_work);
  // Another parameter: it is a change like others.
  ComparedRun other = two;
  other.report.parameters = {{"n", "2"}};
  CHECK(compare_runs({one}, {other})->comparison == Comparison::kBeforeAfter);
  other = two;
  other.report.program = "/bin/another";
  CHECK(compare_runs({one}, {other})->comparison == Comparison::kBeforeAfter);
  // More tasks: it may have done something else.
  other = two;
  other.report.create_task = 100;
  CHECK(compare_runs({one}, {other})->may_be_other_work);
}

TEST_CASE("what is known of the runs is paired, and what differs is said") {
  ComparedRun before = run_of(2, 1000, {});
  ComparedRun after = before;
  before.facts = {{"program", "app"}, {"parameter n", "10"}, {"OMP_PLACES", "cores"}};
  after.facts = {{"program", "app"}, {"parameter n", "12"}, {"machine", "m"}};
  const auto difference = compare_runs({before}, {after});
  REQUIRE(difference);
  REQUIRE(difference->facts.size() == 4);
  CHECK_FALSE(difference->facts[0].differs());
  CHECK(difference->facts[1].after == "12");
  CHECK(difference->facts[1].differs());
  CHECK(difference->facts[2].after.empty());
  CHECK(difference->facts[3].before.empty());
}

TEST_CASE("a run that is no replicate of its side's first is refused") {
  const ComparedRun first = run_of(2, 1000, {});
  ComparedRun other = run_of(1, 1000, {});
  other.folder = "other";
  auto difference = compare_runs({first, other}, {first});
  REQUIRE_FALSE(difference);
  CHECK(difference.error().message().find("other") != std::string::npos);
  CHECK(difference.error().message().find("number of workers") != std::string::npos);
  other = first;
  other.facts.push_back({"parameter n", "3"});
  difference = compare_runs({first}, {first, other});
  REQUIRE_FALSE(difference);
  CHECK(difference.error().message().find("parameter n") != std::string::npos);
  CHECK_FALSE(compare_runs({}, {first}));
}
