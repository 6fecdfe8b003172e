// SPDX-License-Identifier: Apache-2.0
#include "report/predict/campaign.hpp"

#include "catch.hpp"

using namespace foretask;
using Catch::Matchers::ContainsSubstring;

namespace {

analysis::ProgramTable small_table() {
  analysis::ProgramTable table{.size_name = "size", .program = "app", .machine = "00ff", .runs = {}, .warnings = {}};
  const auto add = [&table](double n, double p, double work, double delay, double no_work, double time) {
    table.runs.push_back({.n = n,
                          .p = p,
                          .create_task = 1,
                          .wait_tasks = 1,
                          .serial_work = 0,
                          .work = work,
                          .delay = delay,
                          .no_work = no_work,
                          .time = time,
                          .span = 0,
                          .burdened_span = 0,
                          .kernels = {},
                          .source = "r"});
  };
  add(8, 1, 1'000'000, 0, 0, 1'000'000);
  add(8, 1, 3'000'000, 0, 0, 3'000'000);
  add(8, 2, 900'000, 60'000, 40'000, 500'000);
  add(9, 2, 100, 50, 50, 100);
  return table;
}

}  // namespace

TEST_CASE("a campaign's rows are medians of times, and shares of all the time") {
  const auto rows = report::campaign_rows(small_table());
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].runs == 2);
  CHECK(rows[0].time == 2'000'000);
  CHECK(rows[0].speedup == 1);
  CHECK(rows[1].time == 500'000);
  CHECK(rows[1].speedup == 4);
  CHECK(rows[1].work == Approx(0.9));
  CHECK(rows[1].delay == Approx(0.06));
  CHECK(rows[1].no_work == Approx(0.04));
  CHECK(rows[2].speedup == 0);  // nobody ran 9 on one worker
}

TEST_CASE("a campaign's text says where the table is, what failed, and what to ask next") {
  report::CampaignResult result{.folder = "a camp",
                                .tables = {},
                                .failed = {{"n=8,p=2,2", "exit code 3", "a camp/output/n=8,p=2,2"}},
                                .missing = 1};
  result.tables.push_back({"a camp/table.csv", "", small_table()});
  const std::string text = report::campaign_text(result);
  CHECK_THAT(text,
             Catch::Matchers::StartsWith("a camp/table.csv: 4 runs of app\n\n"
                                         "size      p   runs        time   speedup     work    delay   no work\n"
                                         "   8      1      2     2.00 ms      1.00  100.0 %    0.0 %     0.0 %\n"
                                         "   8      2      1      500 us      4.00   90.0 %    6.0 %     4.0 %\n"
                                         "   9      2      1      100 ns         -   50.0 %   25.0 %    25.0 %\n"));
  CHECK_THAT(text, ContainsSubstring("\n1 run failed and is in no table; the same command tries it again:\n"
                                     "  n=8,p=2,2: exit code 3\n    its output: a camp/output/n=8,p=2,2\n"));
  CHECK_THAT(text, Catch::Matchers::EndsWith("\nNext: foretask predict 'a camp' --set size=10 --cores 1,2,8\n"));
}

TEST_CASE("unrecorded runs have a column of their own, with the median of those that are there") {
  report::CampaignResult result{.folder = "c", .tables = {}, .failed = {}, .missing = 0};
  result.tables.push_back({"c/table.csv", "", small_table()});
  auto& runs = result.tables.front().table.runs;
  runs[0].baseline = 800'000;
  runs[1].baseline = 1'000'000;
  runs[2].baseline = 450'000;
  CHECK(report::campaign_rows(result.tables.front().table)[0].baseline == 900'000);
  const std::string text = report::campaign_text(result);
  CHECK_THAT(text, ContainsSubstring("   delay   no work  unrecorded\n") &&
                       ContainsSubstring("     0.0 %      900 us\n") && ContainsSubstring("     4.0 %      450 us\n") &&
                       ContainsSubstring("    25.0 %           -\n"));
}

TEST_CASE("what to ask next is one step beyond the largest size") {
  const auto next = [](const std::vector<double>& sizes, const std::string& others = "") {
    report::CampaignResult result{.folder = "c", .tables = {}, .failed = {}, .missing = 0};
    result.tables.push_back({"c/table.csv", others, small_table()});
    auto& runs = result.tables.front().table.runs;
    const analysis::ProgramRun one = runs.front();
    runs.clear();
    for (const double n : sizes) {
      runs.push_back(one);
      runs.back().n = n;
    }
    const std::string text = report::campaign_text(result);
    return text.substr(text.find("\nNext: ") + 7);
  };
  CHECK(next({100, 200, 300}) == "foretask predict c --set size=400 --cores 1,2,4\n");
  CHECK(next({100, 200, 400}) == "foretask predict c --set size=800 --cores 1,2,4\n");
  CHECK(next({100, 200}) == "foretask predict c --set size=400 --cores 1,2,4\n");
  CHECK(next({10, 12}) == "foretask predict c --set size=14 --cores 1,2,4\n");
  CHECK(next({3, 4, 9}) == "foretask predict c --set size=20 --cores 1,2,4\n");
  CHECK(next({512, 1536, 2048}) == "foretask predict c --set size=2560 --cores 1,2,4\n");
  CHECK(next({7}) ==
        "foretask predict c --set size=7 --cores 1,2,4\n      (record other sizes to predict another size)\n");
  CHECK_THAT(next({7, 8}, "b=16"), Catch::Matchers::StartsWith("foretask predict c/*,b=16,p=* --set size=9 "));
}

TEST_CASE("a recording that cannot be read is listed apart from what is tried again") {
  const report::CampaignResult result{
      .folder = "c", .tables = {}, .failed = {{"n=8,p=1,1", "is no JSON: remove c/n=8,p=1,1", "", true}}, .missing = 1};
  CHECK(report::campaign_text(result) ==
        "\n1 recording cannot be read and is in no table:\n  n=8,p=1,1: is no JSON: remove c/n=8,p=1,1\n");
}
