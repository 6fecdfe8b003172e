// SPDX-License-Identifier: Apache-2.0
// Messages between nodes; every time counted by hand.
#include <memory>

#include "catch.hpp"
#include "foretask/analysis/simulate.hpp"
#include "unit/simulate/graph_text.hpp"

using namespace foretask;
using namespace foretask::analysis;

namespace {

SimulationResult replay(const std::string& graph, const Platform& platform, std::uint32_t cores = 1) {
  SimulationOptions options;
  options.cores = cores;
  options.policy = Policy::kCriticalPath;
  options.platform = std::make_shared<const Platform>(platform);
  options.keep_schedule = true;
  auto result = simulate(graph_of_text(graph), options);
  if (!result) throw std::runtime_error(result.error().message());
  return *std::move(result);
}

// So many nodes, 10 ns of latency, a byte a nanosecond.
Platform nodes(std::size_t count, std::uint32_t in_links = 1, std::uint32_t out_links = 1, std::uint32_t buses = 0) {
  Platform platform;
  platform.nodes.assign(count, {.workers = {}, .in_links = in_links, .out_links = out_links});
  platform.network = {.latency_ns = 10, .bytes_per_second = 1e9, .buses = buses};
  return platform;
}

// Two senders of 100 bytes each on nodes 0 and 1, whose receivers are on node 2.
const std::string kTwoToOne = R"({"foretask_graph": 1, "time_unit": "ns"}
{"id": 0, "duration": 5, "node": 0}
{"id": 1, "duration": 7, "node": 1}
{"id": 2, "duration": 1, "node": 2, "after": [{"id": 0, "bytes": 100}]}
{"id": 3, "duration": 1, "node": 2, "after": [{"id": 1, "bytes": 100}]}
)";

// One task on node 0, whose 100 bytes go to nodes 1 and 2.
const std::string kOneToTwo = R"({"foretask_graph": 1, "time_unit": "ns"}
{"id": 0, "duration": 5}
{"id": 1, "duration": 1, "node": 1, "after": [{"id": 0, "bytes": 100}]}
{"id": 2, "duration": 1, "node": 2, "after": [{"id": 0, "bytes": 100}]}
)";

}  // namespace

TEST_CASE("a message of 100 kB over 10 ms and 1 Mbps takes 0.81 s") {
  Platform platform = nodes(2);
  platform.network = {.latency_ns = 10'000'000, .bytes_per_second = 125'000};
  const auto result = replay(R"({"foretask_graph": 1, "time_unit": "ns"}
{"id": 0, "duration": 0}
{"id": 1, "duration": 0, "node": 1, "after": [{"id": 0, "bytes": 100000}]}
)",
                             platform);
  CHECK(result.makespan_ns == 810'000'000);
}

TEST_CASE("messages into a node share its links") {
  // 0 ends at 5, its bytes pass from 15 to 115; 1 ends at 7, its bytes are there at 17.
  const auto one = replay(kTwoToOne, nodes(3));
  CHECK(one.schedule[2].start_ns == 115);
  CHECK(one.schedule[3].start_ns == 215);
  const auto two = replay(kTwoToOne, nodes(3, 2));
  CHECK(two.schedule[2].start_ns == 115);
  CHECK(two.schedule[3].start_ns == 117);
  CHECK(replay(kTwoToOne, nodes(3, 0, 0)).makespan_ns == 118);
}

TEST_CASE("messages out of a node share its links") {
  const auto one = replay(kOneToTwo, nodes(3));
  CHECK(one.schedule[1].start_ns == 115);
  CHECK(one.schedule[2].start_ns == 215);
  const auto two = replay(kOneToTwo, nodes(3, 1, 2));
  CHECK(two.schedule[1].start_ns == 115);
  CHECK(two.schedule[2].start_ns == 115);
}

TEST_CASE("buses limit the messages under way in the whole machine") {
  const auto one = replay(kTwoToOne, nodes(3, 0, 0, 1));
  CHECK(one.schedule[2].start_ns == 115);
  CHECK(one.schedule[3].start_ns == 215);
  CHECK(replay(kTwoToOne, nodes(3, 0, 0, 2)).makespan_ns == 118);
}

TEST_CASE("dependences within a node cost nothing, and none without bytes needs a link") {
  const std::string graph = R"({"foretask_graph": 1, "time_unit": "ns"}
{"id": 0, "duration": 5}
{"id": 1, "duration": 1, "node": 0, "after": [{"id": 0, "bytes": 100}]}
{"id": 2, "duration": 1, "node": 1, "after": [0, {"id": 1, "bytes": 100}]}
{"id": 3, "duration": 1, "node": 1, "after": [1]}
)";
  const auto result = replay(graph, nodes(2));
  CHECK(result.schedule[1].start_ns == 5);
  CHECK(result.schedule[2].start_ns == 116);  // 1 ends at 6, 10 and 100 later
  CHECK(result.schedule[3].start_ns == 16);
}

TEST_CASE("a message that waits lets one pass whose links are free") {
  // Node 0 sends to node 2 twice, then to node 1; node 3 keeps node 2's link busy.
  const auto result = replay(R"({"foretask_graph": 1, "time_unit": "ns"}
{"id": 0, "duration": 1, "node": 3}
{"id": 1, "duration": 2, "node": 0}
{"id": 2, "duration": 1, "node": 2, "after": [{"id": 0, "bytes": 100}]}
{"id": 3, "duration": 1, "node": 2, "after": [{"id": 1, "bytes": 100}]}
{"id": 4, "duration": 1, "node": 1, "after": [{"id": 1, "bytes": 50}]}
)",
                             nodes(4));
  CHECK(result.schedule[2].start_ns == 111);
  CHECK(result.schedule[4].start_ns == 62);   // its bytes pass from 12 to 62
  CHECK(result.schedule[3].start_ns == 211);  // node 2's link is free at 111
}

TEST_CASE("all nodes send to all others as fast as their links allow") {
  // Each node's link is busy without a gap: 59 messages of 100 bytes behind a latency of 10 and a task of 1. First come
  // first served leaves some gaps, never more than as many again.
  constexpr int kNodes = 60;
  std::string text = "{\"foretask_graph\": 1, \"time_unit\": \"ns\"}\n";
  for (int i = 0; i < kNodes; ++i)
    text += "{\"id\": " + std::to_string(i) + ", \"duration\": 1, \"node\": " + std::to_string(i) + "}\n";
  for (int to = 0; to < kNodes; ++to) {
    text += "{\"id\": " + std::to_string(kNodes + to) + ", \"duration\": 1, \"node\": " + std::to_string(to) +
            ", \"after\": [";
    for (int from = 0; from < kNodes; ++from)
      text += (from == 0 ? "" : ", ") + ("{\"id\": " + std::to_string(from) + ", \"bytes\": 100}");
    text += "]}\n";
  }
  const auto result = replay(text, nodes(kNodes));
  constexpr std::int64_t kLeast = 1 + 10 + (kNodes - 1) * 100 + 1;
  CHECK(result.makespan_ns >= kLeast);
  CHECK(result.makespan_ns <= 2 * kLeast);
}

TEST_CASE("a task on a node that the platform does not have is named") {
  SimulationOptions options;
  options.platform = std::make_shared<const Platform>(nodes(2));
  const auto result = simulate(graph_of_text(kTwoToOne), options);
  REQUIRE(!result.ok());
  CHECK(result.error().message() == "task 2 is placed on node 2, but the platform has nodes 0 to 1");
}
