// SPDX-License-Identifier: Apache-2.0
// Replays over SimGrid's platforms. Times are SimGrid's published model, by hand: CM02 takes latency + bytes /
// bandwidth; LV08 (Velho and Legrand, SIMUTools 2009) takes 13.01 times the latency and bytes / (0.97 bandwidth), of
// which acknowledgements take a twentieth more.
#include <fstream>

#include "catch.hpp"
#include "foretask/analysis/simulate.hpp"
#include "scratch.hpp"
#include "simulate/network/simgrid_process.hpp"
#include "skip.hpp"

using namespace foretask;
using namespace foretask::analysis;

namespace {

const std::string kOneLink = std::string(FORETASK_TESTS_DIR) + "/golden/platforms/one_link.xml";

Platform platform_of(const std::string& model, std::size_t nodes = 2) {
  Platform platform;
  platform.nodes.resize(nodes);
  for (PlatformNode& node : platform.nodes) node.workers = {WorkerGroup{}};
  platform.simgrid_xml = kOneLink;
  platform.simgrid_model = model;
  return platform;
}

// Tasks of no length, each sending to the next so many bytes on `route`'s nodes: one worker a node.
TaskGraph relay(const std::vector<std::uint32_t>& route, std::uint64_t bytes) {
  TaskGraph graph;
  graph.kernel_names = {"k"};
  graph.duration_ns.resize(route.size());
  graph.kernel.resize(route.size());
  graph.node = route;
  graph.first_successor = {0};
  for (NodeIndex i = 0; i < route.size(); ++i) {
    if (i + 1 < route.size()) graph.successors.push_back(i + 1);
    graph.first_successor.push_back(graph.successors.size());
  }
  graph.edge_bytes.assign(graph.successors.size(), bytes);
  return graph;
}

Result<SimulationResult> replayed(const TaskGraph& graph, Platform platform, bool keep_schedule = false) {
  SimulationOptions options;
  options.cores = 0;
  options.policy = Policy::kReadyFifo;
  options.platform = std::make_shared<Platform>(std::move(platform));
  options.keep_schedule = keep_schedule;
  return analysis::simulate(graph, options);
}

std::string error_of(const TaskGraph& graph, Platform platform) {
  const auto result = replayed(graph, std::move(platform));
  return result ? "" : result.error().message();
}

}  // namespace

#define NEEDS_SIMGRID() \
  if (!foretask::simulate::has_simgrid()) FORETASK_SKIP("this build has no SimGrid (Debian: libsimgrid-dev)")

TEST_CASE("100 kB over 10 ms and 1 Mbps take 0.81 s under CM02 and 0.996079 s under LV08") {
  NEEDS_SIMGRID();
  const auto cm02 = replayed(relay({0, 1}, 100'000), platform_of("CM02"));
  REQUIRE(cm02.ok());
  CHECK(cm02->makespan_ns == 810'000'000);
  for (const char* const model : {"LV08", ""}) {
    const auto lv08 = replayed(relay({0, 1}, 100'000), platform_of(model));
    REQUIRE(lv08.ok());
    CHECK(static_cast<double>(lv08->makespan_ns) == Approx(0.996079e9).epsilon(1e-6));
  }
}

TEST_CASE("two messages over one link share it, two links each carry their own") {
  NEEDS_SIMGRID();
  // Node 0 sends to 1 twice at once: latency 0.01 s, then 0.8 s of bytes at half the speed each.
  TaskGraph graph = relay({0, 1}, 100'000);
  graph.duration_ns = {0, 0, 0};
  graph.kernel = {0, 0, 0};
  graph.node = {0, 1, 1};
  graph.first_successor = {0, 2, 2, 2};
  graph.successors = {1, 2};
  graph.edge_bytes = {100'000, 100'000};
  CHECK(replayed(graph, platform_of("CM02"))->makespan_ns == 1'610'000'000);
  // To node 2 there is a link of 1000 Mbps and 1 us: 0.8 ms of bytes.
  graph.node = {0, 1, 2};
  const auto apart = replayed(graph, platform_of("CM02", 3), true);
  REQUIRE(apart.ok());
  CHECK(apart->schedule[1].start_ns == 810'000'000);
  CHECK(apart->schedule[2].start_ns == 801'000);
}

TEST_CASE("tasks take their time between messages, and the schedule says where and when") {
  NEEDS_SIMGRID();
  TaskGraph graph = relay({0, 1, 1, 0}, 100'000);
  graph.duration_ns = {5'000'000, 1'000'000, 2'000'000, 3'000'000};
  const auto result = replayed(graph, platform_of("CM02"), true);
  REQUIRE(result.ok());
  CHECK(result->makespan_ns == 5'000'000 + 810'000'000 + 1'000'000 + 2'000'000 + 810'000'000 + 3'000'000);
  CHECK(result->work_ns == 11'000'000);
  REQUIRE(result->schedule.size() == 4);
  CHECK(result->schedule[1].start_ns == 815'000'000);
  CHECK(result->schedule[1].end_ns == 816'000'000);
  CHECK(result->schedule[1].worker == 1);
  CHECK(result->schedule[3].worker == 0);
}

TEST_CASE("a replay over SimGrid is the same every time, in a process that replays many") {
  NEEDS_SIMGRID();
  TaskGraph graph = relay({0, 1, 2, 0, 1, 2, 0, 2, 1, 0}, 12'345);
  graph.duration_ns.assign(graph.size(), 777);
  const auto first = replayed(graph, platform_of("LV08", 3));
  REQUIRE(first.ok());
  for (int i = 0; i < 3; ++i) CHECK(replayed(graph, platform_of("LV08", 3))->makespan_ns == first->makespan_ns);
}

TEST_CASE("many threads replay over SimGrid at once") {
  NEEDS_SIMGRID();
  TaskGraph graph = relay({0, 1}, 100'000);
  graph.duration_ns = {1'000'000, 0};
  SimulationOptions options;
  options.policy = Policy::kFifo;
  options.platform = std::make_shared<Platform>(platform_of("CM02"));
  ReplayGrid grid;
  grid.cores = {1, 2};
  grid.threads = 4;
  for (int i = 1; i < 20; ++i) grid.scenarios.push_back({.speedups = {{0, 1.0 + i % 2}}});
  const auto table = analysis::simulate(graph, options, grid);
  REQUIRE(table.ok());
  for (std::size_t i = 0; i < table->size(); ++i) {
    for (const SimulationResult& point : (*table)[i])
      CHECK(point.makespan_ns == 810'000'000 + 1'000'000 / (i % 2 == 0 ? 1 : 2));
  }
}

TEST_CASE("what SimGrid cannot do is an error, and this process goes on") {
  NEEDS_SIMGRID();
  const TaskGraph graph = relay({0, 1}, 1);
  CHECK(error_of(graph, platform_of("CM02", 4)).find("has 3 hosts for the platform's 4 nodes") != std::string::npos);
  Platform missing = platform_of("CM02");
  missing.simgrid_xml = "/nowhere/at/all.xml";
  CHECK(error_of(graph, missing).find("/nowhere/at/all.xml: cannot be read") != std::string::npos);
  Platform no_platform = platform_of("CM02");
  no_platform.simgrid_xml = std::string(FORETASK_TESTS_DIR) + "/golden/graphs/chain.jsonl";
  CHECK(error_of(graph, no_platform).find("chain.jsonl") != std::string::npos);
}

TEST_CASE("a platform file names SimGrid's file, beside it, and its model") {
  const foretask_test::Scratch scratch;
  const auto read = [&](const std::string& network) {
    std::ofstream(scratch / "p.json") << R"({"foretask_platform": 1, "nodes": [{"count": 2}], "network": )" << network
                                      << "}";
    return read_platform(scratch / "p.json");
  };
  const auto plain = read(R"({"simgrid": "cluster.xml"})");
  REQUIRE(plain.ok());
  CHECK(plain->simgrid_xml == scratch / "cluster.xml");
  CHECK(plain->simgrid_model == "LV08");
  const auto other = read(R"({"simgrid": "/a/b.xml", "model": "CM02"})");
  REQUIRE(other.ok());
  CHECK(other->simgrid_xml == "/a/b.xml");
  CHECK(other->simgrid_model == "CM02");
  CHECK(read(R"({"latency_us": 1})")->simgrid_xml.empty());
  for (const char* const wrong : {R"({"simgrid": ""})", R"({"simgrid": 3})", R"({"simgrid": "a", "model": "TCP"})",
                                  R"({"simgrid": "a", "latency_us": 1})", R"({"model": "CM02"})"}) {
    INFO(wrong);
    CHECK(!read(wrong).ok());
  }
}
