// SPDX-License-Identifier: Apache-2.0
#include "report/run/causes.hpp"

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "report/run/reading.hpp"
#include "report/run/run_report.hpp"

using namespace foretask;
using namespace foretask::report;
using analysis::Cause;
using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

namespace {

// Two cores for 1 ms, a tenth of which was useful; the rest went to `cause`.
analysis::Report report_of(Cause cause, const std::string& kernel = {}) {
  analysis::Report report;
  report.workers = 2;
  report.elapsed_ns = 1'000'000;
  report.work_ns = 200'000;
  report.origin.processors_usable = 2;
  report.kernels = {{.name = "f (a.c:3) [parallel]", .code = "app+0x10 [parallel]", .count = 200, .work_ns = 200'000}};
  report.core_time = {1'000'000, 200'000, {{cause, 1'800'000, kernel}}, {}};
  return report;
}

std::string text_of(const analysis::Report& report) { return cause_text(report, report.core_time.lost.front()); }

}  // namespace

TEST_CASE("the JSON has the causes, their text and the base") {
  analysis::Report report = report_of(Cause::kNoCore);
  json parsed = json::parse(report_json(report));
  CHECK(parsed["wall_ns"] == 1'000'000);
  CHECK(parsed["useful_ns"] == 200'000);
  CHECK(parsed["causes"] == json({{{"name", "no_core"},
                                   {"lost_ns", 1'800'000},
                                   {"kernel", nullptr},
                                   {"text", "Other programs had the cores. Record again on idle ones."},
                                   {"without", json::array()}}}));
  CHECK(parsed["base"].is_null());
  report.core_time.base = analysis::BaseRun{"one", 1, 900'000, 190'000};
  parsed = json::parse(report_json(report));
  CHECK(parsed["base"] == json({{"folder", "one"}, {"workers", 1}, {"wall_ns", 900'000}, {"useful_ns", 190'000}}));
}

TEST_CASE("each cause names what is to blame, and a next step") {
  CHECK_THAT(text_of(report_of(Cause::kSerial, "(serial part)")), ContainsSubstring("--kernel '(serial part)'"));
  CHECK_THAT(text_of(report_of(Cause::kCriticalPath, "f (a.c:3) [parallel]")),
             ContainsSubstring("Too few tasks could run at once") && ContainsSubstring("most in f (a.c:3)"));
  // 100 times: 2 us of work each, and for it 9 of the 18 us that all regions lost.
  analysis::Report regions = report_of(Cause::kRegionCosts, "f (a.c:3) [parallel]");
  regions.core_time.lost.front().regions = 100;
  regions.core_time.lost.front().kernel_ns = 900'000;
  CHECK_THAT(
      text_of(regions),
      ContainsSubstring("ran 100 times with 2.00 us of work each time, and 9.00 us of the cores' time went each time"));
  CHECK_THAT(text_of(report_of(Cause::kBlocked)), ContainsSubstring("strace"));
  CHECK_THAT(text_of(report_of(Cause::kBound)), ContainsSubstring("OMP_DISPLAY_AFFINITY"));
  analysis::Report report = report_of(Cause::kNoCore);
  report.origin.processors_usable = 1;
  CHECK_THAT(text_of(report), ContainsSubstring("2 threads shared 1 core. Run no more threads than that: "
                                                "OMP_NUM_THREADS=1."));
  report = report_of(Cause::kQuota);
  report.origin.quota = 1.5;
  CHECK_THAT(text_of(report),
             ContainsSubstring("(1.5 cores, cpu.max or cfs_quota)") && ContainsSubstring("OMP_NUM_THREADS=1."));
  report = report_of(Cause::kLocks, "f (a.c:3) [parallel]");
  report.locks = {{"f (a.c:3) [parallel]", 10, 700'000, 1'800'000}};
  CHECK_THAT(text_of(report), ContainsSubstring("held for 700 us in all"));
}

TEST_CASE("what a lead says of a region is its schedule where a loop may divide it") {
  analysis::Report report = report_of(Cause::kImbalance, "f (a.c:3) [parallel]");
  report.loops = {
      {.name = "f (a.c:3) [parallel]", .instances = 1, .schedule = "unknown", .imbalance = 1.5, .threads = 2}};
  CHECK_THAT(text_of(report), ContainsSubstring("whose slowest thread took 1.50 times as long as the mean") &&
                                  ContainsSubstring("try schedule(dynamic)"));
}

TEST_CASE("against a base the speed-up is told, and code that is slower") {
  analysis::Report report = report_of(Cause::kSlowerWork, "f (a.c:3) [parallel]");
  CHECK_THAT(shares_words(report), ContainsSubstring("slower than on one is not known: foretask record --threads 1,2"));
  report.core_time.base = analysis::BaseRun{"one", 1, 500'000, 200'000};
  CHECK_THAT(took_words(report), ContainsSubstring("Took 1.00 ms on 2 workers, 0.50 times as fast as on 1"));
  CHECK_THAT(shares_words(report), !ContainsSubstring("not known"));
  CHECK_THAT(text_of(report), ContainsSubstring("took 10.00 times as long as on 1 worker, most in f") &&
                                  ContainsSubstring("foretask diff one RUN"));
  // Two are slower than one: no word of more cores.
  CHECK_THAT(more_cores_words(report),
             ContainsSubstring("the run took longer than on 1") && !ContainsSubstring("at most"));
  report.core_time.lost = {{Cause::kSlowerWork, -50'000, ""}};
  CHECK_THAT(text_of(report), ContainsSubstring("took 0.75 times as long as on 1 worker"));
}

TEST_CASE("the table of causes adds up to the whole") {
  analysis::Report report = report_of(Cause::kLocks);
  report.core_time.lost = {{Cause::kLocks, 1'000'000, ""},
                           {Cause::kSerial, 799'500, "(serial part)"},
                           {Cause::kBlocked, 300, ""},
                           {Cause::kOther, 200, ""}};
  std::int64_t sum_ns = 0;
  const auto rows = cause_table(report).rows;
  for (const CauseRow& row : rows) sum_ns += row.ns;
  CHECK(sum_ns == 2'000'000);
  REQUIRE(rows.size() == 4);
  CHECK(rows.back().name == "all else");
  CHECK(rows.back().ns == 500);
}
