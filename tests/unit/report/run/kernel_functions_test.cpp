// SPDX-License-Identifier: Apache-2.0
#include "report/run/kernel_texts.hpp"

#include "catch.hpp"

using namespace foretask;
using namespace foretask::report;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr std::int64_t kMs = 1'000'000;

// One kernel of 1 s, sampled each ms.
analysis::Report sampled(std::vector<analysis::FunctionTime> functions) {
  analysis::Report report;
  report.work_ns = 1000 * kMs;
  report.function_sampling = {kMs, 1000, 0, ""};
  analysis::KernelSummary kernel;
  kernel.name = "solve (a.c:12) loop";
  kernel.work_ns = 1000 * kMs;
  kernel.functions = std::move(functions);
  report.kernels.push_back(std::move(kernel));
  return report;
}

FunctionRows rows_of(std::vector<analysis::FunctionTime> functions) {
  const analysis::Report report = sampled(std::move(functions));
  return function_rows(report, report.kernels.front());
}

}  // namespace

TEST_CASE("functions are shown with their time and their share of the work, small ones left out") {
  const FunctionRows rows =
      rows_of({{"left (a.c)", 600, 600 * kMs}, {"right (a.c)", 395, 395 * kMs}, {"tiny (a.c)", 5, 5 * kMs}});
  CHECK_THAT(rows.text, ContainsSubstring("600 ms") && ContainsSubstring("60.0 %") && ContainsSubstring("left (a.c)"));
  CHECK_THAT(rows.text, ContainsSubstring("395 ms") && ContainsSubstring("39.5 %") && ContainsSubstring("right (a.c)"));
  CHECK_THAT(rows.text, !ContainsSubstring("tiny"));
  CHECK_FALSE(rows.has_missing);
}

TEST_CASE("where all is in the kernel's own function there is no row") {
  CHECK(rows_of({{"solve (a.c)", 1000, 1000 * kMs}}).text.empty());
  CHECK_FALSE(rows_of({{"other (a.c)", 1000, 1000 * kMs}}).text.empty());
}

TEST_CASE("what no sample shows has a row where it is much") {
  const FunctionRows rows = rows_of({{"solve (a.c)", 600, 600 * kMs}});
  CHECK(rows.has_missing);
  CHECK_THAT(rows.text,
             ContainsSubstring("400 ms") && ContainsSubstring("(not sampled)") && ContainsSubstring("solve (a.c)"));
  // 19 % of a second: less than a fifth.
  CHECK_FALSE(rows_of({{"solve (a.c)", 810, 810 * kMs}}).has_missing);
}

TEST_CASE("a run that was not sampled has no row, and says why where it was wanted") {
  analysis::Report report = sampled({});
  report.function_sampling = {0, 0, 0, "perf_event_open: Permission denied"};
  CHECK(function_rows(report, report.kernels.front()).text.empty());
  CHECK_THAT(sampling_text(report.function_sampling, false), ContainsSubstring("perf_event_open: Permission denied"));
  CHECK(sampling_text({}, false).empty());
}
