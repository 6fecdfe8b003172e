// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "foretask/analysis/run_difference.hpp"

using Pairs = std::vector<std::pair<std::string, std::string>>;

namespace {

foretask::analysis::ComparedRun run_of(const std::vector<std::string>& kernels) {
  foretask::analysis::Report report;
  for (const std::string& name : kernels) report.kernels.emplace_back().name = name;
  return foretask::analysis::compared_run("run", report);
}

Pairs sorted_pairs(const std::vector<std::string>& before, const std::vector<std::string>& after) {
  const auto difference = foretask::analysis::compare_runs({run_of(before)}, {run_of(after)});
  REQUIRE(difference);
  Pairs pairs;
  for (const auto& kernel : difference->kernels) pairs.emplace_back(kernel.before, kernel.after);
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace

TEST_CASE("kernels of the same name are one, others are new or gone") {
  CHECK(sorted_pairs({"solve", "old"}, {"new", "solve"}) == Pairs{{"", "new"}, {"old", ""}, {"solve", "solve"}});
}

TEST_CASE("code that moved to other lines, or whose source lies elsewhere, is the same kernel") {
  CHECK(sorted_pairs({"f (a.cpp:10)"}, {"f (a.cpp:12)"}) == Pairs{{"f (a.cpp:10)", "f (a.cpp:12)"}});
  CHECK(sorted_pairs({"f (old/a.cpp:10) loop"}, {"f (new/a.cpp:10) loop"}) ==
        Pairs{{"f (old/a.cpp:10) loop", "f (new/a.cpp:10) loop"}});
  CHECK(sorted_pairs({"f (app+0x1f)"}, {"f (app+0x2a0)"}) == Pairs{{"f (app+0x1f)", "f (app+0x2a0)"}});
  // Another file, another function, another kind.
  CHECK(sorted_pairs({"f (a.cpp:1)"}, {"f (b.cpp:1)"}).size() == 2);
  CHECK(sorted_pairs({"f (a.cpp:1)"}, {"g (a.cpp:1)"}).size() == 2);
  CHECK(sorted_pairs({"f (a.cpp:1)"}, {"f (a.cpp:1) loop"}).size() == 2);
}

TEST_CASE("several kernels of a function go by the order of their lines") {
  // Line 20 of the second program is the first one's line 9, and not its line 20.
  CHECK(sorted_pairs({"f (a.cpp:9)", "f (a.cpp:20)"}, {"f (a.cpp:31)", "f (a.cpp:20)"}) ==
        Pairs{{"f (a.cpp:20)", "f (a.cpp:31)"}, {"f (a.cpp:9)", "f (a.cpp:20)"}});
  // One more: which one moved is not known.
  CHECK(sorted_pairs({"f (a.cpp:9)"}, {"f (a.cpp:9)", "f (a.cpp:20)"}) ==
        Pairs{{"", "f (a.cpp:20)"}, {"f (a.cpp:9)", "f (a.cpp:9)"}});
}
