// SPDX-License-Identifier: Apache-2.0
// What was decided of subtrees, summed up by hand.
#include "analysis/summaries.hpp"

#include "catch.hpp"

namespace graph = foretask::graph;
using foretask::wiring::granularity_summaries;

namespace {

graph::GranularityFact fact(std::int64_t time_ns, std::uint32_t kernel, std::uint32_t tasks, std::uint32_t calls,
                            std::uint32_t decisions, std::uint32_t decisions_ns, std::uint32_t threshold_ns) {
  return {time_ns, kernel, tasks, calls, decisions, decisions_ns, threshold_ns};
}

}  // namespace

TEST_CASE("decisions are summed up by kernel, their thresholds by equal stretches of time") {
  graph::RecordedGraph recorded;
  recorded.granularity = {fact(1000, 2, 3, 100, 5, 100, 8000), fact(1010, 2, 0, 50, 1, 80, 10'000),
                          fact(900, 7, 1, 0, 2, 30, 6000), fact(6000, 2, 1, 0, 4, 120, 12'000)};
  foretask::trace::TraceFolder trace;
  trace.kernels.push_back({.id = 2, .name = "sort"});
  const auto summaries = granularity_summaries(recorded, trace);
  REQUIRE(summaries.size() == 2);
  CHECK(summaries[0].name == "sort");
  CHECK(summaries[0].tasks == 4);
  CHECK(summaries[0].calls == 150);
  CHECK(summaries[0].decision_ns == 30);  // 300 ns in 10
  // 5001 ns in 50 steps of 100 ns: the first two together.
  REQUIRE(summaries[0].thresholds.size() == 2);
  CHECK(summaries[0].thresholds[0].time_ns == 1000);
  CHECK(summaries[0].thresholds[0].threshold_ns == 9000);
  CHECK(summaries[0].thresholds[1].time_ns == 1000 + 5001 * 49 / 50);
  CHECK(summaries[0].thresholds[1].threshold_ns == 12'000);
  CHECK(summaries[1].name == "(kernel 7)");
  CHECK(summaries[1].tasks == 1);
  CHECK(summaries[1].decision_ns == 15);
}

TEST_CASE("nothing decided, nothing summed up") {
  const graph::RecordedGraph recorded;
  CHECK(granularity_summaries(recorded, {}).empty());
}
