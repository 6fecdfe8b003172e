// SPDX-License-Identifier: Apache-2.0
#include "report/page/timeline_data.hpp"

#include <numeric>

#include "catch.hpp"

using namespace foretask;
using namespace foretask::report;
using analysis::StrandPlace;

namespace {

// Kernels "a", "b" and "c".
struct Shown {
  Shown(std::vector<StrandPlace> where, std::vector<std::int64_t> durations_ns, std::vector<std::uint32_t> kernels)
      : places(std::move(where)) {
    graph.duration_ns = std::move(durations_ns);
    graph.kernel = std::move(kernels);
    graph.kernel_names = {"a", "b", "c"};
  }
  [[nodiscard]] Timeline timeline() const {
    return {.graph = graph, .places = [this](analysis::NodeIndex node) { return places[node]; }, .workers = 2};
  }
  [[nodiscard]] TimelineData data(std::size_t most) const { return timeline_data(timeline(), std::nullopt, most); }

  analysis::TaskGraph graph;
  std::vector<StrandPlace> places;
};

Shown three() { return {{{0, 10, 0}, {20, 50, 1}, {30, 40, 0}}, {10, 27, 10}, {0, 1, 0}}; }

std::int64_t sum(const std::vector<std::int64_t>& all) {
  return std::accumulate(all.begin(), all.end(), std::int64_t{0});
}

}  // namespace

TEST_CASE("a small run's timeline has every strand, and kernels with the most time first") {
  const TimelineData data = three().data(3);
  CHECK(!data.bins);
  CHECK(data.from_ns == 0);
  CHECK(data.to_ns == 50);
  CHECK(data.strand_count == 3);
  REQUIRE(data.strands.size() == 3);
  CHECK(data.kernels == std::vector<std::uint32_t>{1, 0, 2});  // 27, 20 and 0 ns
  CHECK(data.strands[1].kernel == 0);
  CHECK(data.strands[1].duration_ns == 27);
  CHECK(data.strands[2].kernel == 1);
}

TEST_CASE("the page's script gets each begin as the distance from the end before, and what recording took") {
  const Json json = timeline_json(three().data(3), {"b", "a", "c"});
  CHECK(json.dump() == R"({"from":0,"to":50,"kernels":["b","a","c"],"strands":[)"
                       R"({"gap":[0,20],"length":[10,10],"kernel":[1,1],"recording":[0,0]},)"
                       R"({"gap":[20],"length":[30],"kernel":[0],"recording":[3]}]})");
}

TEST_CASE("what has no worker is no part of a timeline") {
  Shown shown = three();
  shown.graph.cores = {1, 0, 1};
  CHECK(shown.data(3).strand_count == 2);
  shown.places[2].worker = analysis::kNoWorker;
  CHECK(shown.data(3).strand_count == 1);
}

TEST_CASE("a stretch has the strands that run in it, and no others") {
  const Shown shown = three();
  const auto begins = [&](std::int64_t from_ns, std::int64_t to_ns) {
    std::vector<std::int64_t> all;
    for (const TimelineStrand& strand : timeline_data(shown.timeline(), std::pair{from_ns, to_ns}).strands)
      all.push_back(strand.begin_ns);
    return all;
  };
  CHECK(begins(0, 10) == std::vector<std::int64_t>{0});
  CHECK(begins(10, 20).empty());
  CHECK(begins(9, 21) == std::vector<std::int64_t>{0, 20});
  CHECK(begins(39, 1000) == std::vector<std::int64_t>{20, 30});
  CHECK(timeline_data(shown.timeline(), std::pair<std::int64_t, std::int64_t>{39, 1000}).to_ns == 50);
}

TEST_CASE("bins have each strand's time where it ran, the kernel with the most of it, and all of it in sum") {
  // Worker 0: a from 0 to 30,000, b from 30,000 to 50,000, of which recording took 1. Worker 1: c from 10,000 to
  // 10,003.
  const Shown shown({{0, 30'000, 0}, {10'000, 10'003, 1}, {30'000, 50'000, 0}}, {30'000, 3, 19'999}, {0, 2, 1});
  const TimelineData data = shown.data(2);
  REQUIRE(data.bins);
  // 50,000 ns in at most 8,192 bins: 7 ns each, 7,143 of them.
  CHECK(data.bins->width_ns == 7);
  CHECK(data.bins->count == 7143);
  CHECK(sum(data.bins->busy_ns) == 30'000 + 3 + 19'999);
  CHECK(data.bins->busy_ns[0] == 7);
  CHECK(data.bins->kernel[0] == 0);
  // 30,000 = 4,285 * 7 + 5: five of a, then nearly two of b.
  CHECK(data.bins->kernel[4285] == 0);
  CHECK(data.bins->kernel[4286] == 1);
  // 10,000 = 1,428 * 7 + 4: all three of c.
  CHECK(data.bins->busy_ns[7143 + 1428] == 3);
  CHECK(data.bins->kernel[7143 + 1428] == 2);
  CHECK(data.bins->kernel[7143 + 1429] == TimelineBins::kNothing);
}

TEST_CASE("bins of a stretch have only what ran in it") {
  const Shown shown({{0, 100, 0}, {0, 40, 1}}, {100, 20}, {0, 1});
  const TimelineData data = timeline_data(shown.timeline(), std::pair<std::int64_t, std::int64_t>{20, 60}, 1);
  REQUIRE(data.bins);
  CHECK(sum(data.bins->busy_ns) == 40 + 10);
}

TEST_CASE("waits are what no strand covers, up to the timeline's end") {
  const Shown shown({{5, 10, 0}, {0, 50, 1}, {30, 40, 0}}, {5, 50, 10}, {0, 1, 0});
  const TimelineData data = shown.data(2);
  std::vector<std::pair<std::int64_t, std::int64_t>> waits;
  for (const TimelineStrand& wait : data.waits) waits.emplace_back(wait.begin_ns, wait.end_ns);
  CHECK(waits == std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 5}, {10, 30}, {40, 50}});
}

TEST_CASE("many kernels share the last slot of bins") {
  std::vector<StrandPlace> places;
  std::vector<std::int64_t> durations;
  std::vector<std::uint32_t> kernels;
  for (std::uint32_t i = 0; i < 100; ++i) {
    const auto at = static_cast<std::int64_t>(i) * 1'000;
    places.push_back({at, at + 1'000 - i, 0});
    durations.push_back(1'000 - i);
    kernels.push_back(i);
  }
  Shown shown(places, durations, kernels);
  shown.graph.kernel_names.assign(100, "k");
  const TimelineData data = shown.data(10);
  CHECK(sum(data.bins->busy_ns) == 100 * 1'000 - 99 * 50);
  CHECK(data.bins->kernel.front() == 0);
  CHECK(data.bins->kernel[data.bins->count - 20] == TimelineData::kNamed);
}

TEST_CASE("the longest are kept in their order, however many come") {
  Longest longest(3);
  for (const std::int64_t ns : {5, 1, 7, 7, 2, 7, 9, 7, 3}) longest.add({0, ns});
  std::vector<std::int64_t> kept;
  for (const TimelineStrand& one : longest.take()) kept.push_back(one.end_ns);
  CHECK(kept == std::vector<std::int64_t>{7, 7, 9});
}
