// SPDX-License-Identifier: Apache-2.0
// The worked example of Topcuoglu, Hariri and Wu (IEEE TPDS 2002, Fig. 2, Table 2, Fig. 3): ten tasks on three
// processors, each a node of its own, a message's time the number at its edge.
#include "simulate/machine/heft_plan.hpp"

#include <memory>
#include <numeric>

#include "catch.hpp"
#include "unit/simulate/graph_text.hpp"

using namespace foretask;
using namespace foretask::analysis;

namespace {

const TaskGraph& example() {
  static const TaskGraph graph = graph_of_text(R"({"foretask_graph": 1, "time_unit": "ns"}
{"id": 1, "on": {"p1": 14, "p2": 16, "p3": 9}}
{"id": 2, "on": {"p1": 13, "p2": 19, "p3": 18}, "after": [{"id": 1, "bytes": 18}]}
{"id": 3, "on": {"p1": 11, "p2": 13, "p3": 19}, "after": [{"id": 1, "bytes": 12}]}
{"id": 4, "on": {"p1": 13, "p2": 8, "p3": 17}, "after": [{"id": 1, "bytes": 9}]}
{"id": 5, "on": {"p1": 12, "p2": 13, "p3": 10}, "after": [{"id": 1, "bytes": 11}]}
{"id": 6, "on": {"p1": 13, "p2": 16, "p3": 9}, "after": [{"id": 1, "bytes": 14}]}
{"id": 7, "on": {"p1": 7, "p2": 15, "p3": 11}, "after": [{"id": 3, "bytes": 23}]}
{"id": 8, "on": {"p1": 5, "p2": 11, "p3": 14}, "after": [{"id": 2, "bytes": 19}, {"id": 4, "bytes": 27}, {"id": 6, "bytes": 15}]}
{"id": 9, "on": {"p1": 18, "p2": 12, "p3": 20}, "after": [{"id": 2, "bytes": 16}, {"id": 4, "bytes": 23}, {"id": 5, "bytes": 13}]}
{"id": 10, "on": {"p1": 21, "p2": 7, "p3": 16}, "after": [{"id": 7, "bytes": 17}, {"id": 8, "bytes": 11}, {"id": 9, "bytes": 13}]}
)");
  return graph;
}

// A byte takes a nanosecond; no limit on messages at once.
Platform three_processors() {
  Platform platform;
  platform.any_node = true;
  platform.network.bytes_per_second = 1e9;
  for (const char* name : {"p1", "p2", "p3"})
    platform.nodes.push_back({.workers = {{name, 1}}, .in_links = 0, .out_links = 0});
  return platform;
}

}  // namespace

TEST_CASE("upward ranks are those of the paper's table 3") {
  const Platform platform = three_processors();
  const auto layout = simulate::layout_of(platform, 0);
  REQUIRE(layout.ok());
  const auto times = simulate::ClassTimes::of(example(), layout->classes, {});
  REQUIRE(times.ok());
  std::vector<NodeIndex> order(10);
  std::iota(order.begin(), order.end(), NodeIndex{0});
  const auto plan = simulate::heft_plan({example(), platform, *layout, *times}, order);
  const std::vector<double> expected{108.000, 77.000, 80.000, 80.000, 69.000, 63.333, 42.667, 35.667, 44.333, 14.667};
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(plan.rank[i] == Approx(expected[i]).margin(0.0005));
}

TEST_CASE("the paper's example takes 80 under heft") {
  SimulationOptions options;
  options.cores = 0;
  options.policy = Policy::kHeft;
  options.platform = std::make_shared<const Platform>(three_processors());
  options.keep_schedule = true;
  const auto result = analysis::simulate(example(), options);
  REQUIRE(result.ok());
  CHECK(result->makespan_ns == 80);
  // Fig. 3a: the last task runs on the second processor from 73 on.
  CHECK(result->schedule[9].worker == 1);
  CHECK(result->schedule[9].start_ns == 73);
}
