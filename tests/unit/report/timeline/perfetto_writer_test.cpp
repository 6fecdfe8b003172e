// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "catch.hpp"
#include "report/timeline/graph_export.hpp"
#include "scratch.hpp"
#include "unit/report/timeline/loop_timeline.hpp"

using namespace foretask;
using namespace foretask::report;
using analysis::EdgeKind;
using analysis::StrandPlace;
using analysis::TaskGraph;
using nlohmann::json;

namespace {

// 0 creates 1 and goes on as 2; 1 precedes 3 by a dependence; 4 has no length.
TaskGraph small_graph() {
  TaskGraph graph;
  graph.duration_ns = {1000, 2000, 500, 1, 0};
  graph.kernel = {0, 1, 0, 1, 1};
  graph.kernel_names = {"main (a.c:3)", "quote\" back\\slash \n \xff (a.c:7)"};
  graph.first_successor = {0, 3, 4, 4, 4, 4};
  graph.successors = {1, 2, 4, 3};
  graph.edge_kind = {EdgeKind::kCreate, EdgeKind::kContinuation, EdgeKind::kCreate, EdgeKind::kDependence};
  graph.task_of_node = {0, 1, 0, 2, 3};
  return graph;
}

const std::vector<StrandPlace> kPlaces{
    {0, 1000, 0}, {1234, 3234, 1}, {1000, 1500, 0}, {4000, 4001, 0}, {5000, 5000, 1}};

std::string written(const TaskGraph& graph, const std::vector<StrandPlace>& places, bool is_recorded = false) {
  const foretask_test::Scratch scratch;
  auto output = Output::open(scratch / "trace.json");
  REQUIRE(output.ok());
  write_perfetto({.graph = graph,
                  .places = [&places](analysis::NodeIndex node) { return places[node]; },
                  .program = "a \"program\"",
                  .is_recorded = is_recorded},
                 {}, *output);
  REQUIRE(output->finish().ok());
  return foretask_test::contents(scratch / "trace.json");
}

std::int64_t ns(const json& microseconds) { return std::llround(microseconds.get<double>() * 1000); }

}  // namespace

TEST_CASE("the trace is an object of events, with a named track a worker") {
  const json trace = json::parse(written(small_graph(), kPlaces));
  CHECK(trace["displayTimeUnit"] == "ns");
  std::map<int, std::string> tracks;
  for (const json& event : trace["traceEvents"]) {
    CHECK(event["pid"] == 1);
    if (event["name"] == "thread_name") tracks[event["tid"]] = event["args"]["name"];
    if (event["name"] == "process_name") CHECK(event["args"]["name"] == "a \"program\"");
  }
  CHECK(tracks == std::map<int, std::string>{{1, "worker 0"}, {2, "worker 1"}});
}

TEST_CASE("each strand is a slice with its kernel, in microseconds with three decimals") {
  const std::string text = written(small_graph(), kPlaces);
  CHECK(text.find(R"("ts":1.234,"dur":2.000)") != std::string::npos);
  CHECK(text.find(R"("ts":4.000,"dur":0.001)") != std::string::npos);
  const json trace = json::parse(text);
  std::vector<json> slices;
  for (const json& event : trace["traceEvents"])
    if (event["ph"] == "X") slices.push_back(event);
  REQUIRE(slices.size() == 5);
  CHECK(slices[0]["name"] == "main (a.c:3)");
  CHECK(slices[0]["tid"] == 1);
  CHECK(slices[2]["args"]["task"] == 2);
}

TEST_CASE("create and dependence edges are arrows from inside one slice into another") {
  const json trace = json::parse(written(small_graph(), kPlaces));
  std::map<int, json> starts;
  std::map<int, json> ends;
  std::vector<json> slices;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] == "s") CHECK(starts.emplace(event["id"].get<int>(), event).second);
    if (event["ph"] == "f") CHECK(ends.emplace(event["id"].get<int>(), event).second);
    if (event["ph"] == "X") slices.push_back(event);
  }
  // The continuation is no arrow, and the slice without length has no inside.
  REQUIRE(starts.size() == 2);
  REQUIRE(ends.size() == 2);
  std::multiset<std::string> names;
  for (const auto& [id, start] : starts) {
    const json& end = ends.at(id);
    names.insert(start["name"]);
    CHECK(end["bp"] == "e");
    CHECK(ns(start["ts"]) <= ns(end["ts"]));
    for (const json& event : {start, end}) {
      bool inside = false;
      for (const json& slice : slices) {
        inside |= slice["tid"] == event["tid"] && ns(slice["ts"]) <= ns(event["ts"]) &&
                  ns(event["ts"]) < ns(slice["ts"]) + ns(slice["dur"]);
      }
      CHECK(inside);
    }
  }
  CHECK(names == std::multiset<std::string>{"create", "dependence"});
}

TEST_CASE("slices that a damaged recording lets overlap are clipped") {
  const std::vector<StrandPlace> overlapping{{0, 1000, 0}, {500, 800, 0}, {900, 1500, 0}, {-5, 3, 1}, {10, 5, 1}};
  const json trace = json::parse(written(small_graph(), overlapping));
  std::map<int, std::int64_t> end_of_track;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] != "X") continue;
    std::int64_t& end = end_of_track[event["tid"]];
    CHECK(ns(event["ts"]) >= end);
    CHECK(ns(event["dur"]) >= 0);
    end = ns(event["ts"]) + ns(event["dur"]);
  }
  CHECK(end_of_track == std::map<int, std::int64_t>{{1, 1500}, {2, 10}});
}

TEST_CASE("times of hours keep their nanoseconds") {
  TaskGraph graph;
  graph.duration_ns = {1};
  graph.kernel = {0};
  graph.kernel_names = {"k"};
  graph.first_successor = {0, 0};
  const std::string text = written(graph, {{36'000'000'000'123, 36'000'000'000'124, 7}});
  CHECK(text.find(R"("ts":36000000000.123,"dur":0.001)") != std::string::npos);
  CHECK(text.find(R"("tid":8)") != std::string::npos);
}

TEST_CASE("a share of a loop says what it is, and holds its pieces by their weights") {
  const LoopTimeline program;
  const json trace = json::parse(written(program.graph, program.places, true));
  std::vector<json> slices;
  for (const json& event : trace["traceEvents"])
    if (event["ph"] == "X") slices.push_back(event);
  const auto find = [&](const std::string& name) {
    std::vector<json> found;
    for (const json& slice : slices)
      if (slice["name"] == name) found.push_back(slice);
    return found;
  };
  const auto shares = find("loop");
  REQUIRE(shares.size() == 3);
  CHECK(shares[0]["args"] == json{{"task", 1},
                                  {"strand", 1},
                                  {"loop", 0},
                                  {"schedule", "dynamic,2"},
                                  {"iterations", 6},
                                  {"of_iterations", 10},
                                  {"pieces", 3}});
  CHECK(shares[2]["args"]["pieces"] == 1);
  const auto place = [&](const std::string& name) {
    std::vector<std::vector<std::int64_t>> places;
    for (const json& slice : find(name)) places.push_back({slice["tid"], ns(slice["ts"]), ns(slice["dur"])});
    return places;
  };
  using Places = std::vector<std::vector<std::int64_t>>;
  CHECK(place("iterations 0-1") == Places{{1, 100, 30}});
  CHECK(place("iterations 4-5") == Places{{1, 130, 30}, {1, 300, 30}});  // around the wait
  CHECK(place("iterations 8-9") == Places{{1, 330, 60}});
  CHECK(place("iterations 2-7").empty());  // all of its share
  CHECK(find("main (single or masked)").size() == 1);
}

TEST_CASE("a replay's shares have no pieces") {
  const LoopTimeline program;
  CHECK(written(program.graph, program.places).find("iterations") == std::string::npos);
}
