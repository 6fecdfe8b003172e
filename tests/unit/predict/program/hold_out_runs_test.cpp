// SPDX-License-Identifier: Apache-2.0
#include "predict/program/judged_form.hpp"

#include <algorithm>

#include "catch.hpp"

namespace foretask::predict {
namespace {

std::vector<analysis::ProgramRun> runs_of(int sizes, int workers) {
  std::vector<analysis::ProgramRun> runs;
  for (int n = 1; n <= sizes; ++n)
    for (int p = 1; p <= workers; ++p) {
      analysis::ProgramRun run;
      run.n = n;
      run.p = p;
      run.time = 1;
      runs.push_back(run);
    }
  return runs;
}

TEST_CASE("what is held out is always beyond what is known") {
  const auto splits = hold_outs(runs_of(10, 8));
  REQUIRE(splits.size() == 6);
  for (const HoldOut& split : splits) {
    CHECK_FALSE(split.known.empty());
    REQUIRE_FALSE(split.asked.empty());
    for (const ProgramCell& cell : split.asked) CHECK((cell.n > split.largest_n || cell.p > split.most_workers));
  }
  // A fifth of the sizes, then a quarter of the workers.
  CHECK(splits[0].largest_n == 8);
  CHECK(splits[0].most_workers == 8);
  CHECK(splits[1].largest_n == 10);
  CHECK(splits[1].most_workers == 6);
  CHECK(splits[2].largest_n == 8);
  CHECK(splits[2].most_workers == 6);
  CHECK(std::all_of(splits[2].asked.begin(), splits[2].asked.end(),
                    [](const ProgramCell& cell) { return cell.n > 8 && cell.p > 6; }));
}

TEST_CASE("few sizes or few workers are not held out") {
  CHECK(hold_outs(runs_of(3, 2)).empty());
  const auto splits = hold_outs(runs_of(4, 2));
  REQUIRE(splits.size() == 1);
  CHECK(splits[0].largest_n == 3);
  CHECK(hold_outs(runs_of(1, 8)).size() == 2);
}

}  // namespace
}  // namespace foretask::predict
